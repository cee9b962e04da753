package io.godwit.cluster.broker;

import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** A member of the one shared group, with a durable session. */
final class FailoverMember extends FailoverClient {
    static final String FILTER = "$share/g/t/#";

    private final Received group;
    private boolean isSubscribed;

    /** By packet id, messages of QoS 2 whose PUBREL has not come. */
    private final Map<Integer, Integer> held = new HashMap<>();

    /** Holds the messages that all members of the group together have received. */
    static final class Received {
        private final FailoverSimulation run;
        private final Set<Integer> all = new HashSet<>();

        Received(FailoverSimulation run) {
            this.run = run;
        }

        /** Returns what one of them has to have, and none has. */
        Set<Integer> missing() {
            Set<Integer> missing = new TreeSet<>();
            run.acknowledged().stream()
                    .filter(each -> run.sent(each).topic() >= 0)
                    .forEach(missing::add);
            missing.removeAll(all);
            return missing;
        }
    }

    FailoverMember(FailoverSimulation run, String id, Received group) {
        super(run, id, true);
        this.group = group;
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
            to.subscribe(1, 2, FILTER);
        }
    }

    @Override
    void onLost(boolean wasConnected) {}

    @Override
    void act(TestClient to) {}

    @Override
    void onPacket(TestClient from, Packet packet) {
        switch (packet) {
            case Packet.SubAck subAck -> isSubscribed = true;
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
                "%s gets %s of QoS %s under %s%s",
                id, number, publish.qos(), publish.packetId(), publish.dup() ? " dup" : "");
        run.count("received by the group");
        if (publish.qos() == 0) {
            require(group.all.add(number), number + " of QoS 0 came twice to the group");
            run.count("QoS 0 received by the group");
        } else if (publish.qos() == 1) {
            group.all.add(number);
            from.ack(PacketType.PUBACK, publish.packetId());
        } else if (publish.qos() == 2) {
            Integer before = held.put(publish.packetId(), number);
            if (before == null) {
                onQos2(number);
            } else {
                require(before == number, "a packet id of " + before + " names " + number);
                run.count("QoS 2 sent again to a member");
            }
            from.ack(PacketType.PUBREC, publish.packetId());
        }
    }

    /**
     * Only what its publisher has sent again may come twice: the node that takes it in then may
     * choose another one than before.
     */
    private void onQos2(int number) {
        if (!group.all.add(number)) {
            require(run.wasSentAgain(number), number + " of QoS 2 came twice to the group");
            run.count("QoS 2 twice to the group");
        }
    }

    boolean isComplete() {
        return isConnected && isSubscribed && held.isEmpty() && group.missing().isEmpty();
    }

    /** Everything has come that is to come. */
    void judge() {
        require(group.missing().isEmpty(), "and the others lack " + group.missing());
        require(held.isEmpty(), "has no PUBREL for " + held);
    }

    Set<Integer> missing() {
        return group.missing();
    }
}
