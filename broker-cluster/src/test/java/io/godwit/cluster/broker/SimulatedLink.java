package io.godwit.cluster.broker;

import io.godwit.cluster.transport.LinkState;
import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.Outgoing;
import io.godwit.cluster.transport.Resumed;
import io.godwit.cluster.transport.TestLink;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.cluster.transport.Unconfirmed;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * One end of a link between two starts: messages of a class arrive in order, late, and only while
 * the link is up at both ends.
 */
final class SimulatedLink extends TestLink {
    private record Message(MessageType type, byte[] bytes, Unconfirmed asUnconfirmed) {}

    /** What is under way in one class. */
    private static final class Way {
        final TrafficClass traffic;
        final Deque<Message> messages = new ArrayDeque<>();
        long bytes;
        long offered;
        long received;
        boolean scheduled;
        boolean full;

        Way(TrafficClass traffic) {
            this.traffic = traffic;
        }
    }

    private final SimulatedLinks links;
    private final NodeStart self;
    private final NodeStart peer;
    private final long number;
    private final Map<TrafficClass, Way> ways = new EnumMap<>(TrafficClass.class);
    private final Map<TrafficClass, Long> kept = new EnumMap<>(TrafficClass.class);

    @SuppressWarnings("NullAway.Init") // set by connect(...)
    private SimulatedLink other;

    /** The room is told of it, and has not been told of its end. */
    boolean open;

    /** The room was told that nothing is heard. */
    boolean silent;

    /** Nothing gets through any more. */
    boolean cut;

    SimulatedLink(SimulatedLinks links, NodeStart self, NodeStart peer, long number) {
        this.links = links;
        this.self = self;
        this.peer = peer;
        this.number = number;
        for (TrafficClass traffic : TrafficClass.values()) {
            ways.put(traffic, new Way(traffic));
            kept.put(traffic, 0L);
        }
    }

    private Way way(TrafficClass traffic) {
        return Objects.requireNonNull(ways.get(traffic));
    }

    void connect(SimulatedLink to) {
        other = to;
    }

    /** Returns what its sender does not know to have arrived. */
    List<Unconfirmed> unconfirmed() {
        List<Unconfirmed> all = new ArrayList<>();
        for (TrafficClass each : TrafficClass.values()) {
            way(each).messages.forEach(left -> all.add(left.asUnconfirmed()));
        }
        return all;
    }

    /** Returns what the peer has received by it. */
    Resumed resumed() {
        return new Resumed(
                number,
                way(TrafficClass.PUBLISHES).received,
                way(TrafficClass.APPENDS).received,
                way(TrafficClass.CONTROL).received,
                way(TrafficClass.CONNECTIONS).received);
    }

    NodeStart self() {
        return self;
    }

    @Override
    public NodeStart peer() {
        return peer;
    }

    @Override
    public LinkState state() {
        return open ? LinkState.UP : LinkState.DOWN;
    }

    @Override
    public long number() {
        return number;
    }

    @Override
    public boolean offer(Outgoing message) {
        if (!open) {
            return false;
        }
        byte[] bytes = bytes(message);
        Way way = way(message.type().traffic());
        way.messages.add(
                new Message(
                        message.type(), bytes, new Unconfirmed(number, ++way.offered, message)));
        way.bytes += bytes.length;
        pump(way);
        return true;
    }

    private void pump(Way way) {
        if (!way.scheduled && !cut && !way.messages.isEmpty()) {
            way.scheduled = true;
            links.later(() -> deliver(way));
        }
    }

    private void deliver(Way way) {
        way.scheduled = false;
        if (cut || !open) {
            return;
        }
        if (!other.open || links.isPaused(other)) {
            pump(way); // The other end has not heard of it yet, or hears nothing.
            return;
        }
        int most = links.burst();
        while (most-- > 0 && !way.messages.isEmpty()) {
            Message message = way.messages.remove();
            way.bytes -= message.bytes().length;
            way.received++;
            other.arrived(message);
        }
        other.links.handled(other);
        if (way.full && way.bytes < links.roomBytes() / 2) {
            way.full = false;
            links.room(this, way.traffic);
        }
        pump(way);
    }

    private void arrived(Message message) {
        TrafficClass traffic = message.type().traffic();
        kept.merge(traffic, (long) message.bytes().length, Long::sum);
        if (links.arrived(this, message.type(), message.bytes())) {
            taken(traffic, message.bytes().length);
        }
    }

    @Override
    public boolean hasRoom(TrafficClass traffic) {
        Way way = way(traffic);
        way.full |= way.bytes >= links.roomBytes();
        return way.bytes < links.roomBytes();
    }

    @Override
    public long waitingBytes(TrafficClass traffic) {
        return way(traffic).bytes;
    }

    @Override
    public long receivedBytes(TrafficClass traffic) {
        return Objects.requireNonNull(kept.get(traffic));
    }

    @Override
    public void taken(TrafficClass traffic, int length) {
        if (kept.merge(traffic, (long) -length, Long::sum) < 0) {
            throw new IllegalStateException("more was given back than came");
        }
    }
}
