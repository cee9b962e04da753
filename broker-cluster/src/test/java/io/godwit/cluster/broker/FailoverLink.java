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
 * One end of a link between two starts: messages of a class arrive in order and late. The bytes
 * that the peer has not taken in are the sender's credit.
 */
final class FailoverLink extends TestLink {
    /** Delivered messages of each class that the sender may not know to have arrived. */
    private static final int UNCONFIRMED = 2;

    private record Message(MessageType type, byte[] bytes, Unconfirmed asUnconfirmed) {}

    /** Holds the messages of one traffic class that have not arrived yet. */
    private static final class Way {
        final Deque<Message> messages = new ArrayDeque<>();
        final Deque<Unconfirmed> delivered = new ArrayDeque<>();
        long offered;
        long received;
        long untaken;
        boolean isDue;
        boolean isFull;
    }

    private final FailoverSimulation run;
    final FailoverNode.Process process;
    private final NodeStart peer;
    private final long number;
    private final Map<TrafficClass, Way> ways = new EnumMap<>(TrafficClass.class);

    @SuppressWarnings("NullAway.Init") // set by connect(...)
    FailoverLink other;

    /** Its node was told of it, and not of its end. */
    boolean isUp;

    /** Nothing goes through any more. */
    boolean isCut;

    /** Its node was told that nothing is heard. */
    boolean isSilent;

    /** Nothing that is sent here arrives: it waits. */
    boolean isBlocked;

    /** Since when nothing was heard by it. */
    long quietSince;

    FailoverLink(
            FailoverSimulation run, FailoverNode.Process process, NodeStart peer, long number) {
        this.run = run;
        this.process = process;
        this.peer = peer;
        this.number = number;
        for (TrafficClass each : TrafficClass.values()) {
            ways.put(each, new Way());
        }
    }

    void connect(FailoverLink to) {
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
        if (!isUp) {
            return LinkState.DOWN;
        }
        return isSilent ? LinkState.SILENT : LinkState.UP;
    }

    /** Returns what its sender does not know to have arrived, in the order of each class. */
    List<Unconfirmed> unconfirmed() {
        List<Unconfirmed> all = new ArrayList<>();
        for (TrafficClass each : TrafficClass.values()) {
            all.addAll(way(each).delivered);
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

    @Override
    public boolean hasRoom(TrafficClass traffic) {
        Way way = way(traffic);
        way.isFull |= way.untaken >= run.roomBytes;
        return way.untaken < run.roomBytes;
    }

    @Override
    public long waitingBytes(TrafficClass traffic) {
        return way(traffic).untaken;
    }

    @Override
    public boolean offer(Outgoing message) {
        TrafficClass traffic = message.type().traffic();
        Way way = way(traffic);
        boolean hasRoom = traffic == TrafficClass.CONTROL || way.untaken < 2 * run.roomBytes;
        if (!isUp || !hasRoom) {
            way.isFull = true;
            return false;
        }
        byte[] bytes = bytes(message);
        way.messages.add(
                new Message(
                        message.type(), bytes, new Unconfirmed(number, ++way.offered, message)));
        way.untaken += bytes.length;
        run.watch.onSent(process.node().server, peer.server(), message.type());
        send(way);
        return true;
    }

    private void send(Way way) {
        if (!way.isDue && !isCut && !isBlocked && !way.messages.isEmpty()) {
            way.isDue = true;
            run.scheduler.background(run.random.nextInt(run.latencyMicros), () -> deliver(way));
        }
    }

    private void deliver(Way way) {
        way.isDue = false;
        if (isCut || isBlocked || other.process.isOver()) {
            return;
        }
        if (other.process.isPaused()) {
            other.process.later(0, () -> send(way));
            return;
        }
        if (!other.isUp) {
            send(way); // The other end has not heard of it yet.
            return;
        }
        for (int i = 1 + run.random.nextInt(4); i > 0 && !way.messages.isEmpty(); i--) {
            Message next = way.messages.remove();
            way.received++;
            way.delivered.add(next.asUnconfirmed);
            if (way.delivered.size() > UNCONFIRMED) {
                way.delivered.remove();
            }
            other.process.receive(other, next.type(), next.bytes());
            run.watch.onReceived(process.node().server, peer.server(), next.type());
        }
        other.process.received(other);
        send(way);
    }

    /** Lets what this side sends arrive again. */
    void unblock() {
        isBlocked = false;
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
        if (way.isFull && way.untaken < run.roomBytes / 2) {
            way.isFull = false;
            process.later(
                    run.random.nextInt(run.latencyMicros),
                    () -> {
                        if (isUp) {
                            process.part().onRoom(this, traffic);
                        }
                    });
        }
    }

    @Override
    public void broken() {
        throw new IllegalStateException("node " + peer.server() + " has sent what can't be read");
    }
}
