package io.godwit.cluster.broker;

import io.godwit.cluster.stream.StreamRules;
import io.godwit.cluster.transport.TestDelivery;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.core.ack.Receipt;
import io.godwit.core.mail.Recipient;
import io.godwit.core.message.Message;
import io.godwit.core.node.SettableTime;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.Route;
import io.godwit.core.routing.Subscription;
import io.godwit.core.store.KeptRows;
import io.godwit.core.store.KeptState;
import io.godwit.core.store.KeptStore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Publishers at three nodes while a fourth one, the leader of durable sessions, dies for ever and
 * others take its slots over, from one seed. Links break, a node that takes over starts anew, and
 * sometimes it dies for ever, too.
 *
 * <p>Judged at the end: everything that was acknowledged is in each queue, at QoS 2 once, in order
 * for each publisher, topic and QoS (at QoS 1 as it came first), and every publish is answered.
 *
 * <p>Adoption is a double ({@link #adopt}): sessions and queues of the dead node's store are made
 * anew at the new leader.
 */
final class SwitchOverSimulation {
    private static final int NODES = 4;
    private static final int GONE = 1;
    private static final int STEPS = 120;
    private static final int TOPICS = 3;

    /** Whether the story is printed as it goes. */
    private static final boolean IS_TOLD = Boolean.getBoolean("switchover.story");

    final SplittableRandom random;
    private final StreamRules rules;
    private final SettableTime time = new SettableTime();
    private final List<Node> nodes = new ArrayList<>();
    private final List<Subscriber> subscribers = new ArrayList<>();
    private final List<SwitchOverPublisher> publishers = new ArrayList<>();
    private final int[] leaders = new int[ClientId.SLOTS];

    /** Counts take-overs; those that a start begins again, too. */
    private long epochs;

    /** By slot: the leader from which its leader took it over; 0 for none. */
    private final int[] from = new int[ClientId.SLOTS];

    private final List<String> story = new ArrayList<>();
    final Map<String, Integer> counts = new TreeMap<>();
    final Map<Integer, Sent> sent = new HashMap<>();

    /**
     * Retained messages of QoS 2 that may be sent again after their node has started anew. It knows
     * that it keeps them, and sends them to others by another stream: in no order with later ones,
     * whoever leads.
     */
    final Set<Integer> anyOrder = new HashSet<>();

    private long linkNumbers;

    /**
     * What a publisher has sent.
     *
     * @param retained goes by way of the shard with the topic index
     */
    record Sent(int number, int publisher, int topic, int qos, boolean retained) {}

    /** A durable session that nobody is connected to. */
    private static final class Subscriber {
        final String id;
        final String[] filters;

        Subscriber(String id, String... filters) {
            this.id = id;
            this.filters = filters;
        }

        int slot() {
            return ClientId.of(id).slot();
        }

        boolean wants(int topic) {
            for (String each : filters) {
                if (each.equals("t/#") || each.equals("t/" + topic)) {
                    return true;
                }
            }
            return false;
        }
    }

    /** A node over its starts. */
    private final class Node {
        final int server;
        final KeptStore store;
        SourceNode now;
        boolean isUp = true;

        /** Does not come back. */
        boolean isDead;

        /** Slots that it is to load: what others have, and who led them. */
        final Deque<TakeOver> toLoad = new ArrayDeque<>();

        Node(int server) {
            this.server = server;
            store = new KeptStore(server);
            now = make();
        }

        private SourceNode make() {
            SourceNode made =
                    new SourceNode(
                            server,
                            rules,
                            store,
                            time,
                            (gone, loadedBy) -> leadsNothing(gone, loadedBy));
            for (int slot = 0; slot < leaders.length; slot++) {
                if (from[slot] == 0) {
                    made.overs.onLeader(slot, leaders[slot], 0);
                }
            }
            return made;
        }

        void crash() {
            note("crash %s", server);
            isUp = false;
            nodes.forEach(other -> cut(this, other));
            publishers.forEach(each -> each.lost(server));
        }

        void restart() {
            note("%s is back", server);
            now = make();
            isUp = true;
            toLoad.clear();
            Map<Integer, BitSet> again = new TreeMap<>();
            for (int slot = 0; slot < leaders.length; slot++) {
                if (leaders[slot] == server && from[slot] != 0) {
                    again.computeIfAbsent(from[slot], any -> new BitSet()).set(slot);
                }
            }
            again.forEach((leader, slots) -> toLoad.add(close(this, leader, slots)));
            nodes.forEach(other -> link(this, other));
            expect(this);
        }

        boolean deliver(int most) {
            boolean some = false;
            for (Node other : nodes) {
                LoopLink link = other.now.links.get(server);
                LoopLink here = now.links.get(other.server);
                if (!isUp || !other.isUp || link == null || here == null) {
                    continue;
                }
                for (TrafficClass each : TrafficClass.values()) {
                    if (most < 100 && random.nextInt(3) == 0) {
                        continue;
                    }
                    Deque<LoopLink.Sent> waiting = link.sent(each);
                    for (int i = 0; i < most && !waiting.isEmpty(); i++) {
                        LoopLink.Sent next = link.deliver(each);
                        TestDelivery.deliver(now.handlers, here, next.type(), next.bytes());
                        some = true;
                    }
                }
                TestDelivery.delivered(now.handlers, here);
            }
            return some;
        }
    }

    /**
     * @param number among those of the node's start
     */
    private record TakeOver(int number, int from, long epoch, BitSet slots) {}

    private SwitchOverSimulation(long seed, StreamRules rules) {
        this.random = new SplittableRandom(seed);
        this.rules = rules;
        for (int slot = 0; slot < leaders.length; slot++) {
            leaders[slot] = 1 + slot % 3;
        }
        for (int server = 1; server <= NODES; server++) {
            nodes.add(new Node(server));
        }
        for (Node each : nodes) {
            for (Node other : nodes) {
                if (each.server < other.server) {
                    link(each, other);
                }
            }
        }
        nodes.forEach(this::expect);
        settle();
    }

    static Map<String, Integer> run(long seed, StreamRules rules) {
        SwitchOverSimulation run = new SwitchOverSimulation(seed, rules);
        try {
            run.run();
            return run.counts;
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(
                    "seed " + seed + ": " + e.getMessage() + "\n" + String.join("\n", run.story),
                    e);
        }
    }

    void note(String format, Object... of) {
        story.add(String.format(format, of));
        if (IS_TOLD) {
            System.out.println(story.getLast());
        }
    }

    void count(String what) {
        counts.merge(what, 1, Integer::sum);
    }

    static void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalStateException(what);
        }
    }

    // ---------------------------------------------------------------- nodes and links

    private Node node(int server) {
        return nodes.get(server - 1);
    }

    boolean isUp(int server) {
        return node(server).isUp;
    }

    boolean isDead(int server) {
        return node(server).isDead;
    }

    TestClient open(int server, int shard) {
        return node(server).now.node.open(shard, ProtocolVersion.MQTT_5);
    }

    private void expect(Node of) {
        Set<Integer> others = new TreeSet<>(List.of(1, 2, 3, 4));
        others.remove(of.server);
        of.now.expect(others);
    }

    private boolean leadsNothing(int server, java.util.function.IntUnaryOperator loadedBy) {
        for (int slot = 0; slot < leaders.length; slot++) {
            if (leaders[slot] == server
                    || from[slot] != 0 && loadedBy.applyAsInt(slot) != leaders[slot]) {
                return false;
            }
        }
        return true;
    }

    private void link(Node a, Node b) {
        if (a == b || !a.isUp || !b.isUp || a.now.links.containsKey(b.server)) {
            return;
        }
        long number = ++linkNumbers;
        a.now.up(new LoopLink(a.now.start(), b.now.start(), number));
        b.now.up(new LoopLink(b.now.start(), a.now.start(), number));
    }

    private void cut(Node a, Node b) {
        LoopLink there = a.now.links.get(b.server);
        LoopLink back = b.now.links.get(a.server);
        if (there != null && back != null) {
            there.isDown = true;
            back.isDown = true;
            a.now.down(there);
            b.now.down(back);
        }
    }

    private void settle() {
        boolean more;
        do {
            nodes.stream().filter(each -> each.isUp).forEach(each -> each.now.node.settle());
            more = false;
            for (Node each : nodes) {
                more |= each.deliver(Integer.MAX_VALUE);
            }
        } while (more);
    }

    private void pass(long ms) {
        for (long gone = 0; gone < ms; gone += 100) {
            time.advance(100);
            nodes.stream().filter(each -> each.isUp).forEach(each -> each.now.tick());
            settle();
        }
    }

    // ---------------------------------------------------------------- sessions

    private String id(int server, int copySets) {
        for (int number = 1; ; number++) {
            String id = "s" + server + "-" + number;
            int slot = ClientId.of(id).slot();
            boolean isNew = subscribers.stream().noneMatch(each -> each.id.equals(id));
            if (isNew && leaders[slot] == server && slot % 8 / 4 == copySets) {
                return id;
            }
        }
    }

    private void subscriber(int server, int copySets, String... filters) {
        Subscriber made = new Subscriber(id(server, copySets), filters);
        subscribers.add(made);
        subscribe(node(server).now, made.id, List.of(filters));
        settle();
    }

    /** Makes a session with its subscriptions, and ends its connection. */
    private static void subscribe(SourceNode at, String id, List<String> filters) {
        TestClient client =
                at.node.client(ClientId.of(id).slot() % SourceNode.SHARDS, id, 9_999, 0);
        List<Packet.Subscription> all = new ArrayList<>();
        for (String filter : filters) {
            all.add(new Packet.Subscription(TopicFilter.of(filter), 2, false, false, 2));
        }
        client.send(new Packet.Subscribe(1, all, Properties.NONE));
        at.node.settle();
        client.cut();
        at.node.settle();
    }

    /** Stands for the adoption of copies: what the former leader's store has is made anew. */
    private void adopt(Node at, TakeOver takeover) {
        KeptState copy = node(takeover.from).store.state();
        at.store.release();
        for (Subscriber each : subscribers) {
            ClientId id = ClientId.of(each.id);
            boolean isTheirs = takeover.slots.get(each.slot()) && copy.session(id) != null;
            if (isTheirs && at.store.state().session(id) == null) {
                subscribe(at.now, each.id, List.of(each.filters));
                long queueId = Objects.requireNonNull(copy.session(id)).queueId();
                Recipient session = session(at.now, each);
                for (KeptRows.Row row : copy.rows(queueId)) {
                    Message message = Objects.requireNonNull(row.message);
                    Receipt receipt = new Receipt(null, 0, message.qos);
                    receipt.await();
                    at.now
                            .node
                            .broker()
                            .shard(session.owner())
                            .execute(() ->
                                    session.deliver(
                                            message, row.qos, row.retain, row.ids, receipt));
                }
                at.now.node.settle();
                note("%s has %s with %s", at.server, each.id, copy.rows(queueId).size());
            }
        }
    }

    private static Recipient session(SourceNode at, Subscriber of) {
        int topic = of.wants(0) ? 0 : of.wants(1) ? 1 : 2;
        Route route = at.node.broker().index().route(Topic.of("t/" + topic));
        for (int i = 0; i < route.count(); i++) {
            Subscription found = route.at(i);
            if (found != null
                    && ((Recipient) found.session).clientId().equals(ClientId.of(of.id))) {
                return (Recipient) found.session;
            }
        }
        throw new IllegalStateException(of.id + " is not in the index");
    }

    // ---------------------------------------------------------------- take-overs

    private void takeOver(Node at, int gone, BitSet slots) {
        BitSet some = (BitSet) slots.clone();
        for (int slot = 0; slot < leaders.length; slot++) {
            if (leaders[slot] != gone) {
                some.clear(slot);
            }
        }
        if (!some.isEmpty()) {
            note("%s takes over from %s: %s slots", at.server, gone, some.cardinality());
            some.stream()
                    .forEach(slot -> {
                        leaders[slot] = at.server;
                        from[slot] = gone;
                    });
            at.toLoad.add(close(at, gone, some));
        }
    }

    /** Before any of these sessions is in the index; after a restart before there is a link. */
    private TakeOver close(Node at, int gone, BitSet slots) {
        SourceNode start = at.now;
        int number = ++start.takeovers;
        note("%s closes %s of %s", at.server, number, gone);
        start.onEachShard(each -> each.close(number, slots));
        start.node.settle();
        return new TakeOver(number, gone, ++epochs, slots);
    }

    /** Loads what is to be loaded first; others go on in the middle of it. */
    private void load(Node at) {
        TakeOver next = at.toLoad.peek();
        if (!at.isUp || next == null) {
            return;
        }
        SourceNode start = at.now;
        int number = next.number;
        start.delayFilters(random.nextBoolean());
        adopt(at, next);
        some();
        if (at.isUp && at.now == start) {
            note("%s has loaded %s of %s", at.server, number, next.from);
            count("loaded");
            at.toLoad.poll();
            start.onOwner(() ->
                    start.overs.tookOver(
                            start.start(), number, next.from, next.epoch, next.slots, () -> {}));
            some();
            start.delayFilters(false);
        }
    }

    private static BitSet copySets(int half) {
        BitSet slots = new BitSet();
        for (int slot = 0; slot < ClientId.SLOTS; slot++) {
            slots.set(slot, slot % 8 / 4 == half);
        }
        return slots;
    }

    // ---------------------------------------------------------------- the run

    private void run() {
        subscriber(GONE, 0, "t/#");
        subscriber(GONE, 1, "t/0", "t/1");
        subscriber(GONE, 0, "t/1");
        subscriber(GONE, 1, "t/2");
        subscriber(2, 0, "t/0");
        subscriber(3, 1, "t/0", "t/2");
        for (int server = 2; server <= NODES; server++) {
            publishers.add(new SwitchOverPublisher(this, publishers.size(), server));
            publishers.add(new SwitchOverPublisher(this, publishers.size(), server));
        }
        settle();
        int dies = random.nextInt(10, 30);
        boolean restarts = random.nextInt(2) == 0;
        boolean diesToo = random.nextInt(3) == 0;
        int second = -1;
        for (int step = 0; step < STEPS; step++) {
            act();
            some();
            if (step == dies) {
                die(node(GONE));
            }
            if (step > dies + 3) {
                takeOvers();
            }
            Node f = node(2);
            if (restarts && step > dies + 5 && f.isUp && random.nextInt(25) == 0) {
                restarts = false;
                count("restarts");
                f.crash();
            } else if (!f.isUp && !f.isDead && random.nextInt(4) == 0) {
                f.restart();
            }
            boolean hasLoaded = step > dies + 20 && f.isUp && f.toLoad.isEmpty();
            if (diesToo && hasLoaded && hasTakenOver(2) && random.nextInt(10) == 0) {
                diesToo = false;
                second = step;
                count("second deaths");
                die(f);
            }
            if (second >= 0 && step > second + 3) {
                takeOver(node(3), 2, copySets(0));
                takeOver(node(3), 2, copySets(1));
                second = -1;
            }
        }
        heal();
        judge();
    }

    private boolean hasTakenOver(int server) {
        for (int slot = 0; slot < leaders.length; slot++) {
            if (leaders[slot] == server && from[slot] != 0) {
                return true;
            }
        }
        return false;
    }

    /** It ends for ever; some of what it had not committed is in its copies. */
    private void die(Node node) {
        node.store.end(random.nextInt(node.store.outstanding() + 1));
        node.crash();
        node.isDead = true;
    }

    private void takeOvers() {
        if (leaders[0] == GONE && random.nextInt(4) == 0 && node(2).isUp) {
            takeOver(node(2), GONE, copySets(0));
        }
        Node other = node(2 + random.nextInt(2));
        if (leaders[6] == GONE && random.nextInt(4) == 0 && other.isUp) {
            takeOver(other, GONE, copySets(1));
        }
        for (Node each : nodes) {
            if (random.nextInt(4) == 0) {
                load(each);
            }
        }
    }

    private void act() {
        switch (random.nextInt(10)) {
            case 0 -> {
                Node a = node(1 + random.nextInt(NODES));
                Node b = node(1 + random.nextInt(NODES));
                if (a != b && a.isUp && b.isUp) {
                    note("cut %s %s", a.server, b.server);
                    count("cuts");
                    cut(a, b);
                }
            }
            case 1 -> nodes.forEach(a -> nodes.forEach(b -> link(a, b)));
            case 2 -> {
                Node at = node(2 + random.nextInt(3));
                if (at.isUp && !node(GONE).isUp) {
                    note("%s: 1 is away", at.server);
                    at.now.away(GONE);
                }
                if (at.isUp && node(2).isDead) {
                    at.now.away(2);
                }
            }
            case 3 -> {
                Node at = node(1 + random.nextInt(NODES));
                if (at.isUp) {
                    at.store.hold();
                }
            }
            case 4 -> nodes.stream().filter(each -> each.isUp).forEach(each -> each.now.tick());
            default -> publishers.get(random.nextInt(publishers.size())).act();
        }
    }

    /** Some of what can be done is done. */
    private void some() {
        for (int i = random.nextInt(8); i > 0; i--) {
            Node one = node(1 + random.nextInt(NODES));
            if (!one.isUp) {
                continue;
            }
            switch (random.nextInt(5)) {
                case 0, 1 -> one.deliver(1 + random.nextInt(3));
                case 2 -> one.store.end(random.nextInt(one.store.outstanding() + 1));
                default -> one.now.node.settle();
            }
        }
        if (random.nextInt(12) == 0) {
            nodes.stream().filter(each -> each.isUp).forEach(each -> each.store.release());
            settle();
        }
        publishers.forEach(SwitchOverPublisher::see);
    }

    private void heal() {
        note("heals");
        for (Node each : nodes) {
            if (!each.isUp && !each.isDead) {
                each.restart();
            }
        }
        for (int round = 0; round < 3; round++) {
            nodes.stream().filter(each -> each.isUp).forEach(each -> each.store.release());
            nodes.forEach(a -> nodes.forEach(b -> link(a, b)));
            away();
            settle();
            takeOver(node(node(2).isDead ? 3 : 2), GONE, copySets(0));
            takeOver(node(node(2).isDead ? 3 : 2), GONE, copySets(1));
            for (int half = 0; half < 2 && node(2).isDead; half++) {
                takeOver(node(3), 2, copySets(half));
            }
            for (Node each : nodes) {
                while (each.isUp && !each.toLoad.isEmpty()) {
                    load(each);
                }
            }
        }
        nodes.stream().filter(each -> each.isUp).forEach(each -> each.store.release());
        settle();
        pass(1_000);
        publishers.forEach(SwitchOverPublisher::see);
        for (SwitchOverPublisher each : publishers) {
            each.atEnd();
        }
    }

    /** Nothing was heard of nodes that are dead for so long that nobody waits for them. */
    private void away() {
        for (Node dead : nodes) {
            for (Node each : nodes) {
                if (dead.isDead && each.isUp) {
                    each.now.away(dead.server);
                }
            }
        }
    }

    void passAtEnd() {
        nodes.stream().filter(each -> each.isUp).forEach(each -> each.store.release());
        pass(200);
    }

    private void judge() {
        for (Subscriber each : subscribers) {
            judge(each, drain(each));
        }
    }

    /** Connects the session where it is led, and takes in what its queue has. */
    private List<Integer> drain(Subscriber of) {
        TestClient client = open(leaders[of.slot()], 0);
        client.connect(of.id, false, 9_999, 0);
        List<Integer> received = new ArrayList<>();
        Set<Integer> held = new HashSet<>();
        int seen = 0;
        for (int idle = 0; idle < 3; idle++) {
            settle();
            List<Packet> packets = client.packets();
            for (; seen < packets.size(); seen++) {
                idle = 0;
                switch (packets.get(seen)) {
                    case Packet.ConnAck connAck ->
                            require(connAck.sessionPresent(), of.id + " has no session");
                    case Packet.Publish publish -> {
                        String text = new String(publish.payload(), StandardCharsets.UTF_8);
                        if (publish.qos() == 1 || held.add(publish.packetId())) {
                            received.add(Integer.parseInt(text));
                        }
                        client.ack(
                                publish.qos() == 1 ? PacketType.PUBACK : PacketType.PUBREC,
                                publish.packetId());
                    }
                    case Packet.Ack ack -> {
                        held.remove(ack.packetId());
                        client.ack(PacketType.PUBCOMP, ack.packetId());
                    }
                    default -> {}
                }
            }
        }
        note("%s at %s gets %s", of.id, leaders[of.slot()], received);
        return received;
    }

    private record Line(int publisher, int topic, int qos) {}

    private void judge(Subscriber of, List<Integer> received) {
        Set<Integer> missing = new TreeSet<>();
        publishers.forEach(each -> missing.addAll(each.acknowledged));
        missing.removeIf(number -> !of.wants(topic(number)));
        received.forEach(missing::remove);
        require(missing.isEmpty(), of.id + " lacks " + missing);
        Set<Integer> before = new HashSet<>();
        Map<Line, Integer> last = new HashMap<>();
        for (int number : received) {
            Sent as = Objects.requireNonNull(sent.get(number));
            boolean isFirst = before.add(number);
            require(isFirst || as.qos == 1, of.id + " got " + number + " of QoS 2 twice");
            if (isFirst && !anyOrder.contains(number)) {
                Line line = new Line(as.publisher, as.topic, as.qos);
                Integer previous = last.put(line, number);
                require(
                        previous == null || previous < number,
                        of.id + " got " + number + " behind " + previous);
            } else if (!isFirst) {
                count("QoS 1 twice");
            }
        }
        counts.merge("received", received.size(), Integer::sum);
    }

    private int topic(int number) {
        return Objects.requireNonNull(sent.get(number)).topic;
    }

    static int topics() {
        return TOPICS;
    }

    @Nullable Sent sent(int number) {
        return sent.get(number);
    }
}
