package io.godwit.core.publish;

import io.godwit.core.ack.Receipt;
import io.godwit.core.auth.Access;
import io.godwit.core.codec.NoMemoryForPacket;
import io.godwit.core.codec.ProtocolViolation;
import io.godwit.core.load.ShardLoad;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.review.Permission;
import io.godwit.core.review.PublishOutcome;
import io.godwit.core.review.ReviewedPublish;
import io.godwit.core.review.Reviewer;
import io.godwit.core.shard.Shard;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * PUBLISHes of one connection that a reviewer is shown, and those behind them, in order: each goes
 * on when it is answered, and all before it have gone on. None has been acknowledged, or has an id
 * that counts as taken in.
 */
final class ReviewedPublishes {
    /** PUBLISHes above which nothing more is read. */
    static final int MAX = 1_000;

    private final Shard shard;
    private final ShardLoad load;
    private final long bytesMax;
    private final Predicate<ReviewedPublish> isSound;
    private final PublisherLink connection;
    private final Publisher publisher;
    private final ArrayDeque<Entry> waiting = new ArrayDeque<>();
    private final Set<Integer> qos2Ids = new HashSet<>();

    /** Whether the shard was told that there are answers, and has not looked yet; any thread. */
    private final AtomicBoolean isTold = new AtomicBoolean();

    private long bytes;

    /** How many of them are to be acknowledged. */
    private int acknowledged;

    private boolean goesOn;

    /** The publishing side of the connection. */
    interface Publisher {
        /** Whether nothing may go on now; then {@link #goOn} is called later. */
        boolean mustWait();

        /** Looks whether something goes on, since answers have come. */
        void onAnswers();

        /** Takes in a PUBLISH that may go on. */
        void take(PublishFrame frame, Topic topic, Access access);

        /** Answers a QoS 2 PUBLISH that was taken in before it came again. */
        void repeat(Receipt before);

        /** Acknowledges a PUBLISH that goes nowhere. */
        void drop(ReviewedPublish publish);

        /** Refuses a PUBLISH. */
        void refuse(ReviewedPublish publish, ReasonCode reason);

        /**
         * Refuses a PUBLISH that has no answer.
         *
         * @return false when its client can't be told: then nothing behind it goes on
         */
        boolean fail(ReviewedPublish publish);

        /** Drops a PUBLISH that is not acknowledged. */
        void giveUp(ReviewedPublish publish);
    }

    /** A PUBLISH with its place in the order. */
    private final class Entry implements Consumer<@Nullable PublishOutcome> {
        final ReviewedPublish shown;

        /** The receipt of one of QoS 2 that was taken in before; null: it is new. */
        final @Nullable Receipt before;

        private final AtomicReference<@Nullable PublishOutcome> outcome = new AtomicReference<>();

        Entry(ReviewedPublish shown, @Nullable Receipt before) {
            this.shown = shown;
            this.before = before;
        }

        @Nullable PublishOutcome outcome() {
            return outcome.get();
        }

        /** Takes the first answer, from any thread. */
        @Override
        public void accept(@Nullable PublishOutcome answer) {
            PublishOutcome told = answer == null ? new PublishOutcome.Failed() : answer;
            if (outcome.compareAndSet(null, told) && isTold.compareAndSet(false, true)) {
                shard.execute(ReviewedPublishes.this::onAnswers);
            }
        }

        /** Lets it go on without a reviewer, which sees others only. */
        void goesOnUnseen() {
            outcome.set(new PublishOutcome.Go(shown, Permission.BY_RULES));
        }
    }

    /**
     * @param bytesMax above which nothing more is read: {@code overload.parked-bytes}
     * @param isSound whether what a reviewer has made is a PUBLISH that a client could have sent
     */
    ReviewedPublishes(
            Shard shard,
            ShardLoad load,
            long bytesMax,
            Predicate<ReviewedPublish> isSound,
            PublisherLink connection,
            Publisher publisher) {
        this.shard = shard;
        this.load = load;
        this.bytesMax = bytesMax;
        this.isSound = isSound;
        this.connection = connection;
        this.publisher = publisher;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Whether nothing more should be added, for this connection's sake or the node's. */
    boolean isFull() {
        return waiting.size() >= MAX
                || bytes > bytesMax
                || !waiting.isEmpty() && load.isParkingFull();
    }

    long bytes() {
        return bytes;
    }

    /** How many of them are to be acknowledged. */
    int acknowledged() {
        return acknowledged;
    }

    /** Whether a QoS 2 PUBLISH of this packet id is among them, which is not taken in yet. */
    boolean hasQos2(int packetId) {
        return qos2Ids.contains(packetId);
    }

    /**
     * Adds a PUBLISH.
     *
     * @param reviewer is shown it; null: it only keeps its place
     * @throws NoMemoryForPacket its payload could not be copied
     */
    void add(@Nullable Reviewer reviewer, PublishFrame from, Topic topic) {
        Entry entry = new Entry(copy(from, topic), null);
        add(entry);
        if (entry.shown.qos() == 2) {
            qos2Ids.add(entry.shown.packetId());
        }
        if (reviewer == null) {
            entry.goesOnUnseen();
            return;
        }
        try {
            reviewer.publish(connection.subject(), connection.version(), entry.shown, entry);
        } catch (RuntimeException e) {
            entry.accept(new PublishOutcome.Failed());
        }
    }

    /**
     * Adds a QoS 2 PUBLISH that was taken in before it came again.
     *
     * @param before its receipt
     */
    void addRepeated(Topic topic, Receipt before) {
        ReviewedPublish place =
                new ReviewedPublish(
                        topic,
                        PublishFrame.NO_PROPERTIES,
                        PublishFrame.NO_PROPERTIES,
                        2,
                        false,
                        true,
                        -1,
                        false,
                        before.packetId);
        Entry entry = new Entry(place, before);
        add(entry);
        entry.goesOnUnseen();
    }

    private void add(Entry entry) {
        waiting.add(entry);
        count(entry, 1);
    }

    private static ReviewedPublish copy(PublishFrame from, Topic topic) {
        byte[] payload;
        try {
            payload = from.copyPayload();
        } catch (OutOfMemoryError e) {
            throw NoMemoryForPacket.INSTANCE;
        }
        return new ReviewedPublish(
                topic,
                payload,
                from.forwardedProperties,
                from.qos,
                from.retain,
                from.dup,
                from.expirySeconds,
                from.payloadIsText,
                from.packetId);
    }

    private void onAnswers() {
        isTold.set(false); // Before it looks: what is answered from now on tells again.
        publisher.onAnswers();
    }

    /** Has those go on that are answered, up to the first that is not. */
    void goOn() {
        if (goesOn) {
            return;
        }
        goesOn = true;
        try {
            Entry first;
            PublishOutcome outcome;
            while ((first = waiting.peek()) != null && (outcome = first.outcome()) != null) {
                if (publisher.mustWait()) {
                    connection.watch();
                    break;
                }
                remove();
                decide(first, outcome);
            }
        } catch (ProtocolViolation violation) {
            shard.counters().increment(Metric.PROTOCOL_VIOLATIONS, connection.version());
            end(violation.reason(), String.valueOf(violation.getMessage()));
        } catch (NoMemoryForPacket e) {
            end(ReasonCode.QUOTA_EXCEEDED, "no memory for a packet");
        } finally {
            goesOn = false;
        }
    }

    private void decide(Entry entry, PublishOutcome outcome) {
        ReviewedPublish shown = entry.shown;
        Receipt before = entry.before;
        if (before != null) {
            publisher.repeat(before);
            return;
        }
        switch (outcome) {
            case PublishOutcome.Go go -> {
                ReviewedPublish made = go.publish();
                if (made == shown || isSound.test(made)) {
                    Access access = go.permission().of(connection.access());
                    publisher.take(frame(shown, made), made.topic(), access);
                } else {
                    fail(shown);
                }
            }
            case PublishOutcome.Dropped dropped -> publisher.drop(shown);
            case PublishOutcome.Refused refused -> publisher.refuse(shown, refused.reason());
            case PublishOutcome.Failed failed -> fail(shown);
        }
    }

    /** Makes a frame: what is acknowledged is the client's, the message the reviewer's. */
    static PublishFrame frame(ReviewedPublish shown, ReviewedPublish made) {
        PublishFrame frame = new PublishFrame();
        frame.topic = made.topic();
        frame.qos = shown.qos();
        frame.routedQos = made.qos();
        frame.dup = shown.dup();
        frame.retain = made.retain();
        frame.packetId = shown.packetId();
        frame.expirySeconds = made.expirySeconds();
        frame.payloadIsText = made.payloadIsText();
        frame.forwardedProperties = made.properties();
        frame.copiedPayload = made.payload();
        frame.buffer = Unpooled.wrappedBuffer(made.payload());
        frame.payloadLength = made.payload().length;
        return frame;
    }

    /**
     * Refuses a PUBLISH, or ends the connection if that cannot be told: the client sends it again
     * then, and nothing that was sent behind it may be routed before it.
     */
    private void fail(ReviewedPublish shown) {
        if (!publisher.fail(shown)) {
            end(
                    ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR,
                    "an extension did not answer about a PUBLISH");
        }
    }

    private void end(ReasonCode reason, String text) {
        giveUp();
        connection.close(reason, text, true);
    }

    /** Drops all of them: none was acknowledged. */
    void giveUp() {
        while (!waiting.isEmpty()) {
            publisher.giveUp(remove().shown);
        }
    }

    private Entry remove() {
        Entry removed = waiting.remove();
        count(removed, -1);
        if (removed.before == null && removed.shown.qos() == 2) {
            qos2Ids.remove(removed.shown.packetId());
        }
        return removed;
    }

    private void count(Entry entry, int change) {
        long size = change * entry.shown.accountedBytes();
        bytes += size;
        load.reviewed(size);
        if (entry.before == null && entry.shown.qos() > 0) {
            acknowledged += change;
        }
    }
}
