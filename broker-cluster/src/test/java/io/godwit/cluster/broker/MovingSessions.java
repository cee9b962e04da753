package io.godwit.cluster.broker;

import io.godwit.core.node.TestClient;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.settings.Rules;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Subscribers that connect to one node after the other while others publish to them, from one seed:
 * links break, nodes die, also in the middle of a move, or leave in order and are back. At the end
 * each has got everything that was acknowledged, of QoS 2 once, and in order.
 */
final class MovingSessions {
    private static final int NODES = 3;
    private static final int STEPS = 250;

    private final SplittableRandom random;
    private final LoopNodes nodes;
    private final boolean breaks;
    private final @Nullable Drains drains;
    private final @Nullable SplittableRandom jobsChosen;

    /** Not null: all subscribers have the same topic, and some subscribe and unsubscribe. */
    private final @Nullable SplittableRandom crowd;

    private final SharedJobs jobs = new SharedJobs();
    private final List<Subscriber> subscribers = new ArrayList<>();
    private final List<Publisher> publishers = new ArrayList<>();
    private final List<String> story = new ArrayList<>();
    final Map<String, Integer> counts = new TreeMap<>();
    private int messages;
    private int clients;

    /**
     * @param breaks links break, and nodes die
     * @param drains nodes leave
     * @param groups all subscribers are members of a shared group, which half of the messages are
     *     for
     * @param crowded several subscribers have one topic, so that a message goes to many nodes
     *     whoever moves
     * @param rules that hold
     */
    private MovingSessions(
            long seed,
            boolean breaks,
            boolean drains,
            boolean groups,
            boolean crowded,
            Rules rules) {
        crowd = crowded ? new SplittableRandom(seed * 0xA24B_AED4_963E_E407L) : null;
        jobsChosen = groups ? new SplittableRandom(seed * 0x9E37_79B9_7F4A_7C15L) : null;
        this.drains = drains ? new Drains(seed) : null;
        random = new SplittableRandom(seed);
        this.breaks = breaks;
        nodes = new LoopNodes(NODES, random.split(), rules);
        nodes.nodes.forEach(each -> each.store.pageMessages(1 + random.nextInt(5)));
        for (int i = 0; i < (crowded ? 5 : 2); i++) {
            subscribers.add(new Subscriber(i, crowded ? "t" : "t" + i));
        }
        for (int server = 1; server <= NODES; server++) {
            publishers.add(new Publisher(server));
        }
    }

    static Map<String, Integer> run(long seed, boolean breaks, boolean drains) {
        return run(seed, breaks, drains, false, false, Rules.ALL);
    }

    static Map<String, Integer> run(
            long seed,
            boolean breaks,
            boolean drains,
            boolean groups,
            boolean crowded,
            Rules rules) {
        MovingSessions run = new MovingSessions(seed, breaks, drains, groups, crowded, rules);
        try {
            run.run();
            return run.counts;
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(
                    "seed " + seed + ": " + e.getMessage() + "\n" + String.join("\n", run.story),
                    e);
        }
    }

    private void note(String format, Object... of) {
        story.add(String.format(format, of));
    }

    private void count(String what) {
        counts.merge(what, 1, Integer::sum);
    }

    private void run() {
        for (Subscriber each : subscribers) {
            each.connect(1 + random.nextInt(NODES));
            nodes.settle();
            each.subscribe();
            nodes.settle();
            if (jobsChosen != null) {
                each.client().subscribe(2, 2, SharedJobs.FILTER);
                nodes.settle();
            }
            each.see();
        }
        for (int step = 0; step < STEPS; step++) {
            act();
            if (crowd != null && crowd.nextInt(4) == 0) {
                subscribers.get(crowd.nextInt(2)).churn();
            }
            some();
            if (drains != null) {
                drains.step();
            }
        }
        if (drains != null) {
            drains.atEnd();
        }
        nodes.pass(5_000);
        publishers.forEach(Publisher::see);
        subscribers.forEach(Subscriber::atEnd);
        subscribers.forEach(Subscriber::see);
        if (!jobs.missing().isEmpty()) {
            throw new IllegalStateException("jobs nobody has got: " + jobs.missing());
        }
    }

    private void act() {
        switch (random.nextInt(12)) {
            case 0, 1 ->
                    subscribers
                            .get(random.nextInt(subscribers.size()))
                            .connect(1 + random.nextInt(NODES));
            case 2 -> subscribers.get(random.nextInt(subscribers.size())).cut();
            case 3, 4, 5, 6, 7 ->
                    publishers.get(random.nextInt(NODES)).publish(random.nextInt(1, 4));
            case 8 -> nodes.pass(100L * random.nextInt(1, 6));
            case 9 -> breakLink();
            case 10 -> crash();
            default -> subscribers.forEach(each -> each.see());
        }
    }

    /** A link breaks, and there is another one at once. */
    private void breakLink() {
        LoopNodes.One a = nodes.node(1 + random.nextInt(NODES));
        LoopNodes.One b = nodes.node(1 + random.nextInt(NODES));
        if (breaks && a != b) {
            note("new link %s %s", a.server, b.server);
            count("links broken");
            nodes.cut(a, b);
            nodes.link(a, b);
            nodes.link(b, a);
        }
    }

    /**
     * A node dies and is back at once: what it has not kept is lost, and nobody takes its sessions
     * for unknown meanwhile.
     */
    private void crash() {
        LoopNodes.One one = nodes.node(1 + random.nextInt(NODES));
        if (breaks && random.nextInt(2) == 0) {
            note("crash %s", one.server);
            count("crashes");
            one.crash();
            subscribers.forEach(each -> each.lost(one.server));
            publishers.get(one.server - 1).lost();
            one.restart();
            if (drains != null) {
                drains.died(one.server);
            }
        }
    }

    /** Whether clients may connect there. */
    private boolean isOpen(int server) {
        return nodes.node(server).isUp && (drains == null || drains.leaving != server);
    }

    /** One node after the other leaves, ends when it has nothing any more, and is back. */
    private final class Drains {
        private final SplittableRandom when;
        private int leaving;
        private boolean isOver;

        Drains(long seed) {
            when = new SplittableRandom(seed * 0xD134_2543_DE82_EF95L);
        }

        void step() {
            if (leaving == 0 && when.nextInt(20) == 0) {
                leave(1 + when.nextInt(NODES));
            } else if (leaving != 0) {
                nodes.pass(100L * when.nextInt(2));
                end();
            }
        }

        private void leave(int server) {
            note("%s leaves", server);
            count("drains");
            leaving = server;
            isOver = false;
            publishers.get(server - 1).lost();
            LoopNodes.One one = nodes.node(server);
            one.node().broker().sendElsewhere("", () -> {});
            one.part()
                    .leave(drained -> {
                        note("%s is drained: %s", server, drained);
                        if (drained.left() != 0 && !breaks) {
                            throw new IllegalStateException(server + " keeps something");
                        }
                        counts.merge("drained", drained.moved(), Integer::sum);
                        isOver = true;
                    });
        }

        /** It is back, and does not leave any more. */
        void died(int server) {
            leaving = leaving == server ? 0 : leaving;
        }

        private void end() {
            if (isOver) {
                note("%s ends and begins", leaving);
                subscribers.forEach(each -> each.lost(leaving));
                nodes.node(leaving).crash();
                nodes.node(leaving).restart();
                leaving = 0;
            }
        }

        void atEnd() {
            for (int i = 0; i < 100 && leaving != 0; i++) {
                nodes.pass(200);
                subscribers.forEach(Subscriber::see);
                end();
            }
            if (leaving != 0) {
                throw new IllegalStateException(leaving + " does not end");
            }
        }
    }

    /** Some of what can be done is done. */
    private void some() {
        for (int i = random.nextInt(6); i > 0; i--) {
            LoopNodes.One one = nodes.node(1 + random.nextInt(NODES));
            if (random.nextBoolean()) {
                one.deliver(1 + random.nextInt(3));
            } else {
                one.settle();
            }
        }
        if (random.nextInt(4) == 0) {
            nodes.settle();
        }
        publishers.forEach(Publisher::see);
        if (random.nextBoolean()) {
            subscribers.forEach(Subscriber::see);
        }
    }

    /** A clean client of one node that publishes to all subscribers. */
    private final class Publisher {
        final int server;
        private @Nullable TestClient client;
        private final Map<Integer, Integer> underWay = new HashMap<>();
        private int packetIds;
        private int clientNumber;
        private int seen;

        Publisher(int server) {
            this.server = server;
        }

        void lost() {
            client = null;
            underWay.clear();
        }

        void publish(int count) {
            if (!isOpen(server)) {
                return;
            }
            TestClient to = client;
            if (to == null) {
                clientNumber = ++clients;
                to = nodes.node(server).connect("p" + clientNumber, true, 0);
                client = to;
                seen = 0;
                packetIds = 0;
                nodes.settle();
                return;
            }
            for (int i = 0; i < count && underWay.size() < 20; i++) {
                Subscriber subscriber = subscribers.get(random.nextInt(subscribers.size()));
                int number = ++messages;
                int qos = 1 + random.nextInt(2);
                int packetId = ++packetIds;
                underWay.put(packetId, number);
                if (jobsChosen != null && jobsChosen.nextBoolean()) {
                    jobs.sent(number, qos);
                    note("publish job %s of QoS %s at %s", number, qos, server);
                    to.publish(SharedJobs.TOPIC, qos, packetId, String.valueOf(number));
                    continue;
                }
                for (Subscriber each : subscribers) {
                    if (each.topic.equals(subscriber.topic)) {
                        each.isSent(number, new Sent(clientNumber, qos));
                    }
                }
                note("publish %s of QoS %s at %s to %s", number, qos, server, subscriber.topic);
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
                            ack.type() == PacketType.PUBCOMP
                                    ? null
                                    : underWay.remove(ack.packetId());
                    if (number != null) {
                        note("%s is acknowledged", number);
                        count("acknowledged");
                        subscribers.forEach(each -> each.acknowledged(number));
                        jobs.acknowledged(number);
                    }
                }
            }
        }
    }

    /**
     * @param publisher number of the client: what one has sent may come after what the next one of
     *     its node has
     */
    private record Sent(int publisher, int qos) {}

    /** A client that connects where it likes. */
    private final class Subscriber {
        final String id;
        final String topic;
        final Map<Integer, Sent> sent = new HashMap<>();
        private final Set<Integer> acknowledged = new HashSet<>();
        private final List<Integer> received = new ArrayList<>();

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

        Subscriber(int number, String topic) {
            id = "s" + number;
            this.topic = topic;
        }

        void isSent(int number, Sent as) {
            sent.put(number, as);
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
                wanted.clear();
                unwanted.clear();
            }
            note("%s %s", id, isSubscribed ? "subscribes" : "unsubscribes");
            count("churned");
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
            if (!isOpen(server)) {
                return;
            }
            see();
            note("%s connects at %s", id, server);
            client = nodes.node(server).connect(id, false, 100_000);
            at = server;
            seen = 0;
            hasConnAck = false;
        }

        void cut() {
            see();
            TestClient online = client;
            if (online != null) {
                note("%s is cut", id);
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
                    note("%s gets %s", id, connAck);
                    count(connAck.code() == 0 ? "connected" : "refused");
                    if (connAck.code() != 0) {
                        client = null;
                        require(
                                breaks && connAck.code() == ReasonCode.SERVER_UNAVAILABLE.code(),
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
                        note("%s gets PUBREL %s", id, ack.packetId());
                        held.remove(ack.packetId());
                        from.ack(PacketType.PUBCOMP, ack.packetId());
                    }
                }
                case Packet.SubAck subAck -> {
                    note("%s gets SUBACK", id);
                    isAnswered |= isSubscribed;
                }
                case Packet.UnsubAck unsubAck -> {
                    note("%s gets UNSUBACK", id);
                    isAnswered |= !isSubscribed;
                }
                default -> {}
            }
        }

        private void onPublish(TestClient from, Packet.Publish publish) {
            int number = Integer.parseInt(new String(publish.payload(), StandardCharsets.UTF_8));
            note(
                    "%s gets %s under %s%s",
                    id, number, publish.packetId(), publish.dup() ? " dup" : "");
            require(!unwanted.contains(number), number + " was sent after UNSUBACK");
            if (publish.qos() == 1) {
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
            if (!jobs.has(number)) {
                received.add(number);
            } else if (jobs.received(number)) {
                // Known of one that was on its way to a node that has died.
                require(breaks, "job " + number + " of QoS 2 came twice");
            }
        }

        void atEnd() {
            for (int i = 0; i < 50; i++) {
                if (client == null) { // An older one of its connections may come last.
                    connect(1 + random.nextInt(NODES));
                }
                nodes.pass(200);
                see();
            }
            Set<Integer> missing = new HashSet<>(acknowledged);
            missing.retainAll(wanted);
            received.forEach(missing::remove);
            require(missing.isEmpty(), "lacks " + missing);
            require(held.isEmpty(), "has no PUBREL for " + held);
            order();
            int homes = 0;
            for (LoopNodes.One each : nodes.nodes) {
                homes += each.store.state().session(ClientId.of(id)) == null ? 0 : 1;
            }
            require(homes == 1, homes + " nodes have something of it");
        }

        /** Of each publisher and QoS, as they came first. */
        private void order() {
            Map<Sent, Integer> last = new HashMap<>();
            Set<Integer> before = new HashSet<>();
            for (int number : received) {
                if (before.add(number)) {
                    Integer previous = last.put(sent.get(number), number);
                    require(
                            previous == null || previous < number,
                            number + " came behind " + previous);
                }
            }
        }

        private void require(boolean holds, String what) {
            if (!holds) {
                throw new IllegalStateException(id + ": " + what);
            }
        }
    }
}
