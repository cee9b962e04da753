package io.godwit.cluster.broker;

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

/** One end of a link whose messages wait until the test lets them through. */
final class LoopLink extends TestLink {
    /** What was offered. */
    record Sent(MessageType type, byte[] bytes) {}

    final Map<TrafficClass, Deque<Sent>> sent = new EnumMap<>(TrafficClass.class);
    private final NodeStart peer;
    private final long number;
    boolean isDown;

    /** Publishes are much slower than everything else. */
    boolean isSlow;

    /** The same of what is retained, filters, pages, and what goes after sessions. */
    boolean isSharedSlow;

    /** There is no room for what may be refused. */
    boolean isFull;

    LoopLink(NodeStart peer, long number) {
        this.peer = peer;
        this.number = number;
        for (TrafficClass each : TrafficClass.values()) {
            sent.put(each, new ArrayDeque<>());
        }
    }

    Deque<Sent> sent(TrafficClass traffic) {
        return Objects.requireNonNull(sent.get(traffic));
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
        return isDown ? LinkState.DOWN : LinkState.UP;
    }

    @Override
    public boolean offer(Outgoing message) {
        boolean isTaken = !isDown && hasRoom(message.type().traffic());
        if (isTaken) {
            sent(message.type().traffic()).add(new Sent(message.type(), bytes(message)));
        }
        return isTaken;
    }

    @Override
    public boolean hasRoom(TrafficClass traffic) {
        return !isFull || traffic == TrafficClass.CONTROL;
    }
}
