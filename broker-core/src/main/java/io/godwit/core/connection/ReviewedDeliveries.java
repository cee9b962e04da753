package io.godwit.core.connection;

import io.godwit.core.auth.Subject;
import io.godwit.core.load.ShardLoad;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.queue.Delivery;
import io.godwit.core.queue.QueueEntry;
import io.godwit.core.review.DeliveryOutcome;
import io.godwit.core.review.DeliveryReviewer;
import io.godwit.core.review.ReviewedPublish;
import io.godwit.core.review.Reviews;
import io.godwit.core.shard.Shard;
import io.godwit.core.time.Timer;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * PUBLISHes on their way to one client that a reviewer is shown, and those behind them, in order:
 * each leaves when it is answered, and all before it have left. Only the first few are shown, the
 * others wait for that.
 *
 * <p>When one of QoS 1 or 2 has no answer, nothing leaves for a while; then it is shown again. It
 * ends after so many failures; that nobody could be asked is none.
 *
 * <p>Those of QoS 1 and 2 have packet ids: the client's window bounds them, and when the connection
 * ends they stay in flight. Those of QoS 0 are bounded like what waits for a client that reads too
 * slowly.
 */
final class ReviewedDeliveries extends Timer {
    /** How many are shown at the same time. */
    static final int SHOWN_MAX = 16;

    /** Failures after which a message of QoS 1 or 2 ends. */
    static final int FAILURES_MAX = 5;

    private static final long PAUSE_FIRST_MS = 1_000;
    private static final long PAUSE_MAX_MS = 30_000;

    private final Shard shard;
    private final ShardLoad load;
    private final Reviews reviews;
    private final Predicate<ReviewedPublish> isSound;
    private final Receiver to;
    private final ArrayDeque<Item> shown = new ArrayDeque<>(SHOWN_MAX);
    private final ArrayDeque<Item> waiting = new ArrayDeque<>(2);

    /** Whether the shard was told that there are answers, and has not looked yet; any thread. */
    private final AtomicBoolean isTold = new AtomicBoolean();

    /** How many of QoS 0 there are. */
    private int qos0;

    /** How long nothing has left since the last failure; 0 when there was an answer since. */
    private long pauseMs;

    private boolean goesOn;

    /** The connection of the client. */
    interface Receiver {
        Subject subject();

        ProtocolVersion version();

        /** Whether CONNACK is out, and the connection has not ended. */
        boolean isOpen();

        /** Whether a PUBLISH may be encoded now. */
        boolean canSend();

        /** Sends, lets wait or drops a QoS 0 message. */
        void passQos0(Message message, boolean retain, int[] ids);

        /**
         * Encodes a PUBLISH.
         *
         * @return false when it is larger than the client takes
         */
        boolean encode(
                Message message, int qos, boolean dup, boolean retain, int packetId, int[] ids);

        /** Returns the Message Expiry Interval with which a message leaves now. */
        long secondsLeft(Message message);

        /** Returns what goes out of the client's queue; null: there is none any more. */
        @Nullable Delivery delivery();

        /** Notes that a message was given up, since there were only failures. */
        void onGivenUp();

        /** Notes that all have left. */
        void onDeliveriesReviewed();
    }

    /** A PUBLISH with its place in the order. */
    private static final class Item {
        final Message message;

        /** Holds its entry in the client's queue; null: it is of QoS 0. */
        final @Nullable QueueEntry entry;

        final boolean dup;
        final boolean retain;
        final int[] ids;
        int failures;

        /** Holds the last question about it; null: no reviewer sees it. */
        @Nullable Question question;

        Item(Message message, @Nullable QueueEntry entry, boolean dup, boolean retain, int[] ids) {
            this.message = message;
            this.entry = entry;
            this.dup = dup;
            this.retain = retain;
            this.ids = ids;
        }

        boolean isAnswered() {
            Question asked = question;
            return asked == null || asked.outcome() != null;
        }

        int qos0Bytes() {
            return message.accountedBytes() + QueuedMessage.idBytes(ids);
        }
    }

    /** One question to the reviewer. */
    private final class Question implements Consumer<@Nullable DeliveryOutcome> {
        final ReviewedPublish publish;
        private final AtomicReference<@Nullable DeliveryOutcome> outcome = new AtomicReference<>();
        private long countedBytes;

        Question(ReviewedPublish publish) {
            this.publish = publish;
        }

        @Nullable DeliveryOutcome outcome() {
            return outcome.get();
        }

        /** Takes the first answer, from any thread. */
        @Override
        public void accept(@Nullable DeliveryOutcome answer) {
            DeliveryOutcome told = answer == null ? new DeliveryOutcome.Failed() : answer;
            if (outcome.compareAndSet(null, told) && isTold.compareAndSet(false, true)) {
                shard.execute(ReviewedDeliveries.this::onAnswers);
            }
        }

        /** Counts what it holds beside the message, which others hold, too. */
        void count() {
            long bytes = publish.accountedBytes() - publish.payload().length;
            if (outcome.get() instanceof DeliveryOutcome.Go go && go.publish() != publish) {
                bytes += go.publish().accountedBytes();
            }
            count(bytes);
        }

        private void count(long bytes) {
            load.queues().queued(bytes - countedBytes, 0);
            countedBytes = bytes;
        }
    }

    /**
     * @param isSound whether what a reviewer has made is a PUBLISH that a client could have sent
     */
    ReviewedDeliveries(
            Shard shard,
            ShardLoad load,
            Reviews reviews,
            Predicate<ReviewedPublish> isSound,
            Receiver to) {
        this.shard = shard;
        this.load = load;
        this.reviews = reviews;
        this.isSound = isSound;
        this.to = to;
    }

    boolean isEmpty() {
        return shown.isEmpty() && waiting.isEmpty();
    }

    /** Whether more have come than may be shown. */
    boolean isBehind() {
        return !waiting.isEmpty();
    }

    /** How many of QoS 0 there are. */
    int qos0() {
        return qos0;
    }

    /**
     * Adds a PUBLISH.
     *
     * @param entry what of the client's queue it is; null: it is of QoS 0
     */
    void add(Message message, @Nullable QueueEntry entry, boolean dup, boolean retain, int[] ids) {
        Item added = new Item(message, entry, dup, retain, ids);
        waiting.add(added);
        countQos0(added, 1);
        goOn(); // Who was to see it may be gone.
    }

    private void countQos0(Item item, int change) {
        if (item.entry == null) {
            qos0 += change;
            load.waitingQos0((long) change * item.qos0Bytes(), change);
        }
    }

    // ---------------------------------------------------------------- questions

    private void showNext() {
        while (shown.isEmpty() || shown.size() < SHOWN_MAX && !isReviewerFull()) {
            Item next = waiting.poll();
            if (next == null) {
                return;
            }
            shown.add(next);
            show(next);
        }
    }

    private boolean isReviewerFull() {
        DeliveryReviewer reviewer = reviews.deliveries();
        return reviewer != null && reviewer.isFull(to.subject());
    }

    private void show(Item item) {
        Question before = item.question;
        if (before != null) {
            before.count(0);
        }
        DeliveryReviewer reviewer = reviews.deliveries();
        if (reviewer == null || !reviewer.seesDelivery(to.subject(), item.message.topic)) {
            item.question = null;
            return;
        }
        Question asked = new Question(reviewed(item));
        item.question = asked;
        asked.count();
        try {
            reviewer.delivery(to.subject(), to.version(), asked.publish, asked);
        } catch (RuntimeException e) {
            asked.accept(new DeliveryOutcome.Failed());
        }
    }

    private ReviewedPublish reviewed(Item item) {
        Message message = item.message;
        QueueEntry entry = item.entry;
        return new ReviewedPublish(
                message.topic,
                message.payload,
                message.properties,
                entry == null ? 0 : entry.qos,
                item.retain,
                item.dup,
                message.expiresAtMs == Message.NEVER ? -1 : to.secondsLeft(message),
                saysText(message.properties),
                entry == null ? 0 : entry.packetId);
    }

    /** Whether properties that go to subscribers have a Payload Format Indicator of 1. */
    private static boolean saysText(byte[] properties) {
        int at = 0;
        while (at < properties.length) {
            int id = properties[at++];
            if (id == Property.PAYLOAD_FORMAT_INDICATOR.id()) {
                return properties[at] == 1;
            }
            int texts = id == Property.USER_PROPERTY.id() ? 2 : 1;
            for (; texts > 0; texts--) {
                at += 2 + ((properties[at] & 0xFF) << 8 | properties[at + 1] & 0xFF);
            }
        }
        return false;
    }

    private void onAnswers() {
        isTold.set(false); // Before it looks: what is answered from now on tells again.
        for (Item each : shown) {
            Question asked = each.question;
            if (asked != null) {
                asked.count();
            }
        }
        goOn();
    }

    /** Shows the first again, after a pause. */
    @Override
    protected void onTimer(long nowMs) {
        Item first = shown.peek();
        if (first != null) {
            show(first);
        }
        goOn();
    }

    // ---------------------------------------------------------------- answers

    /** Has those leave that are answered, up to the first that is not. */
    void goOn() {
        if (goesOn) {
            return;
        }
        goesOn = true;
        try {
            while (to.isOpen() && !isArmed() && decideFirst()) {}
        } finally {
            goesOn = false;
        }
        if (isEmpty()) {
            to.onDeliveriesReviewed();
        }
    }

    /** Decides about the first; false when it can't go on now. */
    private boolean decideFirst() {
        showNext();
        Item first = shown.peek();
        if (first == null || !first.isAnswered() || first.entry != null && !to.canSend()) {
            return false;
        }
        Question asked = first.question;
        DeliveryOutcome outcome = asked == null ? null : asked.outcome();
        if (asked != null) {
            asked.count(0);
        }
        if (first.entry != null && !isToBeSent(first.entry)) {
            remove(first);
        } else if (asked == null || outcome == null) {
            send(first, first.message, first.retain);
        } else {
            decide(first, asked.publish, outcome);
        }
        return true;
    }

    private void decide(Item first, ReviewedPublish publish, DeliveryOutcome outcome) {
        switch (outcome) {
            case DeliveryOutcome.Go go -> {
                ReviewedPublish made = go.publish();
                if (made == publish) {
                    pauseMs = 0;
                    send(first, first.message, first.retain);
                } else if (isSound.test(made)) {
                    pauseMs = 0;
                    send(first, changed(first.message, publish, made), made.retain());
                } else {
                    fail(first);
                }
            }
            case DeliveryOutcome.Dropped dropped -> {
                pauseMs = 0;
                drop(first);
            }
            case DeliveryOutcome.Failed failed -> fail(first);
            case DeliveryOutcome.NotAsked notAsked -> showAgain(first);
        }
    }

    private Message changed(Message from, ReviewedPublish publish, ReviewedPublish made) {
        long expiresAtMs = from.expiresAtMs;
        if (made.expirySeconds() != publish.expirySeconds()) {
            expiresAtMs =
                    made.expirySeconds() < 0
                            ? Message.NEVER
                            : Message.expiresAtMs(shard.wallMs(), made.expirySeconds());
        }
        return new Message(
                made.topic(),
                made.payload(),
                made.properties(),
                from.qos,
                from.retain,
                expiresAtMs,
                from.publisher,
                from.ingressServer,
                from.ingressCounter,
                from.readAt);
    }

    private void send(Item first, Message message, boolean retain) {
        remove(first);
        QueueEntry entry = first.entry;
        if (entry == null) {
            to.passQos0(message, retain, first.ids);
            return;
        }
        Delivery delivery = to.delivery();
        if (delivery == null) {
            return;
        }
        if (to.encode(message, entry.qos, first.dup, retain, entry.packetId, entry.ids)) {
            delivery.onLeft(entry);
        } else {
            delivery.onTooLarge(entry);
        }
    }

    private void fail(Item first) {
        if (first.entry != null && ++first.failures == FAILURES_MAX) {
            to.onGivenUp();
            drop(first);
        } else {
            showAgain(first);
        }
    }

    private void showAgain(Item first) {
        if (first.entry == null) {
            drop(first);
        } else {
            pauseMs = pauseMs == 0 ? PAUSE_FIRST_MS : Math.min(2 * pauseMs, PAUSE_MAX_MS);
            shard.timers().arm(this, shard.nowMs() + pauseMs);
        }
    }

    private void drop(Item first) {
        remove(first);
        shard.counters().increment(Metric.DROPPED_EXTENSION, to.version());
        QueueEntry entry = first.entry;
        Delivery delivery = to.delivery();
        if (entry != null && delivery != null) {
            delivery.onKeptBack(entry);
        }
    }

    private boolean isToBeSent(QueueEntry entry) {
        Delivery delivery = to.delivery();
        return delivery != null && delivery.isToBeSent(entry);
    }

    private void remove(Item first) {
        shown.remove();
        countQos0(first, -1);
    }

    /**
     * Forgets all of them: the connection has ended.
     *
     * @return how many of QoS 0 there were, which nobody gets
     */
    int giveUp() {
        shard.timers().cancel(this);
        for (Item each : shown) {
            Question asked = each.question;
            if (asked != null) {
                asked.count(0);
            }
        }
        int dropped = qos0;
        shown.forEach(each -> countQos0(each, -1));
        waiting.forEach(each -> countQos0(each, -1));
        shown.clear();
        waiting.clear();
        return dropped;
    }
}
