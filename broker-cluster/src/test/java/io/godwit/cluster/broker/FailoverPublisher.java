package io.godwit.cluster.broker;

import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.Will;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A publisher with a durable session. At its next connection it sends again what is not
 * acknowledged, in order, and goes on in the middle of handshakes.
 */
final class FailoverPublisher extends FailoverClient {
    private static final int UNDER_WAY = 8;

    /** Of so many messages one is of QoS 0. */
    private static final int QOS_0_OF = 3;

    final int number;

    /** By packet id, in this order; those of QoS 2 until PUBCOMP. */
    private final Map<Integer, Sent> underWay = new LinkedHashMap<>();

    private int packetIds;

    /** Numbers of the Wills of this connection and of the one before it; 0: none. */
    private int will;

    private int lastWill;

    private static final class Sent {
        final int number;
        final FailoverSimulation.Sent as;
        boolean isReceived;

        Sent(int number, FailoverSimulation.Sent as) {
            this.number = number;
            this.as = as;
        }
    }

    FailoverPublisher(FailoverSimulation run, int number) {
        super(run, "p" + number, true);
        this.number = number;
    }

    @Override
    Will will() {
        will =
                run.publishes(
                        new FailoverSimulation.Sent(number, FailoverSimulation.WILLS, 2, false));
        return new Will(
                Topic.of(FailoverSimulation.topic(FailoverSimulation.WILLS)),
                2,
                false,
                text(will),
                0,
                Properties.NONE);
    }

    private static byte[] text(int of) {
        return String.valueOf(of).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    boolean isWaiting() {
        return !underWay.isEmpty();
    }

    @Override
    void onConnected(TestClient to) {
        if (lastWill != 0) {
            run.acknowledged(lastWill); // That connection has ended, and had a CONNACK.
            lastWill = 0;
        }
        underWay.forEach((packetId, sent) -> {
            run.count(sent.isReceived ? "QoS 2 released again" : "sent again");
            if (sent.isReceived) {
                to.ack(PacketType.PUBREL, packetId);
            } else {
                run.sendsAgain(sent.number);
                send(to, packetId, sent, true);
            }
        });
    }

    @Override
    void onLost(boolean wasConnected) {
        if (wasConnected) {
            lastWill = will;
            underWay.values().stream()
                    .filter(each -> each.as.qos() == 2)
                    .forEach(each -> run.count("QoS 2 interrupted"));
        }
    }

    @Override
    void act(TestClient to) {
        if (run.isPublishing) {
            for (int i = random.nextInt(3); i > 0 && underWay.size() < UNDER_WAY; i--) {
                publish(to);
            }
        }
    }

    private void publish(TestClient to) {
        FailoverSimulation.Sent as =
                new FailoverSimulation.Sent(
                        number,
                        random.nextInt(FailoverSimulation.TOPICS),
                        qos(),
                        run.isNextRetained());
        Sent sent = new Sent(run.publishes(as), as);
        run.note(
                "%s publishes %s of QoS %s to %s%s",
                id, sent.number, as.qos(), as.topic(), as.isRetained() ? ", retained" : "");
        if (as.qos() == 0) {
            send(to, 0, sent, false);
        } else {
            underWay.put(++packetIds, sent);
            send(to, packetIds, sent, false);
        }
    }

    private int qos() {
        return run.hasQos0 && random.nextInt(QOS_0_OF) == 0 ? 0 : 1 + random.nextInt(2);
    }

    private static void send(TestClient to, int packetId, Sent sent, boolean dup) {
        to.send(
                new Packet.Publish(
                        Topic.of(FailoverSimulation.topic(sent.as.topic())),
                        sent.as.qos(),
                        dup,
                        sent.as.isRetained(),
                        packetId,
                        Properties.NONE,
                        text(sent.number)));
    }

    @Override
    void onPacket(TestClient from, Packet packet) {
        if (!(packet instanceof Packet.Ack ack)) {
            return;
        }
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
            run.acknowledged(sent.number);
        }
    }

    /** Returns its messages of QoS 2 that have no PUBCOMP. */
    List<Integer> inHandshake() {
        return underWay.values().stream()
                .filter(each -> each.as.qos() == 2)
                .map(each -> each.number)
                .toList();
    }

    boolean isComplete() {
        return isConnected && underWay.isEmpty();
    }

    @Nullable String unanswered() {
        return underWay.isEmpty() ? null : id + " has no answer to " + underWay.keySet();
    }
}
