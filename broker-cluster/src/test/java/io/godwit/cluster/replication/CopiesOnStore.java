package io.godwit.cluster.replication;

import io.godwit.cluster.transport.LinkState;
import io.godwit.core.packet.ClientId;
import io.godwit.core.simulation.Scheduler;
import io.godwit.core.store.CopySets;
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
 * One run of three or four nodes that have copies of each other's queues on production stores, from
 * one seed. One node at a time has trouble: its process dies or stands still, its disk is lost, its
 * links break or are silent. What is acknowledged is on the disks of as many nodes as are wanted,
 * and at the end all copies are equal.
 */
final class CopiesOnStore {
    private static final int LINK_MICROS = 300_000;
    private static final long AFTER_TROUBLE_MICROS = 12_000_000;
    private static final long HEALED_MICROS = 60_000_000;

    /** Copies are filled with so many bytes at most, which takes longer at a low rate. */
    private static final long FILLED_BYTES = 400_000;

    /** One of so many acknowledgements has all disks read. */
    private static final int AUDITED = 600;

    /** The power goes in one of so many writes, or after so long. */
    private static final int WRITES_MAX = 8;

    private static final long CUT_MICROS = 1_000_000;

    /** A link that has been there for so long is heard by both ends. */
    private static final long STABLE_MICROS = 5_000_000;

    private static final int STORY = 200;

    final Scheduler scheduler = new Scheduler();
    final SplittableRandom random;
    final CopyRules rules;

    /** Chooses which disks are set back. */
    private final SplittableRandom setBacks;

    /** Chooses when disks are read, so that this changes nothing else. */
    private final SplittableRandom audits;

    final CopySettings settings;
    final Map<String, Integer> counts = new TreeMap<>();

    /** How many disks were lost. */
    int disksLost;

    /** Whether followers take over. */
    final boolean takesOver;

    /** Whether leaders give copy sets to their followers. */
    private final boolean gives;

    /** Whether so many nodes may be away that what is acknowledged has fewer copies. */
    boolean isTakingOver;

    /** Holds the client id of each queue that ever was. */
    final Map<Long, ClientId> clientIds = new HashMap<>();

    /** Holds which node has taken each slot over last, or has led it from the beginning. */
    private final int[] leaderOf = new int[ClientId.SLOTS];

    /** Holds how often each slot was taken over then. */
    private final long[] takeoversOf = new long[ClientId.SLOTS];

    /** Nodes that have died for ever. */
    private final Set<StoreNode> dead = new HashSet<>();

    private final List<StoreNode> nodes = new ArrayList<>();
    private Set<Integer> members = Set.of();

    /** How many nodes lead queues: the first ones. */
    final int leaders;

    private final long roomBytes;
    private final int workMicros;

    /** Links that may not be there now, as their lower and their higher node. */
    private final Set<Set<Integer>> broken = new HashSet<>();

    private final Deque<String> story = new ArrayDeque<>();
    private long links;
    private boolean isWorking = true;

    private CopiesOnStore(long seed, CopyRules rules, boolean takesOver, boolean gives) {
        this.rules = rules;
        this.takesOver = takesOver;
        this.gives = gives;
        random = new SplittableRandom(seed * 0x9E37_79B9_7F4A_7C15L);
        audits = new SplittableRandom(~seed);
        setBacks = new SplittableRandom(seed + 77);
        int copies = random.nextInt(4) == 0 ? 3 : 2;
        int count = copies == 3 ? 4 : 3 + random.nextInt(2);
        leaders = random.nextBoolean() ? count : count - 1;
        roomBytes = new int[] {2_000, 20_000, 1 << 20}[random.nextInt(3)];
        workMicros = new int[] {150_000, 400_000, 800_000}[random.nextInt(3)];
        settings =
                CopySettings.of(
                        copies,
                        rules.holds(CopyRule.CONFIRM_WHEN_COMMITTED)
                                ? CopySettings.Confirm.COMMITTED
                                : CopySettings.Confirm.RECEIVED,
                        new long[] {0, 3_000, 1 << 20}[random.nextInt(3)]);
        StoreTable first = new StoreTable(leaders);
        for (int slot = 0; slot < leaderOf.length; slot++) {
            leaderOf[slot] = first.row(slot).server();
        }
        for (int server = 1; server <= count; server++) {
            nodes.add(new StoreNode(this, server));
        }
        members = alive().map(each -> each.server).collect(Collectors.toSet());
    }

    /**
     * Runs a seed.
     *
     * @return how often each thing has happened
     */
    static Map<String, Integer> run(long seed, CopyRules rules) {
        return run(seed, rules, false);
    }

    /**
     * Runs a seed.
     *
     * @param takesOver whether followers take over from leaders that are gone
     * @return how often each thing has happened
     */
    static Map<String, Integer> run(long seed, CopyRules rules, boolean takesOver) {
        return run(seed, rules, takesOver, false);
    }

    /**
     * Runs a seed in which leaders give copy sets to their followers, too.
     *
     * @return how often each thing has happened
     */
    static Map<String, Integer> runGiving(long seed, CopyRules rules) {
        return run(seed, rules, true, true);
    }

    private static Map<String, Integer> run(
            long seed, CopyRules rules, boolean takesOver, boolean gives) {
        CopiesOnStore run = new CopiesOnStore(seed, rules, takesOver, gives);
        try {
            run.run();
            return run.counts;
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(
                    "seed %s, %s us: %s%n%s%n%s"
                            .formatted(
                                    seed,
                                    run.scheduler.micros(),
                                    e.getMessage(),
                                    String.join("\n", run.story),
                                    run.describe()),
                    e);
        }
    }

    private void note(String format, Object... of) {
        if (story.size() == STORY) {
            story.remove();
        }
        story.add(scheduler.micros() + " " + String.format(format, of));
    }

    void count(String what) {
        counts.merge(what, 1, Integer::sum);
    }

    // ---------------------------------------------------------------- the run

    private void run() {
        for (StoreNode each : nodes) {
            begin(each);
        }
        for (int i = 0; i < (takesOver ? nodes.size() : leaders); i++) {
            work(nodes.get(i));
        }
        pass(random.nextInt(6_000_000));
        if (takesOver) {
            heal();
        }
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            int what = takesOver ? random.nextInt(gives ? 16 : 8) : 0;
            if (what > 7) {
                give();
            } else if (what > 2) {
                leaderIsGone();
            } else if (what > 0) {
                split();
            } else {
                trouble();
            }
        }
        isWorking = false;
        heal();
        runUntil(
                () -> alive().allMatch(this::hasPreferredFollowers),
                "going back to preferred followers");
        pass(5_000_000);
        check();
    }

    private void step() {
        try {
            if (!scheduler.step()) {
                throw new IllegalStateException("nothing happens any more");
            }
        } catch (StoreNode.PowerCut cut) {
            count("power cuts in a write");
            cut.node.crash();
        }
    }

    /** Returns what each node knows, and what it waits for. */
    private String describe() {
        return alive().map(StoreNode::describe).collect(Collectors.joining("\n"));
    }

    private void pass(long micros) {
        long end = scheduler.micros() + micros;
        while (scheduler.micros() < end) {
            step();
        }
    }

    void runUntil(BooleanSupplier holds, String what) {
        long rate = settings.fillBytesPerSecond();
        long fillMicros = rate == 0 ? 0 : FILLED_BYTES * 1_000_000 / rate;
        long end = scheduler.micros() + HEALED_MICROS + fillMicros;
        while (!holds.getAsBoolean()) {
            step();
            if (scheduler.micros() > end) {
                throw new IllegalStateException("no end of: " + what);
            }
        }
    }

    private void work(StoreNode node) {
        scheduler.background(
                random.nextInt(workMicros),
                () -> {
                    StoreNode.Process process = node.process;
                    if (isWorking && process != null && !process.isPaused()) {
                        for (int i = random.nextInt(8); i >= 0; i -= 3) {
                            process.led.step();
                        }
                    }
                    if (isWorking) {
                        work(node);
                    }
                });
    }

    private void begin(StoreNode node) {
        node.begin();
        for (StoreNode other : nodes) {
            linkSoon(node, other);
        }
    }

    private void linkSoon(StoreNode a, StoreNode b) {
        scheduler.background(random.nextInt(LINK_MICROS), () -> link(a, b));
    }

    private void link(StoreNode a, StoreNode b) {
        StoreNode.Process first = a.process;
        StoreNode.Process second = b.process;
        if (a == b || first == null || second == null || isBroken(a, b)) {
            return;
        }
        if (first.isPaused() || second.isPaused()) {
            linkSoon(a, b);
            return;
        }
        StoreLink before = first.linkTo(b.server);
        if (before != null && before.isOpen()) {
            return;
        }
        long number = ++links;
        StoreLink there = new StoreLink(first, second.start(), number, roomBytes);
        StoreLink back = new StoreLink(second, first.start(), number, roomBytes);
        there.connect(back);
        back.connect(there);
        first.onLinkUp(there);
        second.onLinkUp(back);
    }

    private boolean isBroken(StoreNode a, StoreNode b) {
        return broken.contains(Set.of(a.server, b.server));
    }

    private Stream<StoreNode> alive() {
        return nodes.stream().filter(each -> !dead.contains(each));
    }

    // ---------------------------------------------------------------- a leader is gone

    /**
     * A leader dies, or sleeps, for so long that others take over; who has done so may die next.
     */
    private void leaderIsGone() {
        List<StoreNode> all = alive().toList();
        StoreNode leader = all.get(random.nextInt(all.size()));
        beginTakeOver();
        boolean forEver = all.size() > settings.copies() && random.nextInt(3) == 0;
        if (random.nextInt(3) == 0 && !forEver) {
            sleep(leader, 3_000_000 + random.nextInt(9_000_000));
        } else {
            note("node %s dies%s", leader.server, forEver ? " for ever" : "");
            count(forEver ? "deaths" : "long crashes");
            if (leader.process != null) {
                leader.crash();
            }
            if (forEver) {
                dead.add(leader);
            }
        }
        int decided = counts.getOrDefault("take-overs", 0);
        long end = scheduler.micros() + 3_000_000 + random.nextInt(9_000_000);
        while (scheduler.micros() < end && counts.getOrDefault("take-overs", 0) == decided) {
            step();
        }
        pass(random.nextInt(random.nextBoolean() ? 100_000 : 3_000_000));
        if (random.nextBoolean()) {
            diesToo(leader);
        }
        if (!forEver && leader.process == null) {
            begin(leader);
        }
        pass(random.nextInt(5_000_000));
        heal();
        pass(AFTER_TROUBLE_MICROS);
    }

    /** Nodes are on two sides, which do not hear each other; some may die meanwhile. */
    private void split() {
        beginTakeOver();
        List<StoreNode> side = new ArrayList<>();
        for (StoreNode each : nodes) {
            if (random.nextBoolean()) {
                side.add(each);
            }
        }
        note("nodes %s do not hear the others", side.stream().map(each -> each.server).toList());
        count("splits");
        for (StoreNode a : side) {
            for (StoreNode b : nodes) {
                StoreLink link = linkOf(a, b);
                if (!side.contains(b)) {
                    broken.add(Set.of(a.server, b.server));
                    if (link != null) {
                        link.cut();
                    }
                }
            }
        }
        pass(random.nextInt(12_000_000));
        for (int i = random.nextInt(4); i > 0; i--) {
            List<StoreNode> all = alive().toList();
            StoreNode node = all.get(random.nextInt(all.size()));
            if (node.process == null) {
                begin(node);
            } else if (random.nextInt(3) == 0) {
                sleep(node, 1_000_000 + random.nextInt(9_000_000));
            } else {
                note("node %s dies", node.server);
                node.crash();
            }
            if (random.nextInt(3) == 0) {
                broken.clear();
                relink();
            }
            pass(random.nextInt(9_000_000));
        }
        broken.clear();
        alive().filter(each -> each.process == null).forEach(this::begin);
        heal();
        pass(AFTER_TROUBLE_MICROS);
    }

    /**
     * Leaders give copy sets to their followers, which take them over. Meanwhile somebody dies or
     * sleeps, or links break.
     */
    private void give() {
        beginTakeOver();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            List<StoreNode> all = alive().toList();
            StoreNode leader = all.get(random.nextInt(all.size()));
            StoreNode other =
                    all.get(
                            (all.indexOf(leader) + 1 + random.nextInt(all.size() - 1))
                                    % all.size());
            give(leader);
            if (random.nextInt(3) > 0) {
                long micros = random.nextInt(random.nextBoolean() ? 50_000 : 400_000);
                pass(micros);
                StoreNode node = random.nextBoolean() ? leader : other;
                switch (random.nextInt(5)) {
                    case 0, 1 -> crash(node, false);
                    case 2 -> pause(node);
                    case 3 -> breakLink(leader, other);
                    default -> silence(node, node == leader ? other : leader);
                }
            }
            pass(random.nextInt(3_000_000));
        }
        heal();
        pass(AFTER_TROUBLE_MICROS);
    }

    private void give(StoreNode leader) {
        StoreNode.Process process = leader.process;
        if (process == null) {
            return;
        }
        process.onOwner(() -> {
            BitSet copySets = new BitSet();
            leader.table.ledBy(leader.server).stream()
                    .forEach(slot -> copySets.set(CopySets.ofSlot(slot)));
            BitSet given = process.leader.give(copySets, any -> true);
            Objects.requireNonNull(process.succession).decision.onLeaders();
            note("node %s gives copy sets %s of %s", leader.server, given, copySets);
            given.stream().forEach(any -> count("given sets"));
        });
    }

    private void relink() {
        nodes.forEach(a -> nodes.forEach(b -> linkSoon(a, b)));
    }

    /** Another node, perhaps the one that is taking over, dies for a while. */
    private void diesToo(StoreNode leader) {
        List<StoreNode> others = alive().filter(each -> each != leader).toList();
        StoreNode other = others.get(random.nextInt(others.size()));
        if (other.process == null) {
            return;
        }
        note("node %s dies, too", other.server);
        count("second crashes");
        other.crash();
        pass(random.nextInt(12_000_000));
        begin(other);
    }

    private void sleep(StoreNode node, long micros) {
        note("node %s sleeps for %s us", node.server, micros);
        count("sleeps");
        node.pause(micros);
        if (random.nextBoolean()) {
            pass(random.nextInt(3_000_000));
            for (StoreNode each : nodes) {
                StoreLink link = linkOf(node, each);
                if (link != null) {
                    link.cut();
                }
                linkSoon(node, each);
            }
        }
    }

    private void beginTakeOver() {
        isTakingOver = true;
        disksLost++;
        promises(false);
    }

    /** Whether a node that has died for ever still leads slots, as far as a node knows. */
    boolean isLedByDead(StoreNode node) {
        return dead.stream().anyMatch(each -> !node.table.ledBy(each.server).isEmpty());
    }

    /** Returns the server ids of all nodes that are not forgotten. */
    Set<Integer> members() {
        return members;
    }

    /** Whether a node knows of another one that it has ended. */
    boolean hasEnded(StoreNode by, int server) {
        StoreNode other = nodes.get(server - 1);
        return other.hasEnded() && !isBroken(by, other);
    }

    /** Returns the node that has taken a slot over last. */
    int leaderOf(int slot) {
        return leaderOf[slot];
    }

    /** A node begins to take over. Nobody else that it hears may hear the leader. */
    void decided(StoreNode by, int from, BitSet copySets) {
        note("node %s takes copy sets %s of node %s over", by.server, copySets, from);
        StoreNode leader = nodes.get(from - 1);
        if (leader.process != null && leader.running().gives(copySets)) {
            count("taken sets that were given");
            return;
        }
        long since = scheduler.micros() - STABLE_MICROS;
        for (StoreNode each : nodes) {
            boolean hears = each != by && each != leader && isStable(each, leader, since);
            if (hears && isStable(by, each, since) && !leader.wasPaused(since)) {
                throw new IllegalStateException(
                        "node %s takes over from node %s, which node %s hears"
                                .formatted(by.server, from, each.server));
            }
        }
    }

    private boolean isStable(StoreNode a, StoreNode b, long since) {
        StoreLink link = linkOf(a, b);
        return link != null
                && link.state() == LinkState.UP
                && link.bornMicros < since
                && !a.wasPaused(since)
                && !b.wasPaused(since);
    }

    /**
     * A node adopts the queues of some slots: it has whatever was acknowledged of them. Of slots
     * that others have taken over since, which it does not know yet, nothing is expected.
     */
    void takenOver(StoreNode by, int from, BitSet adopted, DiskContents contents) {
        note("node %s adopts %s slots of node %s", by.server, adopted.cardinality(), from);
        BitSet slots = new BitSet();
        adopted.stream()
                .filter(slot -> by.table.row(slot).takeovers() >= takeoversOf[slot])
                .forEach(slot -> {
                    slots.set(slot);
                    takeoversOf[slot] = by.table.row(slot).takeovers();
                    leaderOf[slot] = by.server;
                });
        for (StoreNode each : nodes) {
            for (Promises of : List.copyOf(each.promises.values())) {
                if (slots.get(Objects.requireNonNull(clientIds.get(of.queueId)).slot())) {
                    requireAll(by, from, of, contents);
                    if (each != by) {
                        each.promises.remove(of.queueId);
                        by.promises.put(of.queueId, of.move(contents));
                        count("queues moved");
                    }
                }
            }
        }
    }

    private void requireAll(StoreNode by, int from, Promises of, DiskContents contents) {
        List<Object> missing = new ArrayList<>();
        if (of.session != null && !contents.hasSession(of.queueId)) {
            missing.add("session");
        }
        of.entries.keySet().stream()
                .filter(id -> !contents.hasEntry(of.queueId, id))
                .forEach(missing::add);
        of.subscriptions.keySet().stream()
                .filter(name -> !contents.hasSubscription(of.queueId, name))
                .forEach(missing::add);
        of.removed.stream()
                .filter(id -> contents.hasEntry(of.queueId, id))
                .map(id -> "removal of " + id)
                .forEach(missing::add);
        if (!missing.isEmpty()) {
            throw new IllegalStateException(
                    "queue %x of set %s of node %s, which node %s takes over, lacks %s"
                            .formatted(of.queueId, of.copySet, from, by.server, missing));
        }
    }

    // ---------------------------------------------------------------- trouble

    /** One node has trouble, once or several times; then all is well again. */
    private void trouble() {
        List<StoreNode> all = alive().toList();
        StoreNode node = all.get(random.nextInt(all.size()));
        StoreNode other =
                all.get((all.indexOf(node) + 1 + random.nextInt(all.size() - 1)) % all.size());
        if (takesOver) {
            beginTakeOver();
        }
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            switch (random.nextInt(6)) {
                case 0, 1 -> crash(node, random.nextInt(4) == 0);
                case 2 -> pause(node);
                case 3 -> breakLink(node, other);
                case 4 -> silence(node, other);
                default -> crash(node, node.server > leaders);
            }
            pass(random.nextInt(3_000_000));
        }
        if (!takesOver && node.server <= leaders && setBacks.nextInt(3) == 0) {
            setBack(node);
        }
        heal();
        pass(AFTER_TROUBLE_MICROS);
        lost(node);
    }

    /** A leader's disk loses some of what it had synced, and some of what was acknowledged. */
    private void setBack(StoreNode node) {
        heal();
        node.keepDisk();
        pass(setBacks.nextInt(4_000_000));
        note("node %s dies, and its disk is set back", node.server);
        count("disks set back");
        node.setBack();
        disksLost++;
        promises(false);
        pass(setBacks.nextInt(2_000_000));
        begin(node);
        pass(2_000_000); // Its leaders hear that it has less than it had confirmed.
    }

    /** What followers had confirmed and the leader has lost is still somewhere. */
    private void lost(StoreNode leader) {
        if (leader.lost.isEmpty()) {
            return;
        }
        List<DiskContents> disks = nodes.stream().map(StoreNode::contents).toList();
        leader.lost.forEach((queueId, ids) -> {
            for (long id : ids) {
                boolean isAside = disks.stream().anyMatch(each -> each.hasAside(queueId, id));
                count(isAside ? "lost entries set aside" : "lost entries in copies");
                if (!isAside && disks.stream().noneMatch(each -> each.hasEntry(queueId, id))) {
                    throw new IllegalStateException(
                            "entry %s of queue %x, which node %s has lost, is nowhere"
                                    .formatted(id, queueId, leader.server));
                }
            }
        });
        leader.lost.clear();
    }

    private long length() {
        return random.nextInt(random.nextBoolean() ? 500_000 : 9_000_000);
    }

    private void crash(StoreNode node, boolean losesDisk) {
        long away = length();
        boolean isWiped = losesDisk && node.server > leaders && !takesOver;
        note("node %s dies for %s us%s", node.server, away, isWiped ? " with its disk" : "");
        count(isWiped ? "disks lost" : "crashes");
        if (random.nextBoolean()) {
            node.cutSoon(1 + random.nextInt(WRITES_MAX));
            long end = scheduler.micros() + CUT_MICROS;
            while (node.process != null && scheduler.micros() < end) {
                step();
            }
        }
        if (node.process != null) {
            node.crash();
        }
        if (isWiped) {
            node.wipe();
            disksLost++;
            promises(false);
        }
        pass(away);
        begin(node);
    }

    private void promises(boolean areCopied) {
        nodes.forEach(each -> each.promises.values().forEach(of -> of.areCopied(areCopied)));
    }

    private void pause(StoreNode node) {
        long micros = length();
        note("node %s stands still for %s us", node.server, micros);
        count("pauses");
        node.pause(micros);
        pass(micros);
    }

    private void breakLink(StoreNode a, StoreNode b) {
        StoreLink link = linkOf(a, b);
        if (link == null) {
            return;
        }
        long micros = length();
        note("link of %s and %s breaks for %s us", a.server, b.server, micros);
        count("links broken");
        broken.add(Set.of(a.server, b.server));
        link.cut();
        pass(micros);
        broken.clear();
        link(a, b);
    }

    private @Nullable StoreLink linkOf(StoreNode a, StoreNode b) {
        StoreNode.Process process = a.process;
        return process == null ? null : process.linkTo(b.server);
    }

    /** Nothing of what one node sends arrives at the other; later it does, or the link breaks. */
    private void silence(StoreNode from, StoreNode to) {
        StoreLink link = linkOf(from, to);
        if (link == null) {
            return;
        }
        long micros = length();
        note("nothing of %s arrives at %s for %s us", from.server, to.server, micros);
        count("silences");
        link.isSilent = true;
        pass(micros);
        if (random.nextBoolean()) {
            link.endSilence();
        } else {
            link.cut();
            link(from, to);
        }
    }

    private void heal() {
        broken.clear();
        // Nodes that have died for ever are forgotten now.
        members = alive().map(each -> each.server).collect(Collectors.toSet());
        for (StoreNode a : nodes) {
            for (StoreNode b : nodes) {
                link(a, b);
            }
        }
        runUntil(() -> alive().allMatch(each -> isWhole(each.running())), "filling");
        isTakingOver = false;
        promises(true);
        note("all copies are whole");
    }

    private static boolean isWhole(StoreNode.Process process) {
        StoreSuccession takeOvers = process.succession;
        return !process.isPaused()
                && process.leader.status().isWhole()
                && (takeOvers == null || takeOvers.isSettled());
    }

    /**
     * Whether the copy sets of a node are whole at as many followers as are wanted, and no more.
     */
    private boolean hasPreferredFollowers(StoreNode node) {
        List<CopyStatus.Follower> followers = node.running().leader.status().followers();
        int sets = followers.stream().mapToInt(CopyStatus.Follower::sets).sum();
        return sets == CopySets.LAST * (settings.copies() - 1)
                && followers.stream().allMatch(each -> each.sets() == each.wholeSets());
    }

    // ---------------------------------------------------------------- what has to hold

    /** Something was acknowledged: now and then all disks are read. */
    void acknowledged() {
        count("acknowledged");
        if (audits.nextInt(AUDITED) == 0) {
            audit();
        }
    }

    /** Whatever was acknowledged is on the synced disks of as many nodes as are wanted. */
    private void audit() {
        count("audits");
        Map<Integer, DiskContents> disks = new HashMap<>();
        alive().forEach(each -> disks.put(each.server, each.contents()));
        for (StoreNode leader : alive().toList()) {
            for (Promises each : leader.promises.values()) {
                if (each.session != null) {
                    require(leader, each, "session", each.session, disks, DiskContents::hasSession);
                }
                each.entries.forEach((id, isCopied) ->
                        require(
                                leader,
                                each,
                                "entry " + id,
                                isCopied,
                                disks,
                                (disk, queueId) -> disk.hasEntry(queueId, id)));
                each.subscriptions.forEach((filter, isCopied) ->
                        require(
                                leader,
                                each,
                                filter,
                                isCopied,
                                disks,
                                (disk, queueId) -> disk.hasSubscription(queueId, filter)));
            }
        }
    }

    /** Whether a node leads a queue that it has, or has to have. */
    private boolean isKept(StoreNode leader, Promises of, Map<Long, String> own) {
        return leaderOf(slot(of)) == leader.server
                && (of.session != null
                        || own.containsKey(of.queueId) && leader.running().led.has(of.queueId));
    }

    private int slot(Promises of) {
        return Objects.requireNonNull(clientIds.get(of.queueId)).slot();
    }

    private interface Has {
        boolean test(DiskContents disk, long queueId);
    }

    private void require(
            StoreNode leader,
            Promises of,
            String what,
            boolean isCopied,
            Map<Integer, DiskContents> disks,
            Has has) {
        Set<Integer> having = new TreeSet<>();
        disks.forEach((server, disk) -> {
            if (has.test(disk, of.queueId)) {
                having.add(server);
            }
        });
        boolean isEnough = !isCopied || having.size() >= settings.copies();
        if (takesOver && leaderOf(slot(of)) != leader.server) {
            return; // It is about to be adopted.
        }
        if (!having.contains(leader.server) || !isEnough) {
            throw new IllegalStateException(
                    "%s of queue %x of set %s of node %s is at %s"
                            .formatted(what, of.queueId, of.copySet, leader.server, having));
        }
    }

    /** All is quiet: copies are equal, nobody waits, and nothing is kept for others. */
    private void check() {
        audit();
        Map<Integer, Map<Long, String>> digests = new HashMap<>();
        alive().forEach(each -> digests.put(each.server, each.running().digests()));
        List<Integer> servers = alive().map(each -> each.server).toList();
        for (StoreNode leader : alive().toList()) {
            List<Integer> others = servers.stream().filter(each -> each != leader.server).toList();
            Map<Long, String> own = Objects.requireNonNull(digests.get(leader.server));
            for (Promises each : leader.promises.values()) {
                if (takesOver && !isKept(leader, each, own)) {
                    continue;
                }
                List<Integer> order = CopyOrder.order(leader.server, each.copySet, others);
                for (int follower : order.subList(0, settings.copies() - 1)) {
                    String there = Objects.requireNonNull(digests.get(follower)).get(each.queueId);
                    if (!Objects.equals(own.get(each.queueId), there)) {
                        throw new IllegalStateException(
                                "queue %x of set %s differs at node %s and its follower %s: %s, %s"
                                        .formatted(
                                                each.queueId,
                                                each.copySet,
                                                leader.server,
                                                follower,
                                                own.get(each.queueId),
                                                there));
                    }
                    count("equal copies");
                }
            }
            StoreNode.Process process = leader.running();
            counts.merge("queues left out", (int) process.leader.leftOut(), Integer::sum);
            if (process.led.waiting > 0 || process.leader.bytes() > 0) {
                throw new IllegalStateException(
                        "node %s: %s wait, %s bytes are kept for followers"
                                .formatted(
                                        leader.server,
                                        process.led.waiting,
                                        process.leader.bytes()));
            }
            if (process.untakenBytes() > 0) {
                throw new IllegalStateException(
                        "peers of node %s have not given all credit back".formatted(leader.server));
            }
        }
    }
}
