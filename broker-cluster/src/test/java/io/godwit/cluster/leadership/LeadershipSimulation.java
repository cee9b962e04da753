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
        DISKS;

        static Trouble of(long seed) {
            return values()[(int) (seed % values().length)];
        }
    }

    static final int SLOTS = 24;
    static final LeadershipTimes TIMES = new LeadershipTimes(10_000, 5_000);
    private static final long TROUBLES_MS = 60_000;
    private static final long QUIET_MS = 40_000;
    private static final int LINES = 400;

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
    private boolean isQuiet;

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

    private void count(String what, int by) {
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
        later(3_000, this::troubles);
        clients();
        until(TROUBLES_MS);
        isQuiet = true;
        tell("quiet");
        pairs.forEach(each -> each.isCut = false);
        nodes.stream().filter(each -> !each.isUp()).forEach(SimulatedNode::begin);
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
        later(100, this::lookAtPairs);
    }

    private void startAll(long withinMs) {
        nodes.forEach(each ->
                later(
                        random(withinMs),
                        () -> {
                            if (!each.isUp()) {
                                each.begin();
                            }
                        }));
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
        if (dice < 25) {
            if (node.isUp()) {
                crash(node);
            } else {
                start(node);
            }
        } else if (dice < 50) {
            nodes.stream().filter(each -> !each.isUp()).findFirst().ifPresent(this::start);
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
        if (node.hasBegun()) {
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
                if (!each.isAside && node.use.acts(each.slot) == null) {
                    throw new AssertionError(
                            "nobody serves a session of slot "
                                    + each.slot
                                    + " at node "
                                    + node.server);
                }
            }
        }
    }

    private void checkEnd(int slot) {
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
        boolean isPreferred = leader.nodes().slots().order(slot)[0] == leader.server;
        if (!isPreferred && !leader.use.holdings().get(slot)) {
            throw new AssertionError(
                    "slot " + slot + " without sessions is led by node " + leader.server);
        }
    }
}
