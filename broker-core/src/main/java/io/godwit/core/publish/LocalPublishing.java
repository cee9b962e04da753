package io.godwit.core.publish;

import io.godwit.core.ack.Receipt;
import io.godwit.core.auth.Access;
import io.godwit.core.auth.ClientSettings;
import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.auth.Subject;
import io.godwit.core.codec.ProtocolViolation;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.review.ReviewedPublish;
import io.godwit.core.review.Reviews;
import io.godwit.core.store.CopySets;
import io.godwit.core.store.ShardStore;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Publishes messages of this process, in order, as those of a client without a connection: what
 * makes a client wait has them wait, and each is answered when a client would get its PUBACK.
 * Nobody reviews them, and no rules are asked.
 */
public final class LocalPublishing implements PublisherLink {
    private static final ClientId NAME = ClientId.of("$extensions");
    private static final int PACKET_ID_MAX = 65_535;

    private final PublishContext context;
    private final Subject subject =
            new Subject(NAME, Identity.ANONYMOUS, new Peer("this process", true, ""));
    private final Publishing publishing;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();

    /** Holds the messages that have no PUBACK yet, by packet id; fewer than there are ids. */
    private final Map<Integer, Consumer<@Nullable ReasonCode>> unacknowledged = new HashMap<>();

    private int lastId;
    private boolean goesOn;

    private record Waiting(ReviewedPublish message, Consumer<@Nullable ReasonCode> done) {}

    /**
     * @param of the shard's clients
     */
    public LocalPublishing(PublishContext of) {
        this.context =
                new PublishContext(
                        of.shard(),
                        of.router(),
                        of.ids(),
                        of.serverId(),
                        of.load(),
                        of.mqtt(),
                        of.limits(),
                        of.overload(),
                        new Reviews());
        this.publishing = new Publishing(this, new NoSession(), context);
    }

    /**
     * Publishes a message; at most 10 000 may wait.
     *
     * @param done told on the shard's thread: null when the message is taken in by everyone it goes
     *     to, else why it is not
     */
    public void publish(ReviewedPublish message, Consumer<@Nullable ReasonCode> done) {
        if (!PublishChecks.isSound(context.mqtt(), context.limits(), message)) {
            done.accept(ReasonCode.UNSPECIFIED_ERROR);
            return;
        }
        waiting.add(new Waiting(message, done));
        context.load().parked(message.accountedBytes());
        goOn();
    }

    /** Goes on if what has kept messages waiting is over; asked in each tick. */
    public void onTick() {
        publishing.drainHeld();
        goOn();
    }

    private void goOn() {
        if (goesOn) {
            return;
        }
        goesOn = true;
        try {
            while (!waiting.isEmpty() && mayGoOn()) {
                Waiting next = waiting.remove();
                context.load().parked(-next.message().accountedBytes());
                begin(next);
            }
        } finally {
            goesOn = false;
        }
    }

    private boolean mayGoOn() {
        return !publishing.isPaused() && !publishing.mustWait() && !context.load().isAlarm();
    }

    private void begin(Waiting next) {
        lastId = lastId % PACKET_ID_MAX + 1;
        int packetId = lastId;
        unacknowledged.put(packetId, next.done());
        try {
            publishing.onPublish(frame(next.message(), packetId));
        } catch (ProtocolViolation violation) {
            answer(packetId, violation.reason());
        }
    }

    /** Makes a PUBLISH that is acknowledged whatever QoS its message has. */
    private static PublishFrame frame(ReviewedPublish message, int packetId) {
        PublishFrame frame = ReviewedPublishes.frame(message, message);
        frame.qos = 1;
        frame.packetId = packetId;
        return frame;
    }

    private void answer(int packetId, @Nullable ReasonCode refusal) {
        Consumer<@Nullable ReasonCode> done = unacknowledged.remove(packetId);
        if (done != null) {
            done.accept(refusal);
        }
    }

    // ---------------------------------------------------------------- as a connection

    @Override
    public void sendAck(PacketType type, int packetId, int reasonCode) {
        ReasonCode reason = ReasonCode.of(reasonCode);
        answer(packetId, reason == null || !reason.isError() ? null : reason);
    }

    /** Tells all who wait that their messages may not be everywhere: the store has failed. */
    @Override
    public void close(ReasonCode reason, String text, boolean publishWill) {
        List<Consumer<@Nullable ReasonCode>> all = new ArrayList<>(unacknowledged.values());
        unacknowledged.clear();
        all.forEach(each -> each.accept(reason));
    }

    @Override
    public void onReceiptDone() {
        publishing.sendAcks();
        goOn();
    }

    @Override
    public void feedsFull(BooleanSupplier isFull) {
        publishing.feedsElsewhere(isFull);
    }

    @Override
    public void resumeDecoding() {
        goOn();
    }

    /** Does nothing: each tick looks. */
    @Override
    public void watch() {}

    @Override
    public ProtocolVersion version() {
        return ProtocolVersion.MQTT_5;
    }

    @Override
    public boolean isClosed() {
        return false;
    }

    @Override
    public Subject subject() {
        return subject;
    }

    @Override
    public Access access() {
        return Access.ALL;
    }

    @Override
    public ClientSettings settings() {
        return new ClientSettings(PACKET_ID_MAX, Integer.MAX_VALUE, Long.MAX_VALUE);
    }

    /** A session of which nothing is kept, and that gets nothing. */
    private final class NoSession implements PublisherSession {
        private @Nullable NodePaths paths;

        @Override
        public ClientId clientId() {
            return NAME;
        }

        @Override
        public long queueId() {
            return 0;
        }

        @Override
        public int copySet() {
            return CopySets.NONE;
        }

        @Override
        public boolean isDurable() {
            return false;
        }

        @Override
        public boolean isEnded() {
            return false;
        }

        @Override
        public boolean isElsewhere() {
            return false;
        }

        @Override
        public int owner() {
            return context.shard().index();
        }

        @Override
        public ShardStore store() {
            return context.shard().store();
        }

        @Override
        public int inFlightCount() {
            return 0;
        }

        @Override
        public boolean hasSlowSubscribers() {
            return false;
        }

        @Override
        public @Nullable NodePaths nodePaths() {
            return paths;
        }

        @Override
        public void nodePaths(NodePaths made) {
            paths = made;
        }

        @Override
        public void forgetIdlePaths() {}

        @Override
        public @Nullable Receipt inboundQos2(int packetId) {
            return null;
        }

        @Override
        public Receipt putInboundQos2(
                PublisherLink from,
                int packetId,
                long ingressCounter,
                @Nullable InboundReceipt again) {
            throw new IllegalStateException("each message is acknowledged once");
        }

        @Override
        public void giveUpInboundQos2(Receipt receipt) {}

        @Override
        public void onTakersKnown(Qos2Receipt receipt) {}

        @Override
        public void onTakersRecovered(Qos2Receipt receipt) {}

        @Override
        public boolean removeInboundQos2(int packetId) {
            return false;
        }
    }
}
