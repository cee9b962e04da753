package io.godwit.cluster.broker;

import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** A subscriber, with a durable session or a transient one. */
final class FailoverSubscriber extends FailoverClient {
    private final String filter;
    private final boolean isDurable;
    private boolean isSubscribed;

    /** How many messages had been sent by then: what had come before may come again. */
    private int subscribedAfter;

    /** Messages that have come; those of a transient subscriber by this connection alone. */
    private final List<Integer> received = new ArrayList<>();

    /**
     * Whether all nodes knew of the subscription when its SUBACK came, or since: it does not wait
     * for nodes that are not heard, and what these publish meanwhile comes when it is sent again.
     */
    private boolean isKnownToAll;

    /** By packet id, messages of QoS 2 whose PUBREL has not come. */
    private final Map<Integer, Integer> held = new HashMap<>();

    private record Line(int publisher, int topic, int qos) {}

    FailoverSubscriber(FailoverSimulation run, String id, boolean isDurable, String filter) {
        super(run, id, isDurable);
        this.isDurable = isDurable;
        this.filter = filter;
    }

    boolean isSubscribed() {
        return isSubscribed;
    }

    @Override
    boolean isWaiting() {
        return !isSubscribed;
    }

    @Override
    void onConnected(TestClient to) {
        if (!isSubscribed) {
            to.subscribe(1, 2, filter);
        }
    }

    @Override
    void onLost(boolean wasConnected) {
        if (!isDurable) {
            order();
            received.clear();
            held.clear();
            isSubscribed = false;
            subscribedAfter = Integer.MAX_VALUE; // No order is judged before the next SUBACK.
        }
    }

    @Override
    void act(TestClient to) {}

    @Override
    void onPacket(TestClient from, Packet packet) {
        switch (packet) {
            case Packet.SubAck subAck -> {
                isSubscribed = true;
                subscribedAfter = run.sentCount();
                isKnownToAll = nodeHearsAll();
            }
            case Packet.Publish publish -> onPublish(from, publish);
            case Packet.Ack ack -> {
                if (ack.type() == PacketType.PUBREL) {
                    held.remove(ack.packetId());
                    from.ack(PacketType.PUBCOMP, ack.packetId());
                }
            }
            default -> {}
        }
    }

    private void onPublish(TestClient from, Packet.Publish publish) {
        int number = Integer.parseInt(new String(publish.payload(), StandardCharsets.UTF_8));
        run.note(
                "%s gets %s of QoS %s under %s%s%s",
                id,
                number,
                publish.qos(),
                publish.packetId(),
                publish.dup() ? " dup" : "",
                publish.retain() ? " retained" : "");
        run.count("received");
        if (!isKnownToAll) {
            subscribedAfter = run.sentCount();
            isKnownToAll = nodeHearsAll();
        }
        if (publish.retain()) {
            onReplayed(from, publish, number);
        } else if (publish.qos() == 0) {
            require(!received.contains(number), number + " of QoS 0 came twice");
            run.count("QoS 0 received");
            received.add(number);
        } else if (publish.qos() == 1) {
            if (received.contains(number)) {
                run.count("QoS 1 twice");
            }
            received.add(number);
            from.ack(PacketType.PUBACK, publish.packetId());
        } else if (publish.qos() == 2) {
            Integer before = held.put(publish.packetId(), number);
            if (before == null) {
                onQos2(number);
            } else {
                require(before == number, "a packet id of " + before + " names " + number);
            }
            from.ack(PacketType.PUBREC, publish.packetId());
        }
    }

    /** It was there before the subscription; it may come once more, if it is on its way here. */
    private void onReplayed(TestClient from, Packet.Publish publish, int number) {
        require(run.sent(number).isRetained(), number + " is not retained");
        run.count("retained received");
        if (publish.qos() == 2) {
            held.put(publish.packetId(), number);
            from.ack(PacketType.PUBREC, publish.packetId());
        } else if (publish.qos() == 1) {
            from.ack(PacketType.PUBACK, publish.packetId());
        }
    }

    private void onQos2(int number) {
        if (received.contains(number)) {
            boolean mayComeTwice = !isDurable && run.mayBothPublish(number);
            require(mayComeTwice, number + " of QoS 2 came twice");
            run.count("QoS 2 twice to a transient session");
        }
        received.add(number);
    }

    private boolean wants(int number) {
        FailoverSimulation.Sent sent = run.sent(number);
        return filter.equals("t/#")
                ? sent.topic() >= 0
                : filter.equals(FailoverSimulation.topic(sent.topic()));
    }

    /** Returns what it has to have, and has not. */
    Set<Integer> missing() {
        Set<Integer> missing = new TreeSet<>();
        run.acknowledged().stream().filter(this::wants).forEach(missing::add);
        received.forEach(missing::remove);
        return missing;
    }

    boolean isComplete() {
        return isConnected && isSubscribed && (!isDurable || held.isEmpty() && missing().isEmpty());
    }

    /** Everything has come that is to come. */
    void judge() {
        require(!isDurable || missing().isEmpty(), "lacks " + missing());
        require(held.isEmpty(), "has no PUBREL for " + held);
        order();
    }

    /**
     * Of each publisher, topic and QoS, as they came first. What a transient subscriber has missed,
     * since its node was out of reach, comes when it is sent again.
     */
    private void order() {
        int missedUpTo = isDurable ? 0 : missedUpTo();
        Map<Line, Integer> last = new HashMap<>();
        Set<Integer> before = new HashSet<>();
        for (int number : received) {
            FailoverSimulation.Sent sent = run.sent(number);
            if (before.add(number) && !sent.isWill() && number > subscribedAfter) {
                Line line = new Line(sent.publisher(), sent.topic(), sent.qos());
                Integer previous = last.put(line, number);
                boolean isLate = previous != null && previous > number;
                if (isLate && number <= missedUpTo) {
                    run.count("missed and out of order");
                    continue;
                }
                if (isLate && run.mayComeLate(number)) {
                    run.count("QoS 0 out of order");
                    continue;
                }
                require(
                        !isLate,
                        number + " of publisher " + sent.publisher() + " came behind " + previous);
            }
        }
    }
}
