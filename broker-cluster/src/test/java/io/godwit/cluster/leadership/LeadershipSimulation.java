package io.godwit.cluster.leadership;

import io.godwit.cluster.transport.NodeStart;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Nodes that lead slots, under troubles that a seed draws. Links, disks, shards and membership are
 * models; the time is virtual. After every step it is checked what must never be, and at the end,
 * when all nodes run and nothing is cut, what must be.
 */
final class LeadershipSimulation {
    /** Names the trouble of a seed, beside crashes, cuts, silence and stops of all nodes. */
    enum Trouble {
        /** The cluster begins with all of its nodes. */
        JOINT,
        /** Nodes serve alone, and meet. */
        FOUNDERS,
        /** Nodes are forgotten while they are down, and return. */
        FORGETTING,
        /** Disks are slow, and files damaged. */
        DISKS,
        /** Nodes have copies, sleep, and die for ever; followers take over. */
        TAKE_OVERS;

        static Trouble of(long seed) {
            return values()[(int) (seed % values().length)];
        }
    }

    static final int SLOTS = 24;
    static final LeadershipTimes TIMES = new LeadershipTimes(10_000, 5_000);
    private static final long TROUBLES_MS = 60_000;
    private static final long QUIET_MS = 40_000;
    private static final int LINES = 400;

    /** Two that have heard each other for so long do not both act for a slot. */
    private static final long HEARD_MS = 1_000;

    private record Step(long timeMs, long number, Runnable task) {}

    private final Trouble trouble;
    private final Set<LeadershipRule> rules;
    private final Random random;
    private final PriorityQueue<Step> steps =
            new PriorityQueue<>((a, b) ->
                    a.timeMs() != b.timeMs()
                            ? Long.compare(a.timeMs(), b.timeMs())
                            : Long.compare(a.number(), b.number()));
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final List<SimulatedPair> pairs = new ArrayList<>();
    private final ArrayDeque<String> story = new ArrayDeque<>();
    private final Map<String, Integer> counts = new TreeMap<>();

    /** Slots with two nodes that had sessions there at the same time. */
    private final Set<String> overlaps = new HashSet<>();

    /** Rows that give a slot, which were looked at when they were made. */
    private final Set<String> judged = new HashSet<>();

    private long nowMs;
    private long stepCount;
    private long lastId;
    private boolean isQuiet;

    /** Slots and pairs of nodes that both acted at the last look. */
    private Set<String> bothActed = new HashSet<>();

    private final SimulatedCopies copies = new SimulatedCopies(this);

    private LeadershipSimulation(long seed, Trouble trouble, Set<LeadershipRule> rules) {
        this.trouble = trouble;
        this.rules = rules;
        random = new Random(seed * 0x9E37_79B9_7F4A_7C15L);
    }

    /**
     * Runs one seed.
     *
     * @return how often what has happened
     * @throws AssertionError with the story, when something is wrong
     */
    static Map<String, Integer> run(long seed, Trouble trouble, Set<LeadershipRule> rules) {
        LeadershipSimulation world = new LeadershipSimulation(seed, trouble, rules);
        try {
            world.run();
        } catch (AssertionError | RuntimeException failure) {
            throw new AssertionError(
                    "seed "
                            + seed
                            + " "
                            + trouble
                            + ": "
                            + failure.getMessage()
                            + "\n"
                            + String.join("\n", world.story),
                    failure);
        }
        return world.counts;
    }

    // ---------------------------------------------------------------- what nodes use

    long nowMs() {
        return nowMs;
    }

    Set<LeadershipRule> rules() {
        return rules;
    }

    long random(long bound) {
        return random.nextLong(Math.max(1, bound));
    }

    boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    void later(long delayMs, Runnable task) {
        steps.add(new Step(nowMs + delayMs, stepCount++, task));
    }

    void tell(String line) {
        if (story.size() == LINES) {
            story.removeFirst();
        }
        story.add(nowMs + " " + line);
    }

    List<SimulatedNode> nodes() {
        return nodes;
    }

    long nextId() {
        return ++lastId;
    }

    boolean hasCopies() {
        return trouble == Trouble.TAKE_OVERS;
    }

    /** Whether something of a session is acknowledged now. */
    boolean mayWrite(SimulatedNode node, SimulatedSlotUse.Session session, boolean isAdded) {
        return !hasCopies() || copies.write(node, session, isAdded);
    }

    void onTakeOver(SimulatedNode node, SimulatedNode leader, BitSet slots) {
        tell("node " + node.start() + " takes over from " + leader.server + ": " + slots);
        count("takeOvers", 1);
        count(leader.isUp() ? "takenFromLiving" : "takenFromDead", 1);
    }

    void count(String what, int by) {
        counts.merge(what, by, Integer::sum);
    }

    // ---------------------------------------------------------------- what happens

    private void run() {
        int size = 2 + random.nextInt(3);
        int begins = trouble == Trouble.FOUNDERS ? 1 : size;
        long[] slow = {5, 300, 3_000};
        long slowestMs = trouble == Trouble.DISKS ? 3_000 : slow[random.nextInt(slow.length)];
        for (int server = 1; server <= size; server++) {
            nodes.add(new SimulatedNode(this, server, begins, slowestMs, chance(30)));
        }
        for (SimulatedNode one : nodes) {
            nodes.stream()
                    .filter(other -> other.server > one.server)
                    .forEach(other -> pairs.add(new SimulatedPair(this, one, other)));
        }
        startAll(trouble == Trouble.FOUNDERS ? 20_000 : 5_000);
        lookAtPairs();
        if (hasCopies()) {
            copies.look();
        }
        later(3_000, this::troubles);
        clients();
        until(TROUBLES_MS);
        isQuiet = true;
        tell("quiet");
        pairs.forEach(each -> each.isCut = false);
        nodes.stream().filter(each -> !each.isUp() && !each.isDead).forEach(SimulatedNode::begin);
        until(TROUBLES_MS + QUIET_MS);
        checkEnd();
        count("sessions", nodes.stream().mapToInt(each -> each.use.sessions.size()).sum());
        count("aside", (int) nodes.stream().mapToLong(each -> each.use.sessionsAside()).sum());
    }

    private void until(long endMs) {
        Step next;
        while ((next = steps.peek()) != null && next.timeMs() <= endMs) {
            steps.remove();
            nowMs = next.timeMs();
            next.task().run();
            checkStep();
        }
        nowMs = endMs;
    }

    private void lookAtPairs() {
        pairs.forEach(SimulatedPair::look);
        checkPairs();
        later(100, this::lookAtPairs);
    }

    private void startAll(long withinMs) {
        nodes.forEach(each ->
                later(
                        random(withinMs),
                        () -> {
                            if (!each.isUp() && !each.isDead) {
                                each.begin();
                            }
                        }));
    }

    /** A node dies for ever; a new one may come in its place. */
    private void kill(SimulatedNode node) {
        long dead = nodes.stream().filter(each -> each.isDead).count();
        boolean mayDie = nowMs > 15_000 && dead < nodes.size() / 2;
        if (!mayDie || node.isDead || !isFounded()) {
            return;
        }
        tell("node " + node.server + " dies");
        count("deaths", 1);
        node.isDead = true;
        if (node.isUp()) {
            node.crash();
        }
        if (chance(50)) {
            later(random(10_000), this::join);
        }
    }

    private boolean isFounded() {
        for (SimulatedNode each : nodes) {
            SlotTable table = each.file.table();
            for (int slot = 0; slot < SLOTS; slot++) {
                if (table.get(slot) == null) {
                    return false;
                }
            }
        }
        return true;
    }

    private void join() {
        if (isQuiet) {
            return;
        }
        SimulatedNode made = new SimulatedNode(this, nodes.size() + 1, 2, 300, chance(30));
        nodes.forEach(each -> pairs.add(new SimulatedPair(this, each, made)));
        nodes.add(made);
        made.begin();
    }

    private void sleep(SimulatedNode node) {
        long forMs = 500 + random(15_000);
        count("sleeps", 1);
        pairs.stream().filter(each -> each.has(node)).forEach(each -> each.hush(forMs + 1));
        if (chance(50)) {
            pairs.stream().filter(each -> each.has(node)).forEach(each -> each.isCut = true);
        }
        node.sleep(forMs);
    }

    private SimulatedNode any() {
        return nodes.get(random.nextInt(nodes.size()));
    }

    private SimulatedPair anyPair() {
        return pairs.get(random.nextInt(pairs.size()));
    }

    private void troubles() {
        if (isQuiet) {
            return;
        }
        SimulatedNode node = any();
        int dice = random.nextInt(100);
        if (hasCopies() && chance(25)) {
            if (chance(15)) {
                kill(node);
            } else if (node.isUp() && !node.isAsleep()) {
                sleep(node);
            }
        } else if (dice < 25) {
            if (node.isUp()) {
                crash(node);
            } else if (!node.isDead) {
                start(node);
            }
        } else if (dice < 50) {
            nodes.stream()
                    .filter(each -> !each.isUp() && !each.isDead)
                    .findFirst()
                    .ifPresent(this::start);
        } else if (dice < 60) {
            SimulatedPair pair = anyPair();
            tell("cut " + pair.one.server + " - " + pair.other.server);
            count("cuts", 1);
            pair.isCut = true;
        } else if (dice < 80) {
            pairs.forEach(each -> each.isCut = false);
        } else if (dice < 87) {
            anyPair().hush(1_000 + random(8_000));
        } else if (dice < 91) {
            tell("all end");
            count("outages", 1);
            nodes.stream().filter(SimulatedNode::isUp).forEach(this::crash);
            startAll(20_000);
        } else if (trouble == Trouble.FORGETTING) {
            forget();
        }
        later(200 + random(4_000), this::troubles);
    }

    private void crash(SimulatedNode node) {
        count("crashes", 1);
        node.crash();
    }

    private void start(SimulatedNode node) {
        if (trouble == Trouble.DISKS && chance(10)) {
            tell("file of node " + node.server + " is damaged");
            count("damaged", 1);
            node.file.damage();
        }
        node.begin();
    }

    private void forget() {
        for (SimulatedNode lost : nodes) {
            SimulatedNode by = any();
            if (!lost.isUp() && by.isUp()) {
                count("forgotten", 1);
                by.forget(lost.server);
                return;
            }
        }
    }

    private void clients() {
        if (isQuiet) {
            return;
        }
        SimulatedNode node = any();
        if (node.hasBegun() && !node.isAsleep()) {
            if (chance(85)) {
                node.use.claim(random.nextInt(SLOTS));
            } else {
                node.use.endSome();
            }
        }
        later(random(400), this::clients);
    }

    // ---------------------------------------------------------------- what must never be

    private void checkStep() {
        for (int slot = 0; slot < SLOTS; slot++) {
            for (int i = 1; i < nodes.size(); i++) {
                Epoch epoch = nodes.get(i).use.acts(slot);
                for (int k = 0; k < i && epoch != null; k++) {
                    if (epoch.equals(nodes.get(k).use.acts(slot))) {
                        throw new AssertionError("two act under " + epoch + " for slot " + slot);
                    }
                }
            }
        }
    }

    /**
     * Of nodes that have heard each other one acts for a slot at most, but for the time that a
     * message takes.
     */
    private void checkPairs() {
        Set<String> both = new HashSet<>();
        for (SimulatedPair pair : pairs) {
            if (!pair.isHeardFor(HEARD_MS)) {
                continue;
            }
            for (int slot = 0; slot < SLOTS; slot++) {
                boolean areBoth =
                        pair.one.use.acts(slot) != null && pair.other.use.acts(slot) != null;
                String name = slot + ":" + pair.one.start() + ":" + pair.other.start();
                if (areBoth && both.add(name) && bothActed.contains(name)) {
                    throw new AssertionError(
                            "nodes "
                                    + pair.one.start()
                                    + " and "
                                    + pair.other.start()
                                    + " act for slot "
                                    + slot
                                    + " and hear each other");
                }
            }
        }
        bothActed = both;
    }

    /** Nothing of before a take-over by another node is there when later sessions are loaded. */
    void checkLoads(SimulatedNode node, BitSet slots, Epoch epoch, BitSet loading) {
        count("loads", 1);
        tell("node " + node.start() + " loads " + slots + " for " + epoch);
        if (slots.intersects(loading)) {
            throw new AssertionError("loaded twice at a time: " + slots);
        }
        checkNoOlder(node, slots, epoch);
    }

    /** A node acts for what it took over only when every copy has become a session. */
    void checkLoaded(SimulatedNode node, BitSet slots, Epoch epoch) {
        for (SimulatedSlotUse.Session each : node.use.copies) {
            if (epoch.from() != 0 && each.leader == epoch.from() && slots.get(each.slot)) {
                throw new AssertionError(
                        "node " + node.start() + " acts before it has loaded slot " + each.slot);
            }
        }
        checkNoOlder(node, slots, epoch);
    }

    private void checkNoOlder(SimulatedNode node, BitSet slots, Epoch epoch) {
        for (SimulatedSlotUse.Session each : node.use.sessions) {
            if (hasCopies()
                    && !each.isAside
                    && slots.get(each.slot)
                    && each.takeovers != epoch.takeovers()) {
                throw new AssertionError(
                        "node "
                                + node.start()
                                + " serves a session of before a take-over in slot "
                                + each.slot
                                + " under "
                                + epoch);
            }
        }
    }

    /** A node acts only under what is on its disk. */
    void checkOnDisk(SimulatedNode node, BitSet slots, Epoch epoch) {
        SlotTable disk = node.file.table();
        slots.stream()
                .forEach(slot -> {
                    if (!epoch.equals(disk.get(slot)) || !epoch.isOf(node.start())) {
                        throw new AssertionError(
                                "node "
                                        + node.start()
                                        + " acts for slot "
                                        + slot
                                        + " under "
                                        + epoch
                                        + ", and on its disk is "
                                        + disk.get(slot));
                    }
                });
        count("led", slots.cardinality());
        tell("node " + node.start() + " leads " + slots + " under " + epoch);
    }

    /** Checks that a node tells only epochs that are on its disk. */
    void checkTold(SimulatedNode node, List<SlotRow> rows) {
        SlotTable disk = node.file.table();
        for (SlotRow row : rows) {
            row.slots().stream()
                    .forEach(slot -> {
                        Epoch kept = disk.get(slot);
                        if (kept == null || kept.compareTo(row.epoch()) < 0) {
                            throw new AssertionError("told before it is on the disk: " + row);
                        }
                    });
        }
    }

    /** While a cluster begins with all of its nodes, each slot gets its first leader once. */
    void checkFoundedOnce(SimulatedNode node) {
        if (trouble != Trouble.JOINT) {
            return;
        }
        SlotTable disk = node.file.table();
        for (int slot = 0; slot < SLOTS; slot++) {
            Epoch epoch = disk.get(slot);
            if (epoch == null || epoch.changes() != 1) {
                continue;
            }
            for (SimulatedNode each : nodes) {
                Epoch there = each.file.table().get(slot);
                if (there != null && there.changes() == 1 && !there.equals(epoch)) {
                    throw new AssertionError(
                            "slot " + slot + " was founded twice: " + epoch + " and " + there);
                }
            }
        }
    }

    /** A node has shown who leads; a row that gives a slot names who has its sessions, if any. */
    void onLeaders(SimulatedNode node, SlotLeaders leaders) {
        for (int slot = 0; slot < SLOTS; slot++) {
            Epoch now = leaders.epoch(slot);
            Epoch acted = node.use.acts(slot);
            boolean isGiving = node.leadership().leaders().epoch(slot) == now;
            if (now != null && acted == null && isGiving && now.server() != node.server) {
                checkGiven(node, slot, now);
            }
        }
    }

    private void checkGiven(SimulatedNode by, int slot, Epoch epoch) {
        if (!epoch.equals(given(by, slot)) || !judged.add(slot + ":" + epoch)) {
            return;
        }
        count("given", 1);
        if (epoch.takeovers() > 0) {
            if (by.isToldHolder(epoch.server(), slot)) {
                throw new AssertionError(
                        "slot " + slot + " was given to a holder after a take-over: " + epoch);
            }
            return; // Sessions elsewhere are older.
        }
        boolean receiverHolds =
                nodes.stream()
                        .anyMatch(each ->
                                each.server == epoch.server() && each.use.holdings().get(slot));
        for (SimulatedPair pair : pairs) {
            if (!pair.has(by) || receiverHolds || pair.openedMs() < 0) {
                continue;
            }
            SimulatedNode other = pair.one == by ? pair.other : pair.one;
            boolean isLive = by.nodes().live().containsValue(other.start()) && other.isUp();
            for (SimulatedSlotUse.Session each : other.use.sessions) {
                if (isLive
                        && other.server != epoch.server()
                        && each.slot == slot
                        && !each.isAside
                        && each.sinceMs < pair.openedMs()) {
                    throw new AssertionError(
                            "slot "
                                    + slot
                                    + " was given under "
                                    + epoch
                                    + " while node "
                                    + other.server
                                    + " has sessions there");
                }
            }
        }
    }

    private @Nullable Epoch given(SimulatedNode by, int slot) {
        Epoch before = by.file.table().get(slot);
        Epoch now = by.leadership().leaders().epoch(slot);
        boolean isNext =
                before != null
                        && now != null
                        && before.isOf(by.start())
                        && now.changes() == before.changes() + 1
                        && nodes.stream()
                                .noneMatch(each -> now.equals(each.file.table().get(slot)));
        return isNext ? now : null;
    }

    /** A session was made: other nodes may have some in the same slot. */
    void onSession(SimulatedNode node, int slot) {
        for (SimulatedNode each : nodes) {
            if (each != node && each.use.holdings().get(slot)) {
                overlaps.add(slot + ":" + each.server + ":" + node.server);
                overlaps.add(slot + ":" + node.server + ":" + each.server);
            }
        }
    }

    /** Only where two nodes had sessions at the same time some are set aside. */
    void checkAside(SimulatedNode node, SimulatedSlotUse.Session session, Epoch epoch) {
        if (hasCopies()) {
            if (session.takeovers > epoch.takeovers()) {
                throw new AssertionError(
                        "node "
                                + node.server
                                + " sets sessions of slot "
                                + session.slot
                                + " aside, which it had loaded, for older ones of "
                                + epoch);
            }
            return;
        }
        String overlap = session.slot + ":" + node.server + ":" + epoch.server();
        if (!overlaps.contains(overlap)) {
            throw new AssertionError(
                    "node "
                            + node.server
                            + " sets sessions of slot "
                            + session.slot
                            + " aside, and "
                            + epoch.server()
                            + " never had any");
        }
        if (trouble == Trouble.JOINT || trouble == Trouble.DISKS) {
            throw new AssertionError("sessions on two sides in slot " + session.slot);
        }
    }

    // ---------------------------------------------------------------- what must be at the end

    private void checkEnd() {
        for (int slot = 0; slot < SLOTS; slot++) {
            checkEnd(slot);
        }
        for (SimulatedNode node : nodes) {
            for (SimulatedSlotUse.Session each : node.use.sessions) {
                boolean isServed = node.isDead || node.use.acts(each.slot) != null;
                if (!each.isAside && !isServed && !isLost(each.slot)) {
                    throw new AssertionError(
                            "nobody serves a session of slot "
                                    + each.slot
                                    + " at node "
                                    + node.server);
                }
            }
        }
    }

    private @Nullable SimulatedNode firstRunning(int[] order) {
        for (int server : order) {
            if (!nodes.get(server - 1).isDead) {
                return nodes.get(server - 1);
            }
        }
        return null;
    }

    private Epoch highest(int slot) {
        Epoch highest = null;
        for (SimulatedNode each : nodes) {
            Epoch known = each.isDead ? null : each.leadership().leaders().epoch(slot);
            if (known != null && (highest == null || known.compareTo(highest) > 0)) {
                highest = known;
            }
        }
        return Objects.requireNonNull(highest);
    }

    /** Whether the leader of a slot has died, and no node that runs has what it had. */
    private boolean isLost(int slot) {
        Epoch epoch = highest(slot);
        SimulatedNode leader = nodes.get(epoch.server() - 1);
        return leader.isDead && !copies.isSafe(leader, slot);
    }

    private void checkEnd(int slot) {
        if (isLost(slot)) {
            count("lost", 1);
            for (SimulatedNode each : nodes) {
                if (!each.isDead) {
                    SlotLeaders known = each.leadership().leaders();
                    boolean isOffline =
                            known.state(slot) == SlotLeaders.State.OFFLINE
                                    && highest(slot).equals(known.epoch(slot));
                    if (!isOffline) {
                        throw new AssertionError("a lost slot has another leader: " + slot);
                    }
                }
            }
            return;
        }
        SimulatedNode leader = null;
        for (SimulatedNode each : nodes) {
            if (each.use.acts(slot) != null) {
                if (leader != null) {
                    throw new AssertionError("two nodes act for slot " + slot);
                }
                leader = each;
            }
        }
        if (leader == null) {
            throw new AssertionError("nobody acts for slot " + slot);
        }
        NodeStart expected = leader.start();
        Epoch epoch = leader.use.acts(slot);
        for (SimulatedNode each : nodes) {
            if (each.isDead) {
                continue;
            }
            SlotLeaders known = each.leadership().leaders();
            if (!expected.equals(known.leader(slot))
                    || known.acts(slot) != (each == leader)
                    || !Objects.equals(known.epoch(slot), epoch)) {
                throw new AssertionError(
                        "node "
                                + each.server
                                + " takes "
                                + known.epoch(slot)
                                + " "
                                + known.state(slot)
                                + " for the leader of slot "
                                + slot
                                + " and not "
                                + expected);
            }
        }
        if (!leader.leadership().leaders().grants(slot)) {
            throw new AssertionError("no claim is granted in slot " + slot);
        }
        boolean isPreferred = firstRunning(leader.nodes().slots().order(slot)) == leader;
        if (!isPreferred && !leader.use.holdings().get(slot)) {
            throw new AssertionError(
                    "slot " + slot + " without sessions is led by node " + leader.server);
        }
    }
}
