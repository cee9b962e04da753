package io.godwit.core.simulation;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.TopicFilter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/** What a client asks for in SUBSCRIBE and UNSUBSCRIBE, and what it is told of that. */
final class ClientSubscribing {
    private final SimulatedNode node;
    private final SimulatedClient client;
    private final RandomGenerator random;

    /** By packet id, until SUBACK and UNSUBACK. */
    private final Map<Integer, List<Subscribed>> subscribing = new HashMap<>();

    private final Map<Integer, List<Subscribed>> unsubscribing = new HashMap<>();

    ClientSubscribing(SimulatedNode node, SimulatedClient client) {
        this.node = node;
        this.client = client;
        this.random = node.random();
    }

    boolean isUnderWay() {
        return !subscribing.isEmpty() || !unsubscribing.isEmpty();
    }

    boolean uses(int packetId) {
        return subscribing.containsKey(packetId) || unsubscribing.containsKey(packetId);
    }

    void onConnectionLost() {
        subscribing.clear();
        unsubscribing.clear();
    }

    void subscribe(List<String> filters, int qosMax) {
        if (subscribing.size() + unsubscribing.size() > 10) {
            return;
        }
        List<Packet.Subscription> asked = new ArrayList<>();
        List<Subscribed> made = new ArrayList<>();
        boolean v5 = client.version.isV5();
        int packetId = client.nextPacketId();
        long moment = node.moment();
        for (String filter : filters) {
            boolean shared = filter.startsWith("$share/");
            int drawn = random.nextInt(qosMax + 1);
            // A message that has gone to a member at QoS 0 may be lost, and proves nothing.
            int qos = Topics.isShared(filter) ? Math.max(1, drawn) : drawn;
            boolean noLocal = v5 && !shared && random.nextInt(5) == 0;
            boolean rap = v5 && random.nextInt(4) == 0;
            int handling = v5 ? random.nextInt(3) : 0;
            asked.add(new Packet.Subscription(TopicFilter.of(filter), qos, noLocal, rap, handling));
            Subscribed s =
                    new Subscribed(filter, qos, noLocal, rap, handling < 2 && !shared, moment);
            for (Subscribed older : client.view.subscriptions) {
                if (older.filter.equals(filter) && older.endsAt > moment) {
                    older.endsAt = moment;
                    older.replacedBy = s;
                }
            }
            made.add(s);
            client.view.subscriptions.add(s);
        }
        Properties.Builder properties = Properties.builder();
        if (v5 && random.nextInt(3) == 0) {
            int id = 1 + random.nextInt(300);
            if (!node.shortage().smallPackets()) { // Its bytes would count.
                properties.add(Property.SUBSCRIPTION_IDENTIFIER, id);
            }
        }
        node.note("c%s subscribes %s", client.index, asked);
        subscribing.put(packetId, made);
        client.now.send(new Packet.Subscribe(packetId, asked, properties.build()));
    }

    /** One filter at QoS 2, with what is retained there. */
    void observe(String filter) {
        int packetId = client.nextPacketId();
        Subscribed s = new Subscribed(filter, 2, false, false, true, node.moment());
        client.view.subscriptions.add(s);
        subscribing.put(packetId, new ArrayList<>(List.of(s)));
        client.now.send(
                new Packet.Subscribe(
                        packetId,
                        List.of(
                                new Packet.Subscription(
                                        TopicFilter.of(filter), 2, false, false, 0)),
                        Properties.NONE));
    }

    void onSubAck(Packet.SubAck subAck) {
        List<Subscribed> made = subscribing.remove(subAck.packetId());
        Checker checker = node.checker();
        checker.check(made != null, "c%s: SUBACK for nothing", client.index);
        long moment = node.moment();
        node.note("c%s gets SUBACK at %s", client.index, moment);
        for (int i = 0; i < made.size(); i++) {
            Subscribed s = made.get(i);
            if (subAck.codes()[i] < 0) {
                s.endsAt = moment;
                continue;
            }
            checker.check(subAck.codes()[i] == s.qos, "c%s: granted QoS", client.index);
            s.ackedAt = moment;
            if (client.view.durable && !s.leaving && node.isThere(client.view)) {
                checker.check(
                        node.watch().hasSubscription(client.view.queueId, s.filter),
                        "c%s: SUBACK before %s was on disk",
                        client.index,
                        s.filter);
            }
        }
    }

    void unsubscribe(String filter) {
        if (subscribing.size() + unsubscribing.size() > 10) {
            return;
        }
        List<Subscribed> left = new ArrayList<>();
        long moment = node.moment();
        for (Subscribed s : client.view.subscriptions) {
            if (s.filter.equals(filter)) {
                s.endsAt = Math.min(s.endsAt, moment);
                s.leaving = true;
                left.add(s);
            }
        }
        int packetId = client.nextPacketId();
        unsubscribing.put(packetId, left);
        node.note("c%s unsubscribes %s", client.index, filter);
        client.now.send(
                new Packet.Unsubscribe(packetId, List.of(TopicFilter.of(filter)), Properties.NONE));
    }

    void onUnsubAck(Packet.UnsubAck unsubAck) {
        List<Subscribed> left = unsubscribing.remove(unsubAck.packetId());
        node.checker().check(left != null, "c%s: UNSUBACK for nothing", client.index);
        if (client.version.isV5() && unsubAck.codes()[0] < 0) {
            return;
        }
        node.count(Happening.UNSUBSCRIBED);
        long moment = node.moment();
        for (Subscribed s : left) {
            s.overAt = moment;
        }
    }
}
