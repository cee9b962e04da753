package io.godwit.cluster.broker;

import io.godwit.core.node.TestClient;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.TopicFilter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A client that connects where it likes. */
final class RoamingSubscriber {
    /**
     * @param publisher number of the client: what one has sent may come after what the next one of
     *     its node has
     */
    record Sent(int publisher, int qos) {}

    private final RoamingClients run;
    final String id;
    final String topic;
    final Map<Integer, Sent> sent = new HashMap<>();
    private final Set<Integer> acknowledged = new HashSet<>();
    private final List<Integer> received = new ArrayList<>();

    /** Of QoS 1, on this connection. */
    private final Set<Integer> receivedHere = new HashSet<>();

    /** By packet id, messages of QoS 2 whose PUBREL has not come. */
    private final Map<Integer, Integer> held = new HashMap<>();

    private @Nullable TestClient client;
    private int at;
    private int seen;
    private boolean hasSession;
    private boolean hasConnAck;

    /** Whether it has subscribed, and has SUBACK; or wants that, or has UNSUBACK. */
    private boolean isSubscribed;

    private boolean isAnswered;

    /** Sent while it was subscribed, until it unsubscribes. */
    private final Set<Integer> wanted = new HashSet<>();

    /** Sent after its UNSUBACK, until it subscribes again. */
    private final Set<Integer> unwanted = new HashSet<>();

    /**
     * Of publishers that move: sent while it was not subscribed, or not received when it
     * unsubscribed. What they send again may come behind newer ones then.
     */
    private final Set<Integer> anyOrder = new HashSet<>();

    RoamingSubscriber(RoamingClients run, int number, String topic) {
        this.run = run;
        id = "s" + number;
        this.topic = topic;
    }

    void isSent(int number, Sent as) {
        sent.put(number, as);
        if (!run.rovers.isEmpty() && !(isSubscribed && isAnswered)) {
            anyOrder.add(number);
        }
        if (isSubscribed) {
            if (isAnswered) {
                wanted.add(number);
            }
        } else if (isAnswered) {
            unwanted.add(number);
        }
    }

    void subscribe() {
        isSubscribed = true;
        isAnswered = false;
        client().subscribe(1, 2, topic);
    }

    /** Unsubscribes, or subscribes again; once more what was not answered. */
    void churn() {
        if (client == null || !hasConnAck) {
            return;
        }
        if (isAnswered) {
            isSubscribed = !isSubscribed;
            isAnswered = false;
            if (!run.rovers.isEmpty()) {
                wanted.stream().filter(each -> !received.contains(each)).forEach(anyOrder::add);
            }
            wanted.clear();
            unwanted.clear();
        }
        run.note("%s %s", id, isSubscribed ? "subscribes" : "unsubscribes");
        run.count("churned");
        if (isSubscribed) {
            client().subscribe(1, 2, topic);
        } else {
            client().send(
                            new Packet.Unsubscribe(
                                    2, List.of(TopicFilter.of(topic)), Properties.NONE));
        }
    }

    TestClient client() {
        TestClient online = client;
        if (online == null) {
            throw new IllegalStateException(id + " is offline");
        }
        return online;
    }

    void connect(int server) {
        if (!run.isOpen(server)) {
            return;
        }
        see();
        run.note("%s connects at %s", id, server);
        client = run.nodes.node(server).connectAs(id, false, 100_000);
        at = server;
        seen = 0;
        receivedHere.clear();
        hasConnAck = false;
    }

    void cut() {
        see();
        TestClient online = client;
        if (online != null) {
            run.note("%s is cut", id);
            online.cut();
            client = null;
        }
    }

    void lost(int server) {
        if (client != null && at == server) {
            client = null;
        }
    }

    void acknowledged(int number) {
        if (wanted.contains(number)) {
            acknowledged.add(number);
        }
    }

    void see() {
        TestClient from = client;
        if (from == null) {
            return;
        }
        List<Packet> packets = from.packets();
        for (; client == from && seen < packets.size(); seen++) {
            see(from, packets.get(seen));
        }
        if (client == from && from.isClosed()) {
            client = null; // An older connection of it has come after this one.
        }
    }

    private void see(TestClient from, Packet packet) {
        switch (packet) {
            case Packet.ConnAck connAck -> {
                run.note("%s gets %s", id, connAck);
                run.count(connAck.code() == 0 ? "connected" : "refused");
                if (connAck.code() != 0) {
                    client = null;
                    require(
                            run.breaks && connAck.code() == ReasonCode.SERVER_UNAVAILABLE.code(),
                            "is refused");
                } else {
                    require(connAck.sessionPresent() == hasSession, "session present");
                    hasSession = true;
                    hasConnAck = true;
                }
            }
            case Packet.Disconnect disconnect -> client = null;
            case Packet.Publish publish -> onPublish(from, publish);
            case Packet.Ack ack -> {
                if (ack.type() == PacketType.PUBREL) {
                    run.note("%s gets PUBREL %s", id, ack.packetId());
                    held.remove(ack.packetId());
                    from.ack(PacketType.PUBCOMP, ack.packetId());
                }
            }
            case Packet.SubAck subAck -> {
                run.note("%s gets SUBACK", id);
                isAnswered |= isSubscribed;
            }
            case Packet.UnsubAck unsubAck -> {
                run.note("%s gets UNSUBACK", id);
                isAnswered |= !isSubscribed;
            }
            default -> {}
        }
    }

    private void onPublish(TestClient from, Packet.Publish publish) {
        int number = Integer.parseInt(new String(publish.payload(), StandardCharsets.UTF_8));
        run.note(
                "%s gets %s under %s%s",
                id, number, publish.packetId(), publish.dup() ? " dup" : "");
        require(!unwanted.contains(number), number + " was sent after UNSUBACK");
        if (publish.qos() == 1) {
            boolean isFirst = receivedHere.add(number);
            // What a publisher sends again at QoS 1 is another message to the broker.
            boolean mayComeTwice =
                    publish.dup() || number <= run.sentAtLastEnd || run.sentAgain.contains(number);
            require(isFirst || mayComeTwice, number + " of QoS 1 came twice");
            from.ack(PacketType.PUBACK, publish.packetId());
            received(number);
            return;
        }
        Integer before = held.put(publish.packetId(), number);
        if (before == null) {
            require(!received.contains(number), number + " of QoS 2 came twice");
            received(number);
        } else {
            require(before == number, "a packet id of " + before + " names " + number);
        }
        from.ack(PacketType.PUBREC, publish.packetId());
    }

    private void received(int number) {
        if (!run.jobs.has(number)) {
            received.add(number);
        } else if (run.jobs.received(number)) {
            // Known of one that was on its way to a node that has died since.
            boolean mayComeTwice = run.breaks && number <= run.sentAtLastEnd;
            require(mayComeTwice, "job " + number + " of QoS 2 came twice");
        }
    }

    void atEnd() {
        for (int i = 0; i < 50; i++) {
            if (client == null) { // An older one of its connections may come last.
                connect(1 + run.random.nextInt(RoamingClients.NODES));
            }
            run.nodes.pass(200);
            see();
        }
        Set<Integer> missing = new HashSet<>(acknowledged);
        missing.retainAll(wanted);
        received.forEach(missing::remove);
        require(missing.isEmpty(), "lacks " + missing);
        require(held.isEmpty(), "has no PUBREL for " + held);
        order();
        int stores = 0;
        for (LoopNodes.One each : run.nodes.nodes) {
            stores += each.store.state().session(ClientId.of(id)) == null ? 0 : 1;
        }
        require(stores == 1, stores + " nodes have something of it");
    }

    /** Of each publisher and QoS, as they came first. */
    private void order() {
        Map<Sent, Integer> last = new HashMap<>();
        Set<Integer> before = new HashSet<>();
        for (int number : received) {
            if (before.add(number) && !anyOrder.contains(number)) {
                Integer previous = last.put(sent.get(number), number);
                require(previous == null || previous < number, number + " came behind " + previous);
            }
        }
    }

    private void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalStateException(id + ": " + what);
        }
    }
}
