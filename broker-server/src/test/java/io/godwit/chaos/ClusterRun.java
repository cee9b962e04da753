package io.godwit.chaos;

import io.godwit.server.BrokerProcess;
import io.godwit.server.cluster.ClusterProcesses;
import io.godwit.server.cluster.NodeNetwork;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Rounds of load on several nodes, in each of which one node is killed, stopped in order, does not
 * run for a while, is cut off, or has a disk that is full or slow, and comes back, or all of them
 * end and come back, or one is lost with its disk; then everything is drained. Clients connect to
 * another node each time. What is subscribed while links are cut is owed nothing from across the
 * cut ({@link Apart}). What is checked is what the clients sent and saw. A node may set sessions
 * aside that another one has taken over: their clients find them there.
 */
final class ClusterRun {
    private static final int SHORTEST_MS = 200;
    private static final long QUIET_MS = 60_000;

    /** Once something was found: what is missing then need not be waited for again. */
    private static final long QUIET_IN_VAIN_MS = 10_000;

    private static final long START_LIMIT_MS = 180_000;
    private static final long STOP_LIMIT_MS = 60_000;

    /** As the nodes are configured. */
    private static final int PEER_TIMEOUT_MS = 3_000;

    /** The least and the longest time that a disk is short of room, or slow. */
    private static final int DISK_LEAST_MS = 1_000;

    private static final int DISK_MOST_MS = 4_000;

    /** So much room is left on a disk at most: below the default of durability.disk-free. */
    private static final int FREE_MOST_MIB = 500;

    /** So many writes go well, at most, before a disk is full. */
    private static final int WRITES_BEFORE_FULL = 20;

    private static final long EXIT_LIMIT_MS = 60_000;
    private static final long ALARM_LIMIT_MS = 10_000;

    /**
     * A node that is not heard for less is not taken over from: a sixth of the default of
     * cluster.failover-timeout.
     */
    private static final int TAKE_OVER_LEAST_MS = 1_000;

    /** How long a node stays away for that: longer than cluster.failover-timeout. */
    private static final int AWAY_LEAST_MS = 7_000;

    private static final int AWAY_MOST_MS = 9_000;

    /** Until a node comes in the place of one that was lost. */
    private static final int JOIN_LEAST_MS = 500;

    private static final int JOIN_MOST_MS = 5_000;

    /** How often nodes are asked for something that takes a while. */
    private static final int ASK_MS = 200;

    private static final int VIOLATIONS_ENOUGH = 50;

    /** What happens to a node at the end of a round. */
    enum Fate {
        KILL,
        /** As {@link #KILL}, and it comes back after its sessions were taken over. */
        KILL_LONG,
        /** SIGTERM: an orderly stop. */
        STOP,
        /** As {@link #STOP}, and it comes back after its sessions were taken over. */
        STOP_LONG,
        /**
         * Killed for ever, and its disk is lost: another node comes in its place, and it is
         * forgotten, before or after that.
         */
        GONE,
        /** Killed, and it comes back with an empty disk: what it was before is forgotten. */
        WIPE,
        /**
         * A node with an empty disk joins while all run. When all copies are whole, another one is
         * stopped in order, and forgotten.
         */
        JOIN,
        /** SIGSTOP, and SIGCONT some time later. */
        PAUSE,
        /** Its link to another node, or to all, is cut both ways for a while. */
        CUT,
        /** As {@link #CUT}, but one way. */
        CUT_ONE_WAY,
        /**
         * Its disk has little room left for a while, which is an alarm; or has none, which ends it.
         */
        FULL,
        /** Each sync of its disk takes 50 to 500 ms longer for a while. */
        SLOW,
        /** All nodes end shortly after each other, and are started one after the other. */
        OUTAGE;

        /** Each as often as it comes before they come in another order. */
        static final List<Fate> WEIGHED =
                List.of(
                        KILL,
                        KILL,
                        KILL_LONG,
                        STOP,
                        STOP_LONG,
                        GONE,
                        WIPE,
                        JOIN,
                        PAUSE,
                        CUT,
                        CUT_ONE_WAY,
                        FULL,
                        SLOW,
                        OUTAGE);

        private boolean isOfLinks() {
            return this == CUT || this == CUT_ONE_WAY;
        }

        private boolean isOfDisks() {
            return this == FULL || this == SLOW;
        }

        /** Whether it loses what only one node has. */
        private boolean needsCopies() {
            return this == GONE || this == WIPE || this == JOIN;
        }

        /**
         * Returns those that are possible.
         *
         * @param areLinksCut whether nodes have a network of their own
         * @param doDisksFail whether their disks can be made to fail
         * @param areCopied whether sessions have copies, which others take over
         */
        static Set<Fate> possible(boolean areLinksCut, boolean doDisksFail, boolean areCopied) {
            Set<Fate> fates = EnumSet.allOf(Fate.class);
            fates.removeIf(each ->
                    each.isOfLinks() && !areLinksCut
                            || each.isOfDisks() && !doDisksFail
                            || each.needsCopies() && !areCopied);
            return fates;
        }
    }

    private final SplittableRandom random;
    private final List<Fate> fates;

    /** What is left of them; then they come in another order. */
    private final List<Fate> coming = new ArrayList<>();

    private final @Nullable NodeNetwork network;
    private final Scene scene;
    private final ClusterProcesses nodes;
    private final Crowd crowd;
    private final Consumer<String> progress;

    /** Holds the number of the node at each place; another one when a node was replaced. */
    private final int[] numbers;

    private final boolean[] isLaunched;
    private final boolean[] isUp;
    private final int startGapMs;

    /** Holds the disk of each node; empty when no disk is to fail. */
    private final List<DiskFault> disks = new ArrayList<>();

    private final boolean doDisksFail;
    private int probes;

    /** Violations that {@link #progress} has got. */
    private int told;

    private ClusterRun(
            long seed,
            Set<Fate> fates,
            int perSecond,
            int startGapMs,
            ClusterProcesses nodes,
            Consumer<String> progress) {
        network = nodes.network();
        this.startGapMs = startGapMs;
        if (network == null && fates.stream().anyMatch(Fate::isOfLinks)) {
            throw new IllegalArgumentException(fates + " need a network");
        }
        if (!nodes.takesOver() && fates.stream().anyMatch(Fate::needsCopies)) {
            throw new IllegalArgumentException(fates + " need copies");
        }
        this.fates = Fate.WEIGHED.stream().filter(fates::contains).toList();
        this.nodes = nodes;
        this.progress = progress;
        random = new SplittableRandom(seed);
        scene = Scene.ofNodes(seed, nodes.count());
        List<Client> clients = Casting.crowd(scene, random.split(), perSecond, 0);
        crowd = new Crowd(scene, clients, nodes.count());
        isLaunched = new boolean[nodes.count()];
        isUp = new boolean[nodes.count()];
        numbers = new int[nodes.count()];
        doDisksFail = fates.stream().anyMatch(Fate::isOfDisks);
        for (int node = 0; node < numbers.length; node++) {
            numbers[node] = node + 1;
            if (doDisksFail) {
                disks.add(disk(numbers[node]));
            }
        }
    }

    private DiskFault disk(int number) {
        DiskFault disk = DiskFault.of(nodes.data(number), nodes.scratch("faults" + number));
        nodes.environment(number, disk.withoutRecord());
        return disk;
    }

    private String name(int node) {
        return "node " + numbers[node];
    }

    private BrokerProcess process(int node) {
        return nodes.node(numbers[node]);
    }

    private void launch(int node) {
        nodes.launch(numbers[node]);
        isLaunched[node] = true;
    }

    /**
     * @param fates of which each round's is one, in random order, a kill most often; not empty
     * @param longestMs of a round's load before something happens; each has a length of its own
     * @param perSecond messages that each publisher sends at most
     * @param startGapMs after an outage, the longest time between two starts
     * @param nodes none of which was started yet
     * @param progress gets a line for each round, and each violation with what led to it
     */
    static ChaosRun.Report run(
            long seed,
            Set<Fate> fates,
            int rounds,
            int longestMs,
            int perSecond,
            int startGapMs,
            ClusterProcesses nodes,
            Consumer<String> progress) {
        ClusterRun run = new ClusterRun(seed, fates, perSecond, startGapMs, nodes, progress);
        try (Crowd crowd = run.crowd) {
            for (int i = 0; i < rounds && run.violations() < VIOLATIONS_ENOUGH; i++) {
                run.round(longestMs);
            }
            run.drain();
        }
        Checker checker = run.scene.checker();
        run.scene.tally().add(Happening.SENT_TO_THE_CUT_OFF, checker.excused(false));
        run.scene.tally().add(Happening.MISSED_BY_THE_CUT_OFF, checker.excused(true));
        run.scene.tally().add(Happening.MISSED_BY_GROUPS, checker.missedWithDisks());
        return new ChaosRun.Report(
                run.scene.tally(),
                run.scene.history().round(),
                run.scene.checker().violations(),
                run.scene.checker().counts(),
                run.scene.outages());
    }

    private int violations() {
        return scene.checker().violationsAll();
    }

    private void round(int longestMs) {
        begin();
        int lengthMs = SHORTEST_MS + random.nextInt(Math.max(1, longestMs - SHORTEST_MS + 1));
        crowd.runFor(lengthMs);
        int node = random.nextInt(nodes.count());
        String name = name(node) + " ";
        findLeaders();
        Fate fate = fate();
        scene.outages().begin(fate.name());
        String what =
                switch (fate) {
                    case KILL -> name + kill(node);
                    case KILL_LONG -> name + stayAway(node, () -> kill(node));
                    case STOP -> name + stop(node);
                    case STOP_LONG -> name + stayAway(node, () -> stop(node));
                    case GONE -> name + lose(node, false);
                    case WIPE -> name + lose(node, true);
                    case JOIN -> name + join(node);
                    case PAUSE -> name + pause(node);
                    case CUT -> name + cut(node, false);
                    case CUT_ONE_WAY -> name + cut(node, true);
                    case FULL -> name + full(node);
                    case SLOW -> name + slow(node);
                    case OUTAGE -> outage();
                };
        // The others go on without it.
        crowd.runFor(random.nextInt(SHORTEST_MS, 2_000));
        progress.accept(
                "round %d: %d ms, then %s; %d violations so far"
                        .formatted(scene.history().round(), lengthMs, what, violations()));
        List<Violation> found = scene.checker().violations();
        found.subList(told, found.size()).forEach(each -> progress.accept("" + each));
        told = found.size();
    }

    private Fate fate() {
        if (coming.isEmpty()) {
            coming.addAll(fates);
            Collections.shuffle(coming, random);
        }
        return coming.removeLast();
    }

    /** Notes which node serves which session now. */
    private void findLeaders() {
        scene.checker().leaders.lookAgain();
        for (int i = 0; i < numbers.length; i++) {
            int node = i;
            nodes.served(numbers[i]).forEach(id -> scene.checker().leaders.found(id, node));
        }
        scene.checker().leadersFound();
    }

    /** Every node is there. */
    private void begin() {
        scene.history().nextRound();
        scene.tally().count(Happening.ROUNDS);
        List<Integer> down = new ArrayList<>();
        for (int i = 0; i < isUp.length; i++) {
            if (!isUp[i]) {
                down.add(i);
            }
        }
        boolean isAfterOutage = down.size() == isUp.length && scene.history().round() > 1;
        if (isAfterOutage) {
            Collections.shuffle(down, random);
        }
        for (int node : down) {
            if (isAfterOutage) {
                crowd.runUntil(this::noteReady, random.nextInt(startGapMs + 1));
            }
            launch(node);
        }
        awaitReady();
        if (isAfterOutage && !crowd.runUntil(nodes::hearEachOther, START_LIMIT_MS)) {
            throw new AssertionError("nodes do not find each other" + nodes.story());
        }
        // A node that was alone did not know what the others had retained after its end.
        down.forEach(this::checkRetained);
        scene.outages().end();
    }

    private void awaitReady() {
        if (!crowd.runUntil(this::noteReady, START_LIMIT_MS)) {
            throw new AssertionError("not all nodes became ready" + nodes.story());
        }
    }

    private void checkRetained(int node) {
        RetainedReader.check(scene, process(node).address("mqtt"));
    }

    /** Lets clients come to nodes that have become ready. Returns whether all nodes are. */
    private boolean noteReady() {
        boolean areAll = true;
        for (int i = 0; i < isUp.length; i++) {
            if (isLaunched[i] && !isUp[i]) {
                BrokerProcess process = process(i);
                if (process.isReady()) {
                    isUp[i] = true;
                    scene.tally().count(Happening.STARTS);
                    crowd.nodeIs(i, process.address("mqtt"));
                } else if (!process.process().isAlive()) {
                    throw new AssertionError(name(i) + " ended" + nodes.story());
                }
            }
            areAll &= isUp[i];
        }
        return areAll;
    }

    private String outage() {
        scene.tally().count(Happening.OUTAGES);
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < isUp.length; i++) {
            order.add(i);
        }
        Collections.shuffle(order, random);
        List<String> ends = new ArrayList<>();
        for (int node : order) {
            ends.add(numbers[node] + " " + (random.nextBoolean() ? kill(node) : stop(node)));
            crowd.runFor(random.nextInt(SHORTEST_MS));
        }
        return "all nodes ended: " + String.join(", ", ends);
    }

    private String kill(int node) {
        scene.tally().count(Happening.KILLS);
        nodes.kill(numbers[node]);
        gone(node);
        return "was killed";
    }

    /** Nodes that run, by number. */
    private List<Integer> running() {
        List<Integer> running = new ArrayList<>();
        for (int i = 0; i < numbers.length; i++) {
            if (isUp[i]) {
                running.add(numbers[i]);
            }
        }
        return running;
    }

    /** As {@link Crowd#runUntil}, but asks only now and then, since nodes have to be asked. */
    private boolean ask(BooleanSupplier wanted, long limitMs) {
        long endMs = Crowd.nowMs() + limitMs;
        while (!wanted.getAsBoolean()) {
            if (Crowd.nowMs() > endMs) {
                return false;
            }
            crowd.runFor(ASK_MS);
        }
        return true;
    }

    /**
     * It ends, and the others serve what it has served before it comes back; if not all copies were
     * whole, what has none waits for it.
     */
    private String stayAway(int node, Supplier<String> end) {
        boolean areWhole = nodes.takesOver() && nodes.areCopiesWhole();
        String how = end.get();
        int forMs = random.nextInt(AWAY_LEAST_MS, AWAY_MOST_MS);
        scene.tally().count(Happening.LONG_ABSENCES);
        crowd.runFor(forMs);
        if (areWhole) {
            awaitTakenOver(node);
        }
        String copies = areWhole || !nodes.takesOver() ? "" : ", with copies that were not whole";
        return how + copies + ", and stayed away for " + forMs + " ms";
    }

    private void awaitTakenOver(int node) {
        if (nodes.takesOver() && !ask(() -> nodes.areAllSlotsLed(running()), QUIET_MS)) {
            stuck(name(node), "is not taken over from");
        }
    }

    private void stuck(String who, String what) {
        scene.checker().report(Violation.Kind.STUCK, who, null, what + nodes.story());
    }

    /** It is killed, and its disk is lost. The others have copies of everything. */
    private String lose(int node, boolean isSameBack) {
        if (!ask(nodes::areCopiesWhole, QUIET_MS)) {
            stuck("a node", "does not say that its copies are whole");
            return kill(node);
        }
        int lost = numbers[node];
        int server = nodes.server(lost);
        scene.tally().count(isSameBack ? Happening.DISKS_LOST : Happening.NODES_LOST);
        nodes.lose(lost);
        gone(node);
        if (!ask(() -> !nodes.isHeard(ClusterProcesses.name(lost), running()), QUIET_MS)) {
            stuck(name(node), "was lost, and others still hear it");
        }
        if (!nodes.takesOver()) {
            scene.checker().diskLost();
        }
        // Its name is that of the new one, too, when that one has the same number.
        String member = isSameBack ? String.valueOf(server) : ClusterProcesses.name(lost);
        boolean isForgottenFirst = random.nextBoolean();
        if (isForgottenFirst) {
            awaitTakenOver(node);
            forget(node, member);
        }
        crowd.runFor(random.nextInt(JOIN_LEAST_MS, JOIN_MOST_MS));
        if (!isSameBack) {
            numbers[node] = nodes.replace(lost);
            if (doDisksFail) {
                disks.set(node, disk(numbers[node]));
            }
        }
        launch(node);
        awaitReady();
        checkRetained(node);
        if (!isForgottenFirst) {
            awaitTakenOver(node);
            forget(node, member);
        }
        return "was lost with its disk, forgotten %s %s joined"
                .formatted(isForgottenFirst ? "before" : "after", name(node));
    }

    /** Another node joins, and has its place when it is stopped. */
    private String join(int node) {
        scene.tally().count(Happening.NODES_JOINED);
        int left = numbers[node];
        int joined = nodes.add();
        DiskFault disk = doDisksFail ? disk(joined) : null;
        nodes.launch(joined);
        if (!ask(() -> nodes.node(joined).isReady() && nodes.areCopiesWhole(), QUIET_MS)) {
            stuck(ClusterProcesses.name(joined), "has joined, and not all copies become whole");
        }
        stop(node);
        nodes.remove(left);
        numbers[node] = joined;
        if (disk != null) {
            disks.set(node, disk);
        }
        isLaunched[node] = true;
        awaitReady();
        awaitTakenOver(node);
        forget(node, ClusterProcesses.name(left));
        checkRetained(node);
        return "was stopped and forgotten when " + name(node) + " had joined";
    }

    /** As the operator does: again until nobody objects. */
    private void forget(int node, String member) {
        String[] objection = {""};
        int at = running().stream().filter(each -> each != numbers[node]).findFirst().orElseThrow();
        BooleanSupplier done =
                () -> {
                    CompletableFuture<String> answer = nodes.forget(at, member);
                    crowd.runUntil(answer::isDone, QUIET_MS);
                    objection[0] = answer.getNow("no answer");
                    return objection[0].isEmpty();
                };
        if (!ask(done, QUIET_MS)) {
            stuck(name(node), "can't be forgotten as " + member + ": " + objection[0]);
        }
    }

    private String stop(int node) {
        scene.tally().count(Happening.STOPS);
        BrokerProcess process = process(node);
        if (nodes.drains()) {
            crowd.nodeIsLeaving(node);
            scene.checker().moving();
        }
        process.terminate();
        boolean ended = crowd.runUntil(() -> !process.process().isAlive(), STOP_LIMIT_MS);
        if (!ended || process.process().exitValue() != 0) {
            String text = ended ? "ended with " + process.process().exitValue() : "did not end";
            scene.checker().report(Violation.Kind.EXIT, name(node), null, text + nodes.story());
            nodes.kill(numbers[node]);
        }
        gone(node);
        scene.checker().moved();
        return "was stopped in order";
    }

    private void gone(int node) {
        isUp[node] = false;
        isLaunched[node] = false;
        crowd.nodeIsGone(node);
        scene.checker().killed();
    }

    private String pause(int node) {
        int pauseMs = random.nextInt(100, 3 * PEER_TIMEOUT_MS);
        scene.tally().count(Happening.PAUSES);
        scene.tally().add(Happening.LONG_PAUSES, pauseMs > PEER_TIMEOUT_MS ? 1 : 0);
        scene.checker().unheard(mayBeTakenOver(pauseMs));
        nodes.signal(numbers[node], "STOP");
        crowd.runFor(pauseMs);
        nodes.signal(numbers[node], "CONT");
        crowd.runUntil(nodes::hearEachOther, START_LIMIT_MS);
        scene.checker().heard();
        return "did not run for " + pauseMs + " ms";
    }

    private boolean mayBeTakenOver(int unheardMs) {
        return nodes.takesOver() && unheardMs >= TAKE_OVER_LEAST_MS;
    }

    private String full(int node) {
        return random.nextBoolean() ? shortOfRoom(node) : outOfRoom(node);
    }

    /** Its disk has little room left: publishers wait. */
    private String shortOfRoom(int node) {
        int mib = random.nextInt(1, FREE_MOST_MIB + 1);
        int forMs = random.nextInt(DISK_LEAST_MS, DISK_MOST_MS);
        scene.tally().count(Happening.SHORT_DISKS);
        disks.get(node).reportFree((long) mib << 20);
        String alarm = ClusterProcesses.name(numbers[node]) + ": disk";
        if (!crowd.runUntil(() -> nodes.alarms().contains(alarm), ALARM_LIMIT_MS)) {
            stuck(name(node), "says nothing of its disk");
        }
        crowd.runFor(forMs);
        disks.get(node).reportFree(0);
        awaitNoAlarm();
        return "had " + mib + " MiB left on its disk for " + forMs + " ms";
    }

    /** Its disk has no room left: it ends, and may have written a part of what it was to write. */
    private String outOfRoom(int node) {
        int before = random.nextInt(WRITES_BEFORE_FULL);
        scene.tally().count(Happening.FULL_DISKS);
        DiskFault disk = disks.get(node);
        disk.fail(
                DiskFault.Call.WRITE,
                DiskFault.Which.ALL,
                DiskFault.Error.ENOSPC,
                before,
                random.nextBoolean());
        BrokerProcess process = process(node);
        boolean ended = crowd.runUntil(() -> !process.process().isAlive(), EXIT_LIMIT_MS);
        if (!ended || process.process().exitValue() != 1) {
            String text = ended ? "ended with " + process.process().exitValue() : "did not end";
            scene.checker().report(Violation.Kind.EXIT, name(node), null, text + nodes.story());
            nodes.kill(numbers[node]);
        }
        disk.heal();
        gone(node);
        return "had a full disk after " + before + " writes, and ended";
    }

    private String slow(int node) {
        int syncMs = random.nextInt(50, 501);
        int forMs = random.nextInt(DISK_LEAST_MS, DISK_MOST_MS);
        scene.tally().count(Happening.SLOW_DISKS);
        disks.get(node).slowSyncs(syncMs * 1_000L);
        crowd.runFor(forMs);
        disks.get(node).slowSyncs(0);
        awaitNoAlarm();
        return "had syncs of " + syncMs + " ms for " + forMs + " ms";
    }

    /** No node has an alarm of its disk, and all copies are whole. */
    private void awaitNoAlarm() {
        if (!crowd.runUntil(() -> nodes.alarms().isEmpty(), QUIET_MS)) {
            stuck("a node", "still has an alarm:" + nodes.alarms());
        }
    }

    /** What one node sends to another is lost. */
    private record Way(int from, int to) {
        Way back() {
            return new Way(to, from);
        }
    }

    private String cut(int node, boolean isOneWay) {
        int cutMs = random.nextInt(100, 3 * PEER_TIMEOUT_MS);
        scene.tally().count(isOneWay ? Happening.CUTS_ONE_WAY : Happening.CUTS);
        scene.tally().add(Happening.LONG_CUTS, cutMs > PEER_TIMEOUT_MS ? 1 : 0);
        List<Way> ways = ways(node, isOneWay);
        int tick = scene.history().nextTick();
        ways.forEach(each -> {
            scene.checker().apart.begin(each.from(), each.to(), tick);
            scene.checker().apart.begin(each.to(), each.from(), tick);
        });
        scene.checker().unheard(mayBeTakenOver(cutMs));
        NodeNetwork cables = Objects.requireNonNull(network);
        ways.forEach(each -> cables.cut(numbers[each.from()], numbers[each.to()]));
        crowd.runFor(cutMs);
        ways.forEach(each -> cables.heal(numbers[each.from()], numbers[each.to()]));
        crowd.runUntil(nodes::hearEachOther, START_LIMIT_MS);
        scene.checker().heard();
        ways.forEach(each -> {
            joined(each);
            joined(each.back());
        });
        String cut =
                ways.stream()
                        .map(each -> numbers[each.from()] + " to " + numbers[each.to()])
                        .collect(Collectors.joining(", "));
        return "was cut off for " + cutMs + " ms: " + cut;
    }

    /** Those between a node and one other, or between it and all others. */
    private List<Way> ways(int node, boolean isOneWay) {
        int others = nodes.count() - 1;
        int first = random.nextInt(others);
        int links = random.nextBoolean() ? 1 : others;
        boolean isHeard = random.nextBoolean();
        List<Way> ways = new ArrayList<>();
        for (int i = 0; i < links; i++) {
            int other = (node + 1 + (first + i) % others) % nodes.count();
            Way way = new Way(node, other);
            if (!isOneWay || !isHeard) {
                ways.add(way);
            }
            if (!isOneWay || isHeard) {
                ways.add(way.back());
            }
        }
        return ways;
    }

    /** What was subscribed at one end while they were cut off, the other one learns now. */
    private void joined(Way way) {
        BrokerProcess subscriber = process(way.from());
        BrokerProcess publisher = process(way.to());
        BooleanSupplier knows =
                () -> Probe.knows(++probes, subscriber.address("mqtt"), publisher.address("mqtt"));
        if (!crowd.runUntil(knows, START_LIMIT_MS)) {
            String text = "does not learn what was subscribed at " + name(way.from());
            scene.checker().report(Violation.Kind.LOST, name(way.to()), null, text);
        }
        scene.checker().apart.end(way.from(), way.to());
    }

    private long quietMs() {
        return violations() == 0 ? QUIET_MS : QUIET_IN_VAIN_MS;
    }

    private void drain() {
        begin();
        crowd.settle(quietMs());
        awaitNoAlarm();
        findLeaders();
        // Since what is still to come is known only now.
        if (!crowd.settle(quietMs())) {
            crowd.reportUnsettled();
        }
        if (!nodes.takesOver()) {
            checkNothingIsAside();
        }
        scene.checker().finish();
    }

    /** Without copies nobody takes sessions over. */
    private void checkNothingIsAside() {
        for (int each : running()) {
            if (!nodes.page(each, "/metrics").contains("godwit_cluster_sessions_aside 0.0")) {
                String text = "has set sessions aside" + nodes.story();
                scene.checker().report(Violation.Kind.SESSION_LOST, "node " + each, null, text);
            }
        }
    }
}
