package io.godwit.cluster.broker;

import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Topic;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A client with a durable session at one node, which publishes and connects to one shard after the
 * other. There it sends again what is not acknowledged, in order.
 */
final class SwitchOverPublisher {
    private static final int WINDOW = 12;

    private final SwitchOverSimulation run;
    private final int number;
    private final int server;
    final Set<Integer> acknowledged = new HashSet<>();

    /** By packet id, in this order; of QoS 2 until PUBCOMP. */
    private final Map<Integer, SwitchOverSimulation.Sent> underWay = new LinkedHashMap<>();

    private final Set<Integer> received = new HashSet<>();
    private @Nullable TestClient client;
    private boolean hasConnAck;
    private int seen;
    private int packetIds;

    SwitchOverPublisher(SwitchOverSimulation run, int number, int server) {
        this.run = run;
        this.number = number;
        this.server = server;
    }

    void act() {
        see();
        if (!run.isUp(server)) {
            return;
        }
        TestClient online = client;
        if (online == null || run.random.nextInt(8) == 0) {
            connect();
        } else if (hasConnAck) {
            int count = run.random.nextInt(1, 4);
            for (int i = 0; i < count && underWay.size() < WINDOW; i++) {
                publish(online);
            }
        }
    }

    private void connect() {
        int shard = run.random.nextInt(SourceNode.SHARDS);
        run.note("p%s connects at shard %s of %s", number, shard, server);
        client = run.open(server, shard);
        client.connect("p" + number, false, 9_999, 0);
        hasConnAck = false;
        seen = 0;
    }

    void lost(int ended) {
        if (ended == server) {
            client = null;
            underWay.values().stream()
                    .filter(each -> each.retained() && each.qos() == 2)
                    .forEach(each -> run.anyOrder.add(each.number()));
        }
    }

    private void publish(TestClient to) {
        int packetId = ++packetIds;
        SwitchOverSimulation.Sent made =
                new SwitchOverSimulation.Sent(
                        run.sent.size() + 1,
                        number,
                        run.random.nextInt(SwitchOverSimulation.topics()),
                        1 + run.random.nextInt(2),
                        run.random.nextInt(4) == 0);
        run.sent.put(made.number(), made);
        underWay.put(packetId, made);
        run.note("p%s publishes %s", number, made);
        run.count("published");
        send(to, packetId, made, false);
    }

    private static void send(
            TestClient to, int packetId, SwitchOverSimulation.Sent message, boolean dup) {
        to.send(
                new Packet.Publish(
                        Topic.of("t/" + message.topic()),
                        message.qos(),
                        dup,
                        message.retained(),
                        packetId,
                        Properties.NONE,
                        String.valueOf(message.number()).getBytes(StandardCharsets.UTF_8)));
    }

    void see() {
        TestClient from = client;
        if (from == null) {
            return;
        }
        List<Packet> packets = from.packets();
        for (; client == from && seen < packets.size(); seen++) {
            switch (packets.get(seen)) {
                case Packet.ConnAck connAck -> {
                    hasConnAck = true;
                    sendAgain(from);
                }
                case Packet.Disconnect disconnect -> client = null;
                case Packet.Ack ack -> onAck(from, ack);
                default -> {}
            }
        }
        if (client == from && from.isClosed()) {
            client = null;
        }
    }

    private void sendAgain(TestClient to) {
        underWay.forEach((packetId, message) -> {
            if (received.contains(message.number())) {
                to.ack(PacketType.PUBREL, packetId);
            } else {
                run.note("p%s sends %s again", number, message.number());
                send(to, packetId, message, true);
            }
        });
    }

    private void onAck(TestClient from, Packet.Ack ack) {
        SwitchOverSimulation.Sent message = underWay.get(ack.packetId());
        if (ack.type() == PacketType.PUBREC) {
            from.ack(PacketType.PUBREL, ack.packetId());
        } else {
            underWay.remove(ack.packetId());
        }
        if (message != null && received.add(message.number())) {
            run.note("%s is acknowledged", message.number());
            run.count("acknowledged");
            acknowledged.add(message.number());
        }
    }

    void atEnd() {
        if (run.isDead(server)) {
            return;
        }
        for (int i = 0; i < 30 && !(underWay.isEmpty() && client != null && hasConnAck); i++) {
            if (client == null) {
                connect();
            }
            run.passAtEnd();
            see();
        }
        SwitchOverSimulation.require(
                underWay.isEmpty(), "p" + number + " has no answer to " + underWay.values());
    }
}
