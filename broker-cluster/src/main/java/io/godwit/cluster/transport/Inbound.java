package io.godwit.cluster.transport;

import io.godwit.cluster.ClusterRule;
import io.godwit.cluster.ClusterRules;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * What comes in by one link: reads frames, hands messages to the rooms, counts what the peer may
 * send. Only who is inside the link's gate for receiving calls {@link #read}; any thread gives back
 * credit; who packs frames tells the peer.
 */
final class Inbound {
    private final PeerLink link;
    private final LinkName name;
    private final TrafficClass[] classes = TrafficClass.all();
    private final LinkSettings settings;
    private final Handlers handlers;
    private final NodeClock clock;
    private final LinkCounters counters;
    private final ClusterRules rules;
    private final ByteReader body = new ByteReader(new byte[0]);
    private final Partial[] partial = new Partial[TrafficClass.COUNT];
    private final PeerTime peerTime = new PeerTime();

    private final AtomicLongArray positions = new AtomicLongArray(TrafficClass.COUNT);
    private final AtomicLongArray received = new AtomicLongArray(TrafficClass.COUNT);
    private final AtomicLongArray taken = new AtomicLongArray(TrafficClass.COUNT);

    /** By class: credit and received bytes that the peer was told last. */
    private final AtomicLongArray creditTold = new AtomicLongArray(TrafficClass.COUNT);

    private final AtomicLongArray receivedTold = new AtomicLongArray(TrafficClass.COUNT);
    private volatile long bytes;
    private volatile long frames;
    private volatile boolean heard;

    Inbound(PeerLink link, LinkName name, LinkContext context) {
        this.link = link;
        this.name = name;
        this.settings = context.settings();
        this.handlers = context.handlers();
        this.clock = context.clock();
        this.counters = context.counters();
        this.rules = context.rules();
        for (int i = 0; i < TrafficClass.COUNT; i++) {
            partial[i] = new Partial();
        }
    }

    /** What a frame turned out to be. */
    enum Outcome {
        READ,
        /** Of another link between the two: dropped. */
        OLD,
        /** One before it has not come. */
        MISSING,
        BAD,
        CLOCK_AHEAD
    }

    /** Of all frames. */
    long bytes() {
        return bytes;
    }

    /** The number of the last frame that came. */
    long framesReceived() {
        return frames;
    }

    /** Whether something has come since this was asked last. */
    boolean takeHeard() {
        boolean was = heard;
        heard = false;
        return was;
    }

    long receivedBytes(TrafficClass traffic) {
        return received.get(traffic.ordinal()) - taken.get(traffic.ordinal());
    }

    long localMs(long peerMs) {
        return peerTime.localMs(peerMs);
    }

    /** The position up to which messages of a class were handed to the rooms. */
    long position(TrafficClass traffic) {
        return positions.get(traffic.ordinal());
    }

    /**
     * Gives credit back.
     *
     * @return whether the peer should be told soon
     */
    boolean take(TrafficClass traffic, int length) {
        taken.addAndGet(traffic.ordinal(), length);
        return isNews(traffic);
    }

    /** Whether the peer should hear soon of what it may send, or of what has arrived. */
    boolean hasNews() {
        for (TrafficClass each : classes) {
            if (isNews(each)) {
                return true;
            }
        }
        return false;
    }

    /** Whether anything has come that the peer was not told of. */
    boolean hasUntold() {
        for (int i = 0; i < classes.length; i++) {
            if (received.get(i) != receivedTold.get(i) || credit(classes[i]) != creditTold.get(i)) {
                return true;
            }
        }
        return false;
    }

    private boolean isNews(TrafficClass traffic) {
        int i = traffic.ordinal();
        long much = settings.creditBytes().of(traffic) / 4;
        return credit(traffic) - creditTold.get(i) >= much
                || received.get(i) - receivedTold.get(i) >= much;
    }

    private long credit(TrafficClass traffic) {
        return taken.get(traffic.ordinal()) + settings.creditBytes().of(traffic);
    }

    /** Tells the peer what has come and what may come. */
    void writeReceived(ByteWriter to) {
        for (TrafficClass each : classes) {
            int i = each.ordinal();
            // Bytes before position: what is told as received is never more than the position says.
            receivedTold.set(i, received.get(i));
            to.varint(positions.get(i));
            long credit = credit(each);
            creditTold.set(i, credit);
            to.varint(credit);
        }
    }

    Outcome read(byte[] frame, int offset, int length, Outbound outbound) {
        ByteReader in = new ByteReader(frame, offset + 1, offset + length);
        try {
            if (!LinkName.read(in).equals(name) && rules.holds(ClusterRule.LINK_NAMES)) {
                return Outcome.OLD;
            }
            long number = in.varint();
            if (number != frames + 1 && rules.holds(ClusterRule.FRAME_NUMBERS)) {
                return number <= frames ? Outcome.OLD : Outcome.MISSING;
            }
            long framesHeard = in.varint();
            if (!clock.observe(in.long8())) {
                return Outcome.CLOCK_AHEAD;
            }
            peerTime.read(in.long8(), clock.monotonicMs());
            if (!outbound.heard(framesHeard, in)) {
                return Outcome.BAD;
            }
            frames = number;
            long bytesBefore = bytes;
            bytes = bytesBefore + length;
            heard = true;
            readItems(in, frame);
            return Outcome.READ;
        } catch (IndexOutOfBoundsException e) {
            return Outcome.BAD;
        }
    }

    private void readItems(ByteReader in, byte[] frame) {
        TrafficClass traffic = TrafficClass.CONTROL;
        int messages = 0;
        while (!in.isAtEnd()) {
            int code = in.smallInt();
            int length = in.size();
            int end = in.next() + length;
            body.open(frame, in.next(), end);
            switch (code) {
                case Frame.CLASS -> traffic = trafficClass(body.u8());
                case Frame.FIRST_PIECE -> {
                    admit(traffic);
                    int type = body.smallInt();
                    partial[traffic.ordinal()].begin(type, body.smallInt());
                    messages += addPiece(traffic);
                }
                case Frame.NEXT_PIECE -> messages += addPiece(traffic);
                default -> {
                    if (code >= MessageType.CODE_MIN) {
                        admit(traffic);
                        received.addAndGet(traffic.ordinal(), length);
                        handle(traffic, code, length);
                        messages++;
                    }
                }
            }
            in.skipTo(end);
        }
        if (messages > 0) {
            counters.add(LinkMetric.MESSAGES_RECEIVED, messages);
            handlers.handled(link);
        }
    }

    private int addPiece(TrafficClass traffic) {
        Partial whole = partial[traffic.ordinal()];
        int before = whole.length();
        whole.add(body.rest());
        received.addAndGet(traffic.ordinal(), whole.length() - before);
        if (!whole.isWhole()) {
            return 0;
        }
        int length = whole.length();
        body.open(whole.take(), 0, length);
        handle(traffic, whole.code(), length);
        return 1;
    }

    private void handle(TrafficClass traffic, int code, int length) {
        int i = traffic.ordinal();
        Handlers.Entry entry = handlers.of(code);
        boolean done = true;
        if (entry == null) {
            counters.increment(LinkMetric.MESSAGES_UNKNOWN);
        } else if (entry.type().traffic() != traffic) {
            throw new IndexOutOfBoundsException(entry.type() + " among " + traffic);
        } else {
            done = entry.handler().onMessage(link, entry.type(), body, length);
        }
        positions.lazySet(i, positions.get(i) + 1);
        if (done) {
            taken.addAndGet(i, length);
        }
    }

    /** A message may begin only within the credit that the peer was told. */
    private void admit(TrafficClass traffic) {
        int i = traffic.ordinal();
        if (received.get(i) >= creditTold.get(i) && rules.holds(ClusterRule.CREDITS)) {
            throw new IndexOutOfBoundsException(traffic + " beyond its credit");
        }
    }

    private TrafficClass trafficClass(int code) {
        if (code >= classes.length) {
            throw new IndexOutOfBoundsException("class " + code);
        }
        return classes[code];
    }
}
