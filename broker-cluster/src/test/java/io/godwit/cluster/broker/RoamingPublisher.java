package io.godwit.cluster.broker;

import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A client with a durable session that publishes to all subscribers and connects where it likes,
 * also in the middle of a handshake: there it sends again what is not acknowledged, in order.
 */
final class RoamingPublisher {
    private final RoamingClients run;
    private final SplittableRandom random;
    private final String id;
    private final int number;

    /** By packet id, in this order; those of QoS 2 until PUBCOMP. */
    private final Map<Integer, Sent> underWay = new LinkedHashMap<>();

    private @Nullable TestClient client;
    private int at;
    private int seen;
    private int packetIds;
    private boolean hasSession;
    private boolean hasConnAck;

    private static final class Sent {
        final int number;
        final String topic;
        final int qos;
        boolean isReceived;

        Sent(int number, String topic, int qos) {
            this.number = number;
            this.topic = topic;
            this.qos = qos;
        }
    }

    RoamingPublisher(RoamingClients run, SplittableRandom random) {
        this.run = run;
        this.random = random;
        this.number = ++run.clients;
        this.id = "r" + number;
    }

    void act() {
        see();
        if (client == null || random.nextInt(8) == 0) {
            connect();
        } else if (random.nextInt(10) == 0) {
            run.note("%s is cut", id);
            client.cut();
            client = null;
        } else if (hasConnAck) {
            publish(client, random.nextInt(3));
        }
    }

    private void connect() {
        int server = 1 + random.nextInt(RoamingClients.NODES);
        if (run.isOpen(server)) {
            run.note("%s connects at %s", id, server);
            client = run.nodes.node(server).connectAs(id, false, 100_000);
            at = server;
            seen = 0;
            hasConnAck = false;
        }
    }

    void lost(int server) {
        if (at == server) {
            client = null;
        }
    }

    private void publish(TestClient to, int count) {
        for (int i = 0; i < count && underWay.size() < 20; i++) {
            RoamingSubscriber subscriber =
                    run.subscribers.get(random.nextInt(run.subscribers.size()));
            int packetId = ++packetIds;
            Sent sent = new Sent(++run.messages, subscriber.topic, 1 + random.nextInt(2));
            underWay.put(packetId, sent);
            for (RoamingSubscriber each : run.subscribers) {
                if (each.topic.equals(sent.topic)) {
                    each.isSent(sent.number, new RoamingSubscriber.Sent(number, sent.qos));
                }
            }
            run.note("%s publishes %s of QoS %s to %s", id, sent.number, sent.qos, sent.topic);
            send(to, packetId, sent, false);
        }
    }

    private static void send(TestClient to, int packetId, Sent sent, boolean dup) {
        byte[] payload = String.valueOf(sent.number).getBytes(StandardCharsets.UTF_8);
        to.send(
                new Packet.Publish(
                        Topic.of(sent.topic),
                        sent.qos,
                        dup,
                        false,
                        packetId,
                        Properties.NONE,
                        payload));
    }

    private void sendAgain(TestClient to) {
        underWay.forEach((packetId, sent) -> {
            run.note("%s sends %s again", id, sent.number);
            run.count(sent.isReceived ? "released again" : "sent again");
            if (sent.isReceived) {
                to.ack(PacketType.PUBREL, packetId);
            } else {
                run.sentAgain.add(sent.number);
                send(to, packetId, sent, true);
            }
        });
    }

    void see() {
        TestClient from = client;
        if (from == null) {
            return;
        }
        List<Packet> packets = from.packets();
        for (; client == from && seen < packets.size(); seen++) {
            switch (packets.get(seen)) {
                case Packet.ConnAck connAck -> onConnAck(from, connAck);
                case Packet.Disconnect disconnect -> client = null;
                case Packet.Ack ack -> onAck(from, ack);
                default -> {}
            }
        }
        if (client == from && from.isClosed()) {
            client = null;
        }
    }

    private void onConnAck(TestClient from, Packet.ConnAck connAck) {
        run.note("%s gets %s", id, connAck);
        if (connAck.code() != 0) {
            client = null;
            require(
                    run.breaks && connAck.code() == ReasonCode.SERVER_UNAVAILABLE.code(),
                    "is refused");
            return;
        }
        require(connAck.sessionPresent() || !hasSession, "has no session any more");
        hasSession = true;
        hasConnAck = true;
        sendAgain(from);
    }

    private void onAck(TestClient from, Packet.Ack ack) {
        Sent sent = underWay.get(ack.packetId());
        if (ack.type() == PacketType.PUBREC) {
            from.ack(PacketType.PUBREL, ack.packetId());
        } else {
            underWay.remove(ack.packetId());
        }
        if (sent != null && !sent.isReceived && ack.type() != PacketType.PUBCOMP) {
            sent.isReceived = true;
            run.note("%s is acknowledged", sent.number);
            run.count("acknowledged");
            run.subscribers.forEach(each -> each.acknowledged(sent.number));
        }
    }

    void atEnd() {
        for (int i = 0; i < 50 && !(underWay.isEmpty() && hasConnAck); i++) {
            if (client == null) {
                connect();
            }
            run.nodes.pass(200);
            see();
        }
        require(underWay.isEmpty(), "has no answer to " + underWay.keySet());
    }

    private void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalStateException(id + ": " + what);
        }
    }
}
