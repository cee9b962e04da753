package io.godwit.cluster.broker;

import io.godwit.cluster.membership.Slots;
import io.godwit.cluster.replication.CopyRecord;
import io.godwit.cluster.replication.CopySettings;
import io.godwit.cluster.stream.StreamRules;
import io.godwit.cluster.transport.Forgotten;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.packet.ClientId;
import io.godwit.core.settings.Rules;
import io.godwit.core.simulation.Scheduler;
import io.godwit.core.store.CopySets;
import io.godwit.core.store.QueueDigest;
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
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One run of whole brokers that are one cluster and take over from each other, from one seed: three
 * or four nodes on production stores, with two or three copies. Nodes die for ever or for a while,
 * sleep and wake, links break or are silent in one direction; clients connect anywhere.
 *
 * <p>Judged from what clients have seen: what was acknowledged was received, of QoS 2 once and in
 * order, sessions are there, and every publish is answered. At the end all copies are equal.
 */
final class FailoverSimulation {
    static final ClusterTimes TIMES = new ClusterTimes(2_000, 2_000, 60_000, 4_000, 6_000, 0);
    static final int TOPICS = 3;

    /** The topic of Wills. */
    static final int WILLS = -1;

    /** From this seed on there are retained messages. */
    static final long RETAINED_FROM = 1_000_000;

    /** From this seed on there is a shared group of durable members. */
    static final long GROUPS_FROM = 2_000_000;

    /** From this seed on there are messages of QoS 0, too, and nodes that leave in order. */
    static final long QOS_0_FROM = 3_000_000;

    /** Of so many messages one is retained. */
    private static final int RETAINED_OF = 3;

    private static final int LINK_MICROS = 300_000;
    private static final int TICK_MICROS = 100_000;
    private static final long HEALED_MICROS = 90_000_000;
    private static final long TAKEN_OVER_MICROS = 15_000_000;

    /** A node that leaves may take so long until others serve its sessions. */
    private static final long LEAVE_MICROS = 6_000_000;

    private static final int COMPARED_MAX = 5;
    private static final int WRITES_MAX = 8;
    private static final long CUT_MICROS = 1_000_000;
    private static final int STORY = Integer.getInteger("simulation.story", 400);

    /** Whether the story is printed as it goes. */
    private static final boolean IS_TOLD = Boolean.getBoolean("simulation.told");

    final Scheduler scheduler = new Scheduler();
    final SplittableRandom random;
    final StreamRules rules;
    final Rules brokerRules;
    final CopySettings copies;
    final long roomBytes;

    /** Whether publishers send retained messages, too. */
    private final boolean retains;

    /** Whether publishers send messages of QoS 0, too. */
    final boolean hasQos0;

    final int latencyMicros;
    private final Map<String, Long> counts = new TreeMap<>();
    private final List<FailoverNode> nodes = new ArrayList<>();
    private final List<FailoverSubscriber> subscribers = new ArrayList<>();
    private final List<FailoverPublisher> publishers = new ArrayList<>();
    private final List<FailoverMember> members = new ArrayList<>();

    /** Sees the steps of the nodes. */
    final FailoverWatch watch;

    /** Messages that publishers have sent more than once. */
    private final Set<Integer> sentAgain = new HashSet<>();

    private final Map<Integer, Sent> sent = new HashMap<>();
    private final Set<Integer> acknowledged = new HashSet<>();
    private Forgotten forgotten = Forgotten.NOBODY;

    /** The members among which {@link #slots} are. */
    private List<Integer> slotsOf = List.of();

    private Slots slots = new Slots(slotsOf);

    /** Links that may not be there now, as their lower and their higher node. */
    private final Set<Set<Integer>> broken = new HashSet<>();

    private final Deque<String> story = new ArrayDeque<>();
    private long linkNumbers;

    /** Digest of when each step was taken. */
    private long digest;

    /** Steps that were taken. */
    private long steps;

    boolean isPublishing;

    /** Whether clients leave their nodes without a reason. */
    boolean isTroubled;

    /** By publisher: how many messages had been sent when its session was taken over last. */
    private final Map<Integer, Integer> takenOverAfter = new HashMap<>();

    /** Messages of QoS 2 in the middle of whose handshake their session was taken over. */
    private final Set<Integer> interrupted = new HashSet<>();

    /**
     * A message that a publisher has sent.
     *
     * @param topic {@link #WILLS}: it is a Will
     */
    record Sent(int publisher, int topic, int qos, boolean isRetained) {
        boolean isWill() {
            return topic == WILLS;
        }
    }

    private FailoverSimulation(long seed, StreamRules rules, Rules brokerRules) {
        this.rules = rules;
        this.brokerRules = brokerRules;
        this.retains = seed >= RETAINED_FROM && seed < GROUPS_FROM;
        this.hasQos0 = seed >= QOS_0_FROM;
        random = new SplittableRandom(seed * 0x9E37_79B9_7F4A_7C15L);
        int count = 3 + random.nextInt(2);
        copies = CopySettings.of(2 + random.nextInt(2), CopySettings.Confirm.COMMITTED, 0);
        roomBytes = new int[] {2_000, 20_000, 1 << 20}[random.nextInt(3)];
        latencyMicros = new int[] {500, 3_000, 20_000}[random.nextInt(3)];
        for (int server = 1; server <= count; server++) {
            nodes.add(new FailoverNode(this, server));
        }
        for (int i = 0; i < 4; i++) {
            String filter = i == 0 ? "t/#" : topic(i - 1);
            subscribers.add(new FailoverSubscriber(this, "s" + i, true, filter));
        }
        subscribers.add(new FailoverSubscriber(this, "w", true, topic(WILLS)));
        for (int i = 0; i < 2; i++) {
            subscribers.add(new FailoverSubscriber(this, "x" + i, false, "t/#"));
        }
        for (int i = 0; i < 4; i++) {
            publishers.add(new FailoverPublisher(this, i));
        }
        FailoverMember.Received group = new FailoverMember.Received(this);
        int size = hasQos0 ? 1 + random.nextInt(3) : seed >= GROUPS_FROM ? 4 : 0;
        for (int i = 0; i < size; i++) {
            members.add(new FailoverMember(this, "m" + i, group));
        }
        watch = FailoverWatch.NONE;
    }

    /** Makes a cluster in which nothing happens but what a test does. */
    FailoverSimulation(long seed, int nodes, int copies, FailoverWatch watch) {
        this.watch = watch;
        rules = StreamRules.ALL;
        brokerRules = Rules.ALL;
        retains = false;
        hasQos0 = false;
        random = new SplittableRandom(seed * 0x9E37_79B9_7F4A_7C15L);
        this.copies = CopySettings.of(copies, CopySettings.Confirm.COMMITTED, 0);
        roomBytes = 1 << 20;
        latencyMicros = 3_000;
        for (int server = 1; server <= nodes; server++) {
            this.nodes.add(new FailoverNode(this, server));
        }
    }

    /**
     * Runs a seed.
     *
     * @return how often each thing has happened
     */
    static Map<String, Long> run(long seed, StreamRules rules) {
        return run(seed, rules, Rules.ALL);
    }

    static Map<String, Long> run(long seed, StreamRules rules, Rules brokerRules) {
        return finish(seed, rules, brokerRules).counts;
    }

    /** Runs a seed and returns a digest of its schedule. */
    static long digest(long seed) {
        FailoverSimulation run = finish(seed, StreamRules.ALL, Rules.ALL);
        return 31 * run.digest + run.random.nextLong();
    }

    private static FailoverSimulation finish(long seed, StreamRules rules, Rules brokerRules) {
        FailoverSimulation run = new FailoverSimulation(seed, rules, brokerRules);
        try {
            run.run();
            return run;
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(
                    "seed %s, %s us: %s%nreplay with -Dsimulation.seed=%s%n%s"
                            .formatted(
                                    seed,
                                    run.scheduler.micros(),
                                    e.getMessage(),
                                    seed,
                                    String.join("\n", run.story)),
                    e);
        }
    }

    /** Returns what has happened last. */
    String story() {
        return String.join("\n", story);
    }

    void note(String format, Object... of) {
        if (story.size() == STORY) {
            story.remove();
        }
        String line = scheduler.micros() + " " + String.format(format, of);
        story.add(line);
        if (IS_TOLD) {
            System.out.println(line);
        }
    }

    void count(String what) {
        counts.merge(what, 1L, Long::sum);
    }

    // ---------------------------------------------------------------- the run

    /** Starts all nodes, and waits until they are a cluster whose copies are whole. */
    void beginNodes() {
        nodes.forEach(this::begin);
        scheduler.background(0, this::tick);
        runUntil(this::isWell, "the beginning");
    }

    private void run() {
        beginNodes();
        subscribers.forEach(FailoverClient::begin);
        members.forEach(FailoverClient::begin);
        runUntil(
                () ->
                        subscribers.stream().allMatch(FailoverSubscriber::isSubscribed)
                                && members.stream().allMatch(FailoverMember::isSubscribed),
                "subscribing");
        isPublishing = true;
        publishers.forEach(FailoverClient::begin);
        pass(random.nextInt(3_000_000));
        isTroubled = true;
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            trouble();
            pass(random.nextInt(6_000_000));
            heal();
            pass(random.nextInt(3_000_000));
        }
        isTroubled = false;
        isPublishing = false;
        heal();
        runUntil(this::isAnswered, "answers");
        runUntil(this::isReceived, "what was acknowledged");
        pass(5_000_000);
        runUntil(this::isWell, "copies");
        subscribers.forEach(FailoverSubscriber::judge);
        members.forEach(FailoverMember::judge);
        copiesBecomeEqual();
        judgeRetained();
    }

    private boolean isAnswered() {
        return publishers.stream().allMatch(FailoverPublisher::isComplete);
    }

    private boolean isReceived() {
        return subscribers.stream().allMatch(FailoverSubscriber::isComplete)
                && members.stream().allMatch(FailoverMember::isComplete);
    }

    /** Does the next thing that any node, link or client has to do. */
    void step() {
        try {
            if (!scheduler.step()) {
                throw new IllegalStateException("nothing happens any more");
            }
            steps++;
            digest = 31 * digest + scheduler.micros();
        } catch (FailoverNode.PowerCut cut) {
            count("power cuts in a write");
            crash(cut.node, true);
        }
    }

    long steps() {
        return steps;
    }

    void pass(long micros) {
        long end = scheduler.micros() + micros;
        while (scheduler.micros() < end) {
            step();
        }
    }

    void runUntil(BooleanSupplier holds, String what) {
        long end = scheduler.micros() + HEALED_MICROS;
        for (long steps = 0; !(steps % 64 == 0 && holds.getAsBoolean()); steps++) {
            step();
            if (scheduler.micros() > end) {
                throw new IllegalStateException("no end of: " + what + state());
            }
        }
    }

    private String state() {
        StringBuilder text = new StringBuilder();
        for (FailoverNode each : nodes) {
            if (each.isRunning()) {
                FailoverNode.Process of = each.running();
                text.append("\n node ").append(each.server).append(of.isReady ? "" : " not ready");
                text.append(of.isWhole() ? " whole" : " " + of.part().copies());
                text.append(of.isServed() ? " served" : " " + of.describeSlots());
            }
        }
        publishers.forEach(each -> text.append('\n').append(each.unanswered()));
        subscribers.forEach(
                each -> text.append('\n').append(each.id).append(" lacks ").append(each.missing()));
        members.forEach(
                each -> text.append('\n').append(each.id).append(" lacks ").append(each.missing()));
        return text.toString();
    }

    // ---------------------------------------------------------------- what clients ask

    static String topic(int number) {
        return number == WILLS ? "w" : "t/" + number;
    }

    /** Returns the number of a message that is about to be published. */
    int publishes(Sent as) {
        int number = sent.size() + 1;
        sent.put(number, as);
        return number;
    }

    /** Whether the message that is published next is retained. */
    boolean isNextRetained() {
        return retains && sent.size() % RETAINED_OF == 0;
    }

    int sentCount() {
        return sent.size();
    }

    Sent sent(int number) {
        return Objects.requireNonNull(sent.get(number));
    }

    /** Notes that a publisher sends a message again. */
    void sendsAgain(int number) {
        sentAgain.add(number);
    }

    boolean wasSentAgain(int number) {
        return sentAgain.contains(number);
    }

    void acknowledged(int number) {
        acknowledged.add(number);
    }

    /** Notes which slots a node has taken over. */
    void onTakenOver(BitSet slots) {
        publishers.stream()
                .filter(each -> slots.get(ClientId.of(each.id).slot()))
                .forEach(each -> {
                    interrupted.addAll(each.inHandshake());
                    takenOverAfter.put(each.number, sent.size());
                });
    }

    /**
     * Whether a message of QoS 0 may come behind younger ones: nobody sends it again, and the
     * former leader of its publisher's session may send it late, when it wakes up or is heard
     * again.
     */
    boolean mayComeLate(int message) {
        Sent as = sent(message);
        return as.qos() == 0 && message <= takenOverAfter.getOrDefault(as.publisher(), 0);
    }

    /**
     * Whether the session of its publisher was taken over in the middle of a QoS 2 message's
     * handshake: then the former leader and the new one may both publish it, and subscribers whose
     * sessions end with their connection do not recognise it.
     */
    boolean mayBothPublish(int number) {
        return interrupted.contains(number);
    }

    /** Notes that transient subscribers of a node may have missed what was sent until now. */
    void missesAll(int server) {
        node(server).misses(sent.size());
    }

    /** Notes which transient subscribers have missed messages. */
    void lookAtDropped() {
        nodes.stream()
                .filter(FailoverNode::isRunning)
                .forEach(each -> each.running().lookAtDropped());
    }

    Set<Integer> acknowledged() {
        return acknowledged;
    }

    /** Returns the nodes that take connections now. */
    List<FailoverNode> open() {
        return nodes.stream()
                .filter(each ->
                        each.isRunning() && each.running().isReady && !each.running().isPaused())
                .toList();
    }

    // ---------------------------------------------------------------- nodes and links

    /** Returns the nodes that belong to the cluster. */
    List<FailoverNode> members() {
        return nodes.stream().filter(each -> !forgotten.servers().contains(each.server)).toList();
    }

    /** Returns the orders of slots among the members. */
    Slots slots() {
        List<Integer> servers = members().stream().map(each -> each.server).toList();
        if (!servers.equals(slotsOf)) {
            slotsOf = servers;
            slots = new Slots(servers);
        }
        return slots;
    }

    Forgotten forgotten() {
        return forgotten;
    }

    private Stream<FailoverNode> alive() {
        return nodes.stream().filter(each -> !each.isLost);
    }

    FailoverNode node(int server) {
        return nodes.get(server - 1);
    }

    boolean reaches(FailoverNode from, int server) {
        FailoverNode to = node(server);
        return to.isRunning() && !to.running().isPaused() && !isBroken(from, to);
    }

    /** Whether a node knows of another one that it has ended. */
    boolean hasEnded(FailoverNode by, int server) {
        FailoverNode other = node(server);
        return other.hasEnded() && !isBroken(by, other);
    }

    private boolean isBroken(FailoverNode a, FailoverNode b) {
        return broken.contains(Set.of(a.server, b.server));
    }

    void begin(FailoverNode node) {
        note("node %s starts", node.server);
        node.begin();
        nodes.forEach(other -> linkSoon(node, other));
    }

    private void linkSoon(FailoverNode a, FailoverNode b) {
        if (a != b) {
            scheduler.background(random.nextInt(LINK_MICROS), () -> link(a, b));
        }
    }

    private void link(FailoverNode a, FailoverNode b) {
        if (a == b || !a.isRunning() || !b.isRunning() || isBroken(a, b)) {
            return;
        }
        FailoverNode.Process first = a.running();
        FailoverNode.Process second = b.running();
        FailoverLink there = first.links.get(b.server);
        FailoverLink here = second.links.get(a.server);
        if (there != null && !there.isCut && here == there.other) {
            return;
        }
        if (first.isPaused() || second.isPaused() || there != null || here != null) {
            linkSoon(a, b); // One of them has not heard of the end of the last.
            return;
        }
        NodeStart one = first.start();
        NodeStart two = second.start();
        FailoverLink forth = new FailoverLink(this, first, two, ++linkNumbers);
        FailoverLink back = new FailoverLink(this, second, one, linkNumbers);
        forth.connect(back);
        back.connect(forth);
        first.links.put(b.server, forth);
        second.links.put(a.server, back);
        first.later(random.nextInt(latencyMicros), () -> up(forth));
        second.later(random.nextInt(latencyMicros), () -> up(back));
    }

    private static void up(FailoverLink link) {
        if (!link.isCut) {
            link.process.onUp(link);
        } else {
            link.process.links.remove(link.peer().server(), link);
        }
    }

    /** Nothing goes through any more. Each end hears of it some time later. */
    private void cut(FailoverLink link, int withinMicros) {
        for (FailoverLink end : List.of(link, link.other)) {
            if (!end.isCut) {
                end.isCut = true;
                FailoverNode.Process at = end.process;
                at.later(
                        random.nextInt(withinMicros),
                        () -> {
                            at.onDown(end);
                            at.links.remove(end.peer().server(), end);
                            linkSoon(at.node(), node(end.peer().server()));
                        });
            }
        }
    }

    private @Nullable FailoverLink linkOf(FailoverNode a, FailoverNode b) {
        return a.isRunning() ? a.running().links.get(b.server) : null;
    }

    private List<FailoverLink> links(FailoverNode of) {
        return of.isRunning() ? List.copyOf(of.running().links.values()) : List.of();
    }

    /** Looks which links are silent, and what was dropped for nodes that were not heard. */
    private void tick() {
        lookAtDropped();
        for (FailoverNode node : nodes) {
            for (FailoverLink link : links(node)) {
                look(link);
            }
        }
        scheduler.background(TICK_MICROS, this::tick);
    }

    private void look(FailoverLink link) {
        boolean isQuiet =
                link.isCut || link.isBlocked || link.other.isBlocked || isStill(link.other);
        long now = scheduler.micros();
        if (!link.isUp || link.process.isPaused()) {
            link.quietSince = now;
        } else if (!isQuiet) {
            link.quietSince = now;
            if (link.isSilent) {
                link.process.onHeard(link);
            }
        } else if (!link.isSilent && now - link.quietSince > TIMES.peerTimeoutMs() * 1_000) {
            count("silences");
            link.process.onSilent(link);
        }
    }

    private static boolean isStill(FailoverLink end) {
        return end.process.isOver() || end.process.isPaused() || !end.isUp;
    }

    // ---------------------------------------------------------------- trouble

    /** Something happens to a node, and often something else soon after. */
    private void trouble() {
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            List<FailoverNode> all = alive().toList();
            FailoverNode node = all.get(random.nextInt(all.size()));
            FailoverNode other = all.get(random.nextInt(all.size()));
            switch (random.nextInt(hasQos0 ? 13 : 10)) {
                case 0, 1, 2 -> lose(node);
                case 3, 4 -> die(node);
                case 5, 6 -> sleep(node);
                case 7 -> breakLink(node, other);
                case 8 -> block(node, other);
                case 10, 11, 12 -> leave(node);
                default -> split();
            }
            pass(random.nextInt(random.nextBoolean() ? 1_000_000 : 9_000_000));
            all.stream()
                    .filter(each -> !each.isRunning() && random.nextInt(3) == 0)
                    .filter(each -> !each.isLost)
                    .forEach(this::begin);
        }
    }

    /**
     * A node dies for ever, if others have whole copies of what it leads, and more than half of all
     * are left.
     */
    private void lose(FailoverNode node) {
        boolean isMajority = 2 * (alive().count() - 1) > members().size();
        if (!node.isRunning() || !isMajority || !mayBeLost(node)) {
            return;
        }
        boolean isSeen = random.nextBoolean();
        note("node %s dies for ever%s", node.server, isSeen ? ", and others know it" : "");
        count("deaths");
        node.isLost = true;
        crash(node, isSeen);
    }

    /** A node gives its sessions to others, and ends for ever. */
    private void leave(FailoverNode node) {
        boolean isMajority = 2 * (alive().count() - 1) > members().size();
        if (!node.isRunning() || !isMajority || !mayBeLost(node)) {
            return;
        }
        note("node %s leaves", node.server);
        count("left");
        BrokerCluster part = node.running().part();
        part.drain(true);
        long end = scheduler.micros() + LEAVE_MICROS;
        while (node.isRunning() && scheduler.micros() < end && !hasGiven(part)) {
            step();
        }
        if (node.isRunning() && mayBeLost(node)) {
            count(hasGiven(part) ? "left with nothing" : "left with sessions");
            node.isLost = true;
            crash(node, true);
        } else {
            part.drain(false);
        }
    }

    private static boolean hasGiven(BrokerCluster part) {
        BitSet left = part.drainLeft();
        return left != null && left.isEmpty();
    }

    /** Whether what a node leads is whole elsewhere, as far as it knows itself. */
    private boolean mayBeLost(FailoverNode node) {
        FailoverNode.Process of = node.running();
        boolean isLast =
                nodes.stream()
                        .filter(each -> each.isLost)
                        .anyMatch(gone -> alive().anyMatch(each -> isLed(each, gone.server)));
        if (isLast || !of.isWhole() || !of.isServed() || of.isPaused()) {
            return false;
        }
        List<CopyRecord> records = of.part().copies().records();
        return records.size() == CopySets.LAST
                && records.stream()
                        .allMatch(each ->
                                each.whole().stream().anyMatch(server -> !node(server).isLost));
    }

    private static boolean isLed(FailoverNode by, int server) {
        return by.isRunning() && !by.running().part().slots().leaders().ledBy(server).isEmpty();
    }

    /** A node dies, and starts again later. */
    private void die(FailoverNode node) {
        if (!node.isRunning()) {
            return;
        }
        boolean isSeen = random.nextInt(3) > 0;
        note("node %s dies", node.server);
        count("crashes");
        if (random.nextBoolean()) {
            node.cutSoon(1 + random.nextInt(WRITES_MAX));
            long end = scheduler.micros() + CUT_MICROS;
            while (node.isRunning() && scheduler.micros() < end) {
                step();
            }
        }
        if (node.isRunning()) {
            crash(node, isSeen);
        }
    }

    /** Others notice at once, or when nothing was heard for long. */
    void crash(FailoverNode node, boolean isSeen) {
        note("node %s is dead", node.server);
        lookAtDropped();
        List<FailoverLink> links = links(node);
        node.crash(isSeen);
        links.forEach(each -> cut(each, isSeen ? LINK_MICROS : 8_000_000));
    }

    private void sleep(FailoverNode node) {
        if (!node.isRunning()) {
            return;
        }
        sleep(node, 1_000_000L + random.nextInt(12_000_000));
        if (random.nextBoolean()) {
            links(node).forEach(each -> cut(each, 6_000_000));
        }
    }

    /** Whether a node has slept so far. */
    boolean hasSlept() {
        return counts.containsKey("sleeps");
    }

    /** The process of a node does not run for so long. */
    void sleep(FailoverNode node, long micros) {
        note("node %s sleeps for %s us", node.server, micros);
        count("sleeps");
        node.pause(micros);
    }

    private void breakLink(FailoverNode a, FailoverNode b) {
        FailoverLink link = linkOf(a, b);
        if (a == b || link == null) {
            return;
        }
        note("link of %s and %s breaks", a.server, b.server);
        count("links broken");
        if (random.nextBoolean()) {
            broken.add(Set.of(a.server, b.server));
        }
        cut(link, LINK_MICROS);
    }

    /** Nothing of what one node sends arrives at the other; later it does, or the link breaks. */
    private void block(FailoverNode from, FailoverNode to) {
        FailoverLink link = linkOf(from, to);
        if (link == null) {
            return;
        }
        note("nothing of %s arrives at %s", from.server, to.server);
        count("links blocked");
        link.isBlocked = true;
        boolean breaks = random.nextBoolean();
        scheduler.background(
                random.nextInt(10_000_000),
                () -> {
                    if (breaks) {
                        cut(link, LINK_MICROS);
                    }
                    link.unblock();
                });
    }

    /** Nodes are on two sides, which do not hear each other. */
    private void split() {
        List<FailoverNode> side = alive().filter(each -> random.nextBoolean()).toList();
        note("nodes %s hear no others", side.stream().map(each -> each.server).toList());
        count("splits");
        for (FailoverNode a : side) {
            for (FailoverNode b : nodes) {
                if (!side.contains(b)) {
                    broken.add(Set.of(a.server, b.server));
                    FailoverLink link = linkOf(a, b);
                    if (link != null) {
                        cut(link, 4_000_000);
                    }
                }
            }
        }
    }

    /**
     * All nodes run and reach each other. Those that are lost are forgotten as soon as all know who
     * takes over from them, or after a while: nodes that have not heard them since their start take
     * over only then.
     */
    void heal() {
        note("all is to be well again");
        broken.clear();
        alive().filter(each -> !each.isRunning()).forEach(this::begin);
        nodes.forEach(a -> nodes.forEach(b -> linkSoon(a, b)));
        long end = scheduler.micros() + TAKEN_OVER_MICROS;
        boolean isOver = false;
        for (long steps = 0; !isOver && scheduler.micros() < end; steps++) {
            isOver = steps % 64 == 0 && isTakenOver();
            if (!isOver) {
                step();
            }
        }
        int lost = forgetLost();
        if (lost > 0 && !isOver) {
            count("forgotten before a take-over");
        }
        runUntil(this::isTakenOver, "taking over");
        join(lost);
        runUntil(this::isWell, "filling");
        note("all is well");
    }

    private boolean isTakenOver() {
        return alive().allMatch(each ->
                each.isRunning()
                        && each.running().isReady
                        && nodes.stream()
                                .filter(gone -> gone.isLost)
                                .noneMatch(gone -> isLed(each, gone.server)));
    }

    /** Nodes that have died for ever are forgotten; returns how many. */
    private int forgetLost() {
        Set<Integer> servers = new TreeSet<>(forgotten.servers());
        nodes.stream().filter(each -> each.isLost).forEach(each -> servers.add(each.server));
        int lost = servers.size() - forgotten.servers().size();
        if (lost == 0) {
            return 0;
        }
        forgotten = new Forgotten(servers, forgotten.times() + lost);
        alive().filter(FailoverNode::isRunning).forEach(each -> each.running().forgotten());
        return lost;
    }

    /** There may be another node for each that was forgotten. */
    private void join(int left) {
        int lost = left;
        if (lost == 0) {
            return;
        }
        while (members().size() < copies.copies() || random.nextInt(3) > 0 && lost-- > 0) {
            FailoverNode made = new FailoverNode(this, nodes.size() + 1);
            nodes.add(made);
            note("node %s joins", made.server);
            count("joined");
            begin(made);
            alive().filter(each -> each != made).forEach(each -> each.running().tellNodes());
        }
    }

    private boolean isWell() {
        return alive().allMatch(each ->
                each.isRunning()
                        && each.running().isReady
                        && !each.running().isPaused()
                        && each.running().isServed()
                        && each.running().isWhole());
    }

    // ---------------------------------------------------------------- the end

    /** Copies are read one after the other: what is forgotten meanwhile makes them differ. */
    void copiesBecomeEqual() {
        for (int i = 1; ; i++) {
            try {
                copiesAreEqual();
                return;
            } catch (IllegalStateException e) {
                if (i == COMPARED_MAX) {
                    throw e;
                }
                pass(3_000_000);
            }
        }
    }

    /**
     * All nodes have the same retained messages. Each is the last that its publisher has sent to
     * the topic at its QoS: what is sent again comes in order.
     */
    private void judgeRetained() {
        Map<Integer, Map<String, String>> byNode = new TreeMap<>();
        alive().forEach(each -> byNode.put(each.server, each.running().retained()));
        if (new HashSet<>(byNode.values()).size() > 1) {
            throw new IllegalStateException("retained messages differ: " + byNode);
        }
        byNode.values()
                .iterator()
                .next()
                .values()
                .forEach(value -> {
                    int number = Integer.parseInt(value);
                    Sent as = sent(number);
                    sent.forEach((later, other) -> {
                        if (later > number && other.equals(as)) {
                            throw new IllegalStateException(
                                    number + " is retained instead of " + later);
                        }
                    });
                    count("retained at the end");
                });
    }

    /**
     * Of each session that a node leads its followers have the same. A session that was set aside
     * may be a second one of its client id.
     */
    private void copiesAreEqual() {
        Map<Integer, Map<Long, QueueDigest>> digests = new HashMap<>();
        for (FailoverNode each : alive().toList()) {
            Map<Long, QueueDigest> of = new TreeMap<>();
            each.running().digests().forEach(queue -> of.put(queue.queueId(), queue));
            digests.put(each.server, of);
        }
        Set<ClientId> found = new HashSet<>();
        for (FailoverNode each : alive().toList()) {
            long aside = each.running().part().slots().sessionsAside();
            for (QueueDigest queue : Objects.requireNonNull(digests.get(each.server)).values()) {
                ClientId clientId = queue.clientId();
                if (clientId != null
                        && queue.leader() == QueueDigest.THIS_NODE
                        && each.running().part().slots().leaders().acts(clientId.slot())) {
                    if (!found.add(clientId) && aside-- == 0) {
                        throw new IllegalStateException("two sessions of " + clientId);
                    }
                    isCopied(each, queue, clientId, digests);
                }
            }
        }
        Set<String> sessions =
                Stream.of(subscribers, publishers, members)
                        .<FailoverClient>flatMap(List::stream)
                        .map(each -> each.id)
                        .filter(each -> !each.startsWith("x"))
                        .collect(Collectors.toSet());
        found.forEach(each -> sessions.remove(each.toString()));
        if (!sessions.isEmpty()) {
            throw new IllegalStateException("nobody has sessions of " + sessions);
        }
    }

    private void isCopied(
            FailoverNode leader,
            QueueDigest queue,
            ClientId clientId,
            Map<Integer, Map<Long, QueueDigest>> digests) {
        for (CopyRecord each : leader.running().part().copies().records()) {
            if (each.copySet() == CopySets.of(clientId)) {
                if (each.whole().size() < copies.copies() - 1) {
                    throw new IllegalStateException(clientId + " has too few copies: " + each);
                }
                for (int follower : each.whole()) {
                    QueueDigest there =
                            Objects.requireNonNull(digests.get(follower)).get(queue.queueId());
                    String copy = there == null ? "none" : FailoverNode.text(there.digest());
                    String own = FailoverNode.text(queue.digest());
                    if (!own.equals(copy)) {
                        throw new IllegalStateException(
                                "%s differs at node %s and its follower %s: %s, %s"
                                        .formatted(clientId, leader.server, follower, own, copy));
                    }
                    count("equal copies");
                }
            }
        }
    }
}
