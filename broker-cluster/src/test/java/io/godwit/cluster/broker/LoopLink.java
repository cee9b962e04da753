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

/** One end of a link whose messages wait until the test lets them through. */
final class LoopLink extends TestLink {
    /** Delivered messages of each class that the sender may not know to be confirmed. */
    private static final int UNCONFIRMED = 2;

    /** What was offered. */
    record Sent(MessageType type, byte[] bytes, Unconfirmed asUnconfirmed) {}

    final Map<TrafficClass, Deque<Sent>> sent = new EnumMap<>(TrafficClass.class);
    private final Map<TrafficClass, Deque<Unconfirmed>> delivered =
            new EnumMap<>(TrafficClass.class);
    private final Map<TrafficClass, Long> offered = new EnumMap<>(TrafficClass.class);
    private final Map<TrafficClass, Long> received = new EnumMap<>(TrafficClass.class);
    private final NodeStart self;
    private final NodeStart peer;
    private final long number;
    boolean isDown;

    /** Publishes are much slower than everything else. */
    boolean isSlow;

    /** The same of what is retained, filters, pages, and what goes after sessions. */
    boolean isSharedSlow;

    /** There is no room for what may be refused. */
    boolean isFull;

    LoopLink(NodeStart self, NodeStart peer, long number) {
        this.self = self;
        this.peer = peer;
        this.number = number;
        for (TrafficClass each : TrafficClass.values()) {
            sent.put(each, new ArrayDeque<>());
            delivered.put(each, new ArrayDeque<>());
        }
    }

    Deque<Sent> sent(TrafficClass traffic) {
        return Objects.requireNonNull(sent.get(traffic));
    }

    NodeStart self() {
        return self;
    }

    /** Takes out the message that the peer gets next. */
    Sent deliver(TrafficClass traffic) {
        Sent next = sent(traffic).remove();
        received.merge(traffic, 1L, Long::sum);
        Deque<Unconfirmed> last = Objects.requireNonNull(delivered.get(traffic));
        last.add(next.asUnconfirmed());
        if (last.size() > UNCONFIRMED) {
            last.remove();
        }
        return next;
    }

    /** Returns what its sender does not know to have arrived, in the order of each class. */
    List<Unconfirmed> unconfirmed() {
        List<Unconfirmed> all = new ArrayList<>();
        for (TrafficClass each : TrafficClass.values()) {
            all.addAll(Objects.requireNonNull(delivered.get(each)));
            sent(each).forEach(left -> all.add(left.asUnconfirmed()));
        }
        return all;
    }

    /** Returns what the peer has received by it. */
    Resumed resumed() {
        return new Resumed(
                number,
                received.getOrDefault(TrafficClass.PUBLISHES, 0L),
                received.getOrDefault(TrafficClass.APPENDS, 0L),
                received.getOrDefault(TrafficClass.CONTROL, 0L),
                received.getOrDefault(TrafficClass.CONNECTIONS, 0L));
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
            TrafficClass traffic = message.type().traffic();
            long position = offered.merge(traffic, 1L, Long::sum);
            sent(traffic)
                    .add(
                            new Sent(
                                    message.type(),
                                    bytes(message),
                                    new Unconfirmed(number, position, message)));
        }
        return isTaken;
    }

    @Override
    public boolean hasRoom(TrafficClass traffic) {
        return !isFull || traffic == TrafficClass.CONTROL;
    }
}
