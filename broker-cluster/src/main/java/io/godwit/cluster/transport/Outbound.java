package io.godwit.cluster.transport;

import io.godwit.cluster.ClusterRule;
import io.godwit.cluster.ClusterRules;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * What goes out by one link: packs messages into frames, the highest class first, as far as the
 * peer's credit goes. Only who is inside the link's gate for sending calls {@link #pack}; {@link
 * #heard} is called inside the one for receiving.
 */
final class Outbound {
    private static final TrafficClass[] HIGHEST_FIRST = TrafficClass.highestFirst();

    private final LinkName name;
    private final int protocol;
    private final NodeClock clock;
    private final LinkCounters counters;
    private final ClusterRules rules;
    private final Outbox[] outboxes = new Outbox[TrafficClass.COUNT];

    /** By class: bytes of bodies whose sending has begun, and up to where they may be. */
    private final long[] used = new long[TrafficClass.COUNT];

    /** The same for other threads, as of the last frame. */
    private final AtomicLongArray usedTold = new AtomicLongArray(TrafficClass.COUNT);

    private final AtomicLongArray credit = new AtomicLongArray(TrafficClass.COUNT);

    /** By class: a message of which only a beginning has left. */
    private final Pieces[] cut = new Pieces[TrafficClass.COUNT];

    private volatile long bytes;
    private volatile long frames;
    private volatile long framesHeard;

    Outbound(LinkName name, int protocol, LinkContext context) {
        this.name = name;
        this.protocol = protocol;
        this.clock = context.clock();
        this.counters = context.counters();
        this.rules = context.rules();
        for (TrafficClass each : TrafficClass.values()) {
            outboxes[each.ordinal()] =
                    new Outbox(name.nearLink(), context.settings().roomBytes().of(each));
            cut[each.ordinal()] = new Pieces();
        }
    }

    Outbox outbox(TrafficClass traffic) {
        return outboxes[traffic.ordinal()];
    }

    /** Of all frames. */
    long bytes() {
        return bytes;
    }

    /** Bytes of bodies that may begin to leave; below 0 when the last message went beyond. */
    long creditLeft(TrafficClass traffic) {
        return credit.get(traffic.ordinal()) - usedTold.get(traffic.ordinal());
    }

    /** The number of the last frame that was packed. */
    long frames() {
        return frames;
    }

    /** The number of the last one that the peer has said to have. */
    long framesHeard() {
        return framesHeard;
    }

    /** Whether a message may leave now. */
    boolean hasSomething() {
        for (TrafficClass each : HIGHEST_FIRST) {
            if (!cut[each.ordinal()].isDone() || mayBegin(each)) {
                return true;
            }
        }
        return false;
    }

    private boolean mayBegin(TrafficClass traffic) {
        int i = traffic.ordinal();
        if (outboxes[i].isEmpty()) {
            return false;
        }
        if (!rules.holds(ClusterRule.CLASSES)) {
            i = TrafficClass.PUBLISHES.ordinal(); // All wait for the credit of the lowest.
        }
        return used[i] < credit.get(i) || !rules.holds(ClusterRule.CREDITS);
    }

    /** Writes the next frame: what the peer is told anyway, and all messages that may leave. */
    void pack(ByteWriter frame, Inbound inbound) {
        frame.clear();
        frame.u8(Frame.DATA);
        name.write(frame);
        long number = frames + 1;
        frame.varint(number).varint(inbound.framesReceived());
        frame.long8(clock.now()).long8(clock.monotonicMs());
        inbound.writeReceived(frame);
        int messages = 0;
        for (TrafficClass each : HIGHEST_FIRST) {
            messages += pack(each, frame);
            usedTold.lazySet(each.ordinal(), used[each.ordinal()]);
        }
        long before = bytes;
        bytes = before + frame.length();
        frames = number;
        counters.add(LinkMetric.MESSAGES_SENT, messages);
    }

    private int pack(TrafficClass traffic, ByteWriter frame) {
        int messages = 0;
        boolean named = false;
        Pieces pieces = cut[traffic.ordinal()];
        while (frame.length() + Frame.ITEM_BYTES * 2 < Transport.FRAME_BYTES) {
            if (pieces.isDone()) {
                Outgoing next = mayBegin(traffic) ? outbox(traffic).peek() : null;
                if (next == null || !fits(next, frame)) {
                    return messages;
                }
                named = named || name(traffic, frame);
                begin(next, pieces, frame);
                outbox(traffic).take();
                messages++;
            } else {
                named = named || name(traffic, frame);
                pieces.write(frame);
            }
        }
        return messages;
    }

    /** A small message is not cut; a large one fills the frame. */
    private static boolean fits(Outgoing message, ByteWriter frame) {
        return message.bytes() > Frame.CUT_BYTES
                || frame.length() + message.bytes() + Frame.ITEM_BYTES <= Transport.FRAME_BYTES;
    }

    private static boolean name(TrafficClass traffic, ByteWriter frame) {
        frame.varint(Frame.CLASS).varint(1).u8(traffic.ordinal());
        return true;
    }

    private void begin(Outgoing message, Pieces pieces, ByteWriter frame) {
        int i = message.type().traffic().ordinal();
        if (message.bytes() > Frame.CUT_BYTES) {
            ByteWriter body = new ByteWriter(message.bytes() + Frame.ITEM_BYTES);
            message.write(body, protocol);
            used[i] += body.length();
            pieces.begin(message.type().code(), body);
            pieces.write(frame);
            return;
        }
        frame.varint(message.type().code());
        int lengthBytes = message.bytes() < 100 ? 1 : 4;
        int at = frame.length();
        frame.reserve(lengthBytes);
        int before = frame.length();
        message.write(frame, protocol);
        used[i] += frame.length() - before;
        frame.patch(at, lengthBytes);
    }

    /**
     * Reads what a frame's header says of what this side has sent.
     *
     * @return false when it can't be: more is confirmed than was sent
     */
    boolean heard(long frame, ByteReader header) {
        if (frame > frames) {
            return false;
        }
        framesHeard = frame;
        for (int i = 0; i < TrafficClass.COUNT; i++) {
            if (!outboxes[i].confirm(header.varint())) {
                return false;
            }
            credit.set(i, header.varint());
        }
        return true;
    }

    /** A message that goes out in several frames. */
    private static final class Pieces {
        private @Nullable ByteWriter body;
        private int code;
        private int next;

        boolean isDone() {
            return body == null;
        }

        void begin(int code, ByteWriter body) {
            this.code = code;
            this.body = body;
            next = 0;
        }

        /** Writes as much as the frame has room for, or all that is left. */
        void write(ByteWriter frame) {
            ByteWriter from = body;
            if (from == null) {
                return;
            }
            ByteWriter head = new ByteWriter(Frame.ITEM_BYTES);
            if (next == 0) {
                head.varint(code).varint(from.length());
            }
            int room = Transport.FRAME_BYTES - frame.length() - Frame.ITEM_BYTES - head.length();
            int length = Math.min(room, from.length() - next);
            frame.varint(next == 0 ? Frame.FIRST_PIECE : Frame.NEXT_PIECE);
            frame.varint(head.length() + length);
            frame.range(head.array(), 0, head.length());
            frame.range(from.array(), next, next + length);
            next += length;
            if (next == from.length()) {
                body = null;
            }
        }
    }
}
