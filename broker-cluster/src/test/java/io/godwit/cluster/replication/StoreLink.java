package io.godwit.cluster.replication;

import io.godwit.cluster.transport.LinkState;
import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.Outgoing;
import io.godwit.cluster.transport.TestLink;
import io.godwit.cluster.transport.TrafficClass;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * One end of a link between two starts: messages of a class arrive in order and late. The bytes
 * that the peer has not taken in are the sender's credit.
 */
final class StoreLink extends TestLink {
    private static final int LATENCY_MICROS = 3_000;

    private record Message(MessageType type, byte[] bytes) {}

    /** What is under way in one class. */
    private static final class Way {
        final Deque<Message> messages = new ArrayDeque<>();
        long untaken;
        boolean isDue;
        boolean isFull;
    }

    private final StoreNode.Process process;
    private final NodeStart peer;
    private final long number;
    private final long roomBytes;
    private final Map<TrafficClass, Way> ways = new EnumMap<>(TrafficClass.class);

    @SuppressWarnings("NullAway.Init") // set by connect(...)
    private StoreLink other;

    private boolean isOpen = true;
    final long bornMicros;

    /** Nothing that is sent here arrives: it waits. */
    boolean isSilent;

    StoreLink(StoreNode.Process process, NodeStart peer, long number, long roomBytes) {
        this.process = process;
        this.peer = peer;
        this.number = number;
        this.roomBytes = roomBytes;
        bornMicros = process.cluster().scheduler.micros();
        for (TrafficClass each : TrafficClass.values()) {
            ways.put(each, new Way());
        }
    }

    void connect(StoreLink to) {
        other = to;
    }

    private Way way(TrafficClass traffic) {
        return Objects.requireNonNull(ways.get(traffic));
    }

    @Override
    public NodeStart peer() {
        return peer;
    }

    @Override
    public long number() {
        return number;
    }

    @Override
    public LinkState state() {
        if (isOpen && process.cluster().takesOver && other.process.node().isSilent()) {
            return LinkState.SILENT;
        }
        return isOpen ? LinkState.UP : LinkState.DOWN;
    }

    /** Nothing goes through any more, at either end. What was under way is lost. */
    void cut() {
        isOpen = false;
        other.isOpen = false;
        process.onLinkDown(this);
        other.process.onLinkDown(other);
    }

    boolean isOpen() {
        return isOpen;
    }

    @Override
    public boolean hasRoom(TrafficClass traffic) {
        Way way = way(traffic);
        way.isFull |= way.untaken >= roomBytes;
        return way.untaken < roomBytes;
    }

    @Override
    public boolean offer(Outgoing message) {
        TrafficClass traffic = message.type().traffic();
        Way way = way(traffic);
        boolean hasRoom = traffic == TrafficClass.CONTROL || way.untaken < 2 * roomBytes;
        if (!isOpen || !hasRoom) {
            way.isFull = true;
            return false;
        }
        byte[] bytes = bytes(message);
        way.messages.add(new Message(message.type(), bytes));
        way.untaken += bytes.length;
        send(way);
        return true;
    }

    private void send(Way way) {
        if (!way.isDue && isOpen && !isSilent && !way.messages.isEmpty()) {
            way.isDue = true;
            int latency = process.random().nextInt(LATENCY_MICROS);
            process.cluster().scheduler.background(latency, () -> deliver(way));
        }
    }

    private void deliver(Way way) {
        way.isDue = false;
        if (!isOpen || isSilent) {
            return;
        }
        if (other.process.isPaused()) {
            other.process.later(0, () -> send(way));
            return;
        }
        for (int i = 1 + process.random().nextInt(4); i > 0 && !way.messages.isEmpty(); i--) {
            Message next = way.messages.remove();
            if (other.process.receive(other, next.type(), next.bytes())) {
                other.taken(next.type().traffic(), next.bytes().length);
            }
        }
        send(way);
    }

    /** What is sent here arrives again. */
    void endSilence() {
        isSilent = false;
        ways.values().forEach(this::send);
    }

    @Override
    public void taken(TrafficClass traffic, int length) {
        other.returned(traffic, length);
    }

    /** The peer has given credit back. */
    private void returned(TrafficClass traffic, int length) {
        Way way = way(traffic);
        way.untaken -= length;
        if (way.untaken < 0) {
            throw new IllegalStateException("more was given back than was sent");
        }
        if (way.isFull && way.untaken < roomBytes / 2) {
            way.isFull = false;
            process.later(
                    process.random().nextInt(LATENCY_MICROS),
                    () -> process.onLinkRoom(this, traffic));
        }
    }

    @Override
    public void broken() {
        throw new IllegalStateException("node " + peer.server() + " has sent what can't be read");
    }

    /** Bytes of parts that the peer has not taken in: records may be on their way at any time. */
    long untakenBytes() {
        return way(TrafficClass.APPENDS).untaken;
    }
}
