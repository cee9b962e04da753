package io.godwit.cluster.broker;

import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A clean client of one node that publishes to all run.subscribers. */
final class FixedPublisher {
    private final RoamingClients run;
    final int server;
    private @Nullable TestClient client;
    private final Map<Integer, Integer> underWay = new HashMap<>();
    private int packetIds;
    private int clientNumber;
    private int seen;

    FixedPublisher(RoamingClients run, int server) {
        this.run = run;
        this.server = server;
    }

    void lost() {
        client = null;
        underWay.clear();
    }

    void publish(int count) {
        if (!run.isOpen(server)) {
            return;
        }
        TestClient to = client;
        if (to == null) {
            clientNumber = ++run.clients;
            to = run.nodes.node(server).connectAs("p" + clientNumber, true, 0);
            client = to;
            seen = 0;
            packetIds = 0;
            run.nodes.settle();
            return;
        }
        for (int i = 0; i < count && underWay.size() < 20; i++) {
            RoamingSubscriber subscriber =
                    run.subscribers.get(run.random.nextInt(run.subscribers.size()));
            int number = ++run.messages;
            int qos = 1 + run.random.nextInt(2);
            int packetId = ++packetIds;
            underWay.put(packetId, number);
            if (run.jobsChosen != null && run.jobsChosen.nextBoolean()) {
                run.jobs.sent(number, qos);
                run.note("publish job %s of QoS %s at %s", number, qos, server);
                to.publish(SharedJobs.TOPIC, qos, packetId, String.valueOf(number));
                continue;
            }
            for (RoamingSubscriber each : run.subscribers) {
                if (each.topic.equals(subscriber.topic)) {
                    each.isSent(number, new RoamingSubscriber.Sent(clientNumber, qos));
                }
            }
            run.note("publish %s of QoS %s at %s to %s", number, qos, server, subscriber.topic);
            to.publish(subscriber.topic, qos, packetId, String.valueOf(number));
        }
    }

    void see() {
        TestClient from = client;
        if (from == null) {
            return;
        }
        List<Packet> packets = from.packets();
        for (; seen < packets.size(); seen++) {
            if (packets.get(seen) instanceof Packet.Ack ack) {
                if (ack.type() == PacketType.PUBREC) {
                    from.ack(PacketType.PUBREL, ack.packetId());
                }
                Integer number =
                        ack.type() == PacketType.PUBCOMP ? null : underWay.remove(ack.packetId());
                if (number != null) {
                    run.note("%s is acknowledged", number);
                    run.count("acknowledged");
                    run.subscribers.forEach(each -> each.acknowledged(number));
                    run.jobs.acknowledged(number);
                }
            }
        }
    }
}
