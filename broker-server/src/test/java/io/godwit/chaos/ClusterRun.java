package io.godwit.chaos;

import io.godwit.server.BrokerProcess;
import io.godwit.server.cluster.ClusterProcesses;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * Rounds of load on several nodes, in each of which one node is killed, stopped in order, or does
 * not run for a while, and comes back; then everything is drained. A client stays at its node,
 * since sessions do. Nobody subscribes while a node does not run and is not heard. What is checked
 * is what the clients sent and saw, nothing else.
 */
final class ClusterRun {
    private static final int SHORTEST_MS = 200;
    private static final long QUIET_MS = 60_000;
    private static final long START_LIMIT_MS = 180_000;
    private static final long STOP_LIMIT_MS = 60_000;

    /** As the nodes are configured. */
    private static final int PEER_TIMEOUT_MS = 3_000;

    private static final int VIOLATIONS_ENOUGH = 50;

    /** What happens to a node at the end of a round. */
    enum Fate {
        KILL,
        /** SIGTERM: an orderly stop. */
        STOP,
        /** SIGSTOP, and SIGCONT some time later. */
        PAUSE
    }

    private final SplittableRandom random;
    private final Set<Fate> fates;
    private final Scene scene;
    private final ClusterProcesses nodes;
    private final Crowd crowd;
    private final Consumer<String> progress;
    private final boolean[] isUp;

    private ClusterRun(
            long seed,
            Set<Fate> fates,
            int perSecond,
            ClusterProcesses nodes,
            Consumer<String> progress) {
        this.fates = EnumSet.copyOf(fates);
        this.nodes = nodes;
        this.progress = progress;
        random = new SplittableRandom(seed);
        scene = Scene.ofNodes(seed);
        List<Client> clients = Casting.crowd(scene, random.split(), perSecond, 0);
        crowd = new Crowd(scene, clients, nodes.count());
        isUp = new boolean[nodes.count()];
    }

    /**
     * @param fates of which each round's is one, a kill most often
     * @param longestMs of a round's load before something happens; each has a length of its own
     * @param perSecond messages that each publisher sends at most
     * @param nodes none of which was started yet
     * @param progress gets a line for each round
     */
    static ChaosRun.Report run(
            long seed,
            Set<Fate> fates,
            int rounds,
            int longestMs,
            int perSecond,
            ClusterProcesses nodes,
            Consumer<String> progress) {
        ClusterRun run = new ClusterRun(seed, fates, perSecond, nodes, progress);
        try (Crowd crowd = run.crowd) {
            for (int i = 0; i < rounds && run.violations() < VIOLATIONS_ENOUGH; i++) {
                run.round(longestMs);
            }
            run.drain();
        }
        return new ChaosRun.Report(
                run.scene.tally(),
                run.scene.history().round(),
                run.scene.checker().violations(),
                run.violations());
    }

    private int violations() {
        return scene.checker().violationsAll();
    }

    private void round(int longestMs) {
        begin();
        int lengthMs = SHORTEST_MS + random.nextInt(Math.max(1, longestMs - SHORTEST_MS + 1));
        crowd.runFor(lengthMs);
        int node = random.nextInt(nodes.count());
        String what =
                switch (fate()) {
                    case KILL -> kill(node);
                    case STOP -> stop(node);
                    case PAUSE -> pause(node);
                };
        // The others go on without it.
        crowd.runFor(random.nextInt(SHORTEST_MS, 2_000));
        progress.accept(
                "round %d: %d ms, then node %d %s; %d violations so far"
                        .formatted(
                                scene.history().round(), lengthMs, node + 1, what, violations()));
    }

    private Fate fate() {
        Fate fate;
        do {
            fate = List.of(Fate.KILL, Fate.KILL, Fate.STOP, Fate.PAUSE).get(random.nextInt(4));
        } while (!fates.contains(fate));
        return fate;
    }

    /** Every node is there. */
    private void begin() {
        scene.history().nextRound();
        scene.tally().count(Happening.ROUNDS);
        for (int i = 0; i < isUp.length; i++) {
            if (!isUp[i]) {
                nodes.launch(i + 1);
            }
        }
        for (int i = 0; i < isUp.length; i++) {
            if (!isUp[i]) {
                await(i, nodes.node(i + 1));
            }
        }
    }

    /** Clients of the other nodes go on meanwhile. */
    private void await(int node, BrokerProcess process) {
        boolean ready =
                crowd.runUntil(
                        () -> process.isReady() || !process.process().isAlive(), START_LIMIT_MS);
        if (!ready || !process.isReady()) {
            throw new AssertionError(
                    "node " + (node + 1) + " did not become ready" + nodes.story());
        }
        scene.tally().count(Happening.STARTS);
        isUp[node] = true;
        RetainedReader.check(scene, process.port("mqtt"));
        crowd.nodeIs(node, process.port("mqtt"));
    }

    private String kill(int node) {
        scene.tally().count(Happening.KILLS);
        nodes.kill(node + 1);
        gone(node);
        return "was killed";
    }

    private String stop(int node) {
        scene.tally().count(Happening.STOPS);
        BrokerProcess process = nodes.node(node + 1);
        process.terminate();
        boolean ended = crowd.runUntil(() -> !process.process().isAlive(), STOP_LIMIT_MS);
        if (!ended || process.process().exitValue() != 0) {
            String text = ended ? "ended with " + process.process().exitValue() : "did not end";
            scene.checker()
                    .report(Violation.Kind.EXIT, "node " + (node + 1), null, text + nodes.story());
            nodes.kill(node + 1);
        }
        gone(node);
        return "was stopped in order";
    }

    private void gone(int node) {
        isUp[node] = false;
        crowd.nodeIsGone(node);
        scene.checker().killed();
    }

    private String pause(int node) {
        int pauseMs = random.nextInt(100, 3 * PEER_TIMEOUT_MS);
        scene.tally().count(Happening.PAUSES);
        scene.tally().add(Happening.LONG_PAUSES, pauseMs > PEER_TIMEOUT_MS ? 1 : 0);
        // What is subscribed while a node does not run it knows when it hears of the others again,
        // and not a moment before (docs/cluster.md).
        crowd.restSubscribing(true);
        crowd.runUntil(() -> !crowd.awaitsSubAcks(), START_LIMIT_MS);
        nodes.signal(node + 1, "STOP");
        crowd.runFor(pauseMs);
        nodes.signal(node + 1, "CONT");
        crowd.runUntil(nodes::hearEachOther, START_LIMIT_MS);
        crowd.restSubscribing(false);
        return "did not run for " + pauseMs + " ms";
    }

    private void drain() {
        begin();
        if (!crowd.settle(QUIET_MS)) {
            crowd.reportUnsettled();
        }
        scene.checker().finish();
    }
}
