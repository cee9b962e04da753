package io.godwit.core.simulation;

import io.godwit.core.settings.Rules;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * One run: some nodes in one schedule, from one seed. Chaos for some seconds, then everything
 * heals, is drained and compared, then everyone leaves and nothing may be left. The nodes know
 * nothing of each other, or are one cluster, and each crashes and starts while the others work.
 */
public final class Simulation {
    private static final long STEPS_MAX = 3_000_000;

    /** Nothing happens for so long: a phase is over. */
    private static final long QUIET_MICROS = 350_000;

    /** Longer than a second, after which pages that could not be read are asked for again. */
    private static final long QUIET_AFTER_FAILED_READS_MICROS = 1_100_000;

    private static final int STORY = Integer.getInteger("simulation.story", 400);

    /** What the seeds of a run's nodes are apart; the first has the run's own. */
    private static final long NODE_SEEDS = 1_000_000_007L;

    private final long seed;
    private final boolean withStory;
    private final Scheduler scheduler = new Scheduler();
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final int nodeCount;
    private final SimulatedCluster cluster;

    /** Of all nodes of a cluster. */
    private final Checker checker = new Checker();

    private long moment;
    private final EnumMap<Happening, Long> counts = new EnumMap<>(Happening.class);
    private final ArrayDeque<String> story = new ArrayDeque<>();

    private Simulation(
            long seed,
            int nodeCount,
            Rules rules,
            Storage.Maker storages,
            SimulatedCluster.Maker clusters,
            boolean withStory) {
        this.seed = seed;
        this.withStory = withStory;
        this.nodeCount = nodeCount;
        this.cluster =
                clusters == null
                        ? null
                        : clusters.make(
                                scheduler,
                                new SplittableRandom(seed ^ 0x5DEE_CE66DL),
                                IntStream.range(0, nodeCount)
                                        .map(i -> SimulatedNode.SERVER_ID + i)
                                        .toArray(),
                                (node, text) -> note(node, "%s", text),
                                (node, what) -> count(what, 1));
        for (int i = 0; i < nodeCount; i++) {
            nodes.add(new SimulatedNode(this, i, seed + i * NODE_SEEDS, rules, storages));
        }
    }

    /**
     * Runs one seed with one node.
     *
     * @return how often each thing has happened
     * @throws SimulationFailure with the seed, the step and the story
     */
    public static Map<Happening, Long> run(long seed, Rules rules) {
        return run(seed, 1, rules, SimulatedStore::new);
    }

    /** Runs a seed on a storage of another kind. */
    public static Map<Happening, Long> run(long seed, Rules rules, Storage.Maker storages) {
        return run(seed, 1, rules, storages);
    }

    /**
     * Runs a seed with several nodes.
     *
     * @param nodeCount 1 and more
     */
    public static Map<Happening, Long> run(
            long seed, int nodeCount, Rules rules, Storage.Maker storages) {
        return run(seed, nodeCount, rules, storages, null);
    }

    /** The same, with nodes that are one cluster. */
    public static Map<Happening, Long> run(
            long seed,
            int nodeCount,
            Rules rules,
            Storage.Maker storages,
            SimulatedCluster.Maker clusters) {
        Simulation once = new Simulation(seed, nodeCount, rules, storages, clusters, false);
        Throwable first = attempt(once);
        if (first == null) {
            return once.counts;
        }
        Simulation again = new Simulation(seed, nodeCount, rules, storages, clusters, true);
        Throwable failure = attempt(again);
        throw again.failure(failure == null ? first : failure, failure == null);
    }

    private static Throwable attempt(Simulation simulation) {
        try {
            simulation.run();
            return null;
        } catch (RuntimeException | StackOverflowError | AssertionError failure) {
            return failure;
        }
    }

    private SimulationFailure failure(Throwable cause, boolean onlyOnce) {
        StringBuilder text = new StringBuilder();
        text.append("seed ").append(seed).append(", step ").append(scheduler.steps());
        text.append(", ").append(scheduler.micros()).append(" us: ").append(cause.getMessage());
        if (onlyOnce) {
            text.append(" (and not when run again: something is not from the seed)");
        }
        text.append("\nreplay with -Dsimulation.seed=").append(seed);
        if (nodes.size() > 1) {
            text.append(" -Dsimulation.nodes=").append(nodes.size());
        }
        text.append('\n');
        for (String line : story) {
            text.append(line).append('\n');
        }
        text.append("seed ").append(seed).append(": ").append(cause);
        return new SimulationFailure(text.toString(), cause);
    }

    // ---------------------------------------------------------------- the run

    private void run() {
        inPhase("the observer connects", SimulatedNode::open);
        inPhase("the observer subscribes", SimulatedNode::observeWills);
        long end = 0;
        for (SimulatedNode node : nodes) {
            end = Math.max(end, node.begin());
        }
        if (cluster != null) {
            cluster.trouble();
        }
        while (scheduler.micros() < end) {
            step();
            nodes.forEach(SimulatedNode::maybeTrouble);
        }
        nodes.forEach(SimulatedNode::end);
        if (cluster != null) {
            cluster.calm();
        }
        awaitBrokers();
        inPhase("healing", SimulatedNode::heal);
        inPhase("the observer reads what is retained", SimulatedNode::checkHealed);
        nodes.forEach(SimulatedNode::checkRetained);
        if (cluster != null) {
            cluster.describe();
            runUntilQuiet("describing");
            cluster.check();
        }
        inPhase("leaving", SimulatedNode::leave);
        nodes.forEach(SimulatedNode::checkLeft);
        nodes.forEach(SimulatedNode::stop);
        awaitBrokers();
        long later = scheduler.micros() + 5_000_000;
        while (scheduler.micros() < later) {
            step();
        }
        nodes.forEach(SimulatedNode::checkRest);
    }

    private void inPhase(String name, Consumer<SimulatedNode> begin) {
        nodes.forEach(begin);
        runUntilQuiet(name);
    }

    private void awaitBrokers() {
        nodes.forEach(SimulatedNode::leaveInPeace);
        long limit = scheduler.micros() + 20_000_000;
        while (!all(SimulatedNode::isUp)) {
            step();
            if (scheduler.micros() >= limit) {
                throw new IllegalStateException("STUCK: a broker does not come back");
            }
        }
    }

    private void step() {
        try {
            if (!scheduler.step()) {
                throw new IllegalStateException("nothing happens any more");
            }
        } catch (Storage.PowerCut cut) {
            for (SimulatedNode node : nodes) {
                if (node.isStorage(cut.storage())) {
                    node.powerCut();
                }
            }
        }
        if (scheduler.steps() > STEPS_MAX * nodes.size()) {
            throw new IllegalStateException("no end after " + STEPS_MAX + " steps of each node");
        }
        nodes.forEach(SimulatedNode::afterStep);
    }

    private void runUntilQuiet(String phase) {
        boolean mayReadAgain = nodes.stream().anyMatch(node -> node.shortage().readsFail());
        long quietMicros = mayReadAgain ? QUIET_AFTER_FAILED_READS_MICROS : QUIET_MICROS;
        long quietSince = -1;
        long limit = scheduler.micros() + 120_000_000;
        while (quietSince < 0 || scheduler.micros() - quietSince < quietMicros) {
            step();
            boolean isSettled = cluster == null || cluster.isSettled();
            if (!scheduler.isQuiet() || !isSettled || !all(node -> !node.isAlarm())) {
                quietSince = -1;
            } else if (quietSince < 0) {
                quietSince = scheduler.micros();
            }
            if (scheduler.micros() > limit) {
                throw new IllegalStateException(
                        "no end of: " + phase + ", pending " + scheduler.pending());
            }
        }
    }

    private boolean all(Predicate<SimulatedNode> what) {
        for (SimulatedNode node : nodes) {
            if (!what.test(node)) {
                return false;
            }
        }
        return true;
    }

    // ---------------------------------------------------------------- what the nodes ask

    /** Whether a node other than this one did not run at some time from this moment on. */
    boolean wasAnotherAway(SimulatedNode than, long sinceMicros) {
        return nodes.stream()
                .filter(each -> each != than)
                .anyMatch(each -> each.broker() == null || each.startsSince(sinceMicros) > 0);
    }

    /** Null when the nodes know nothing of each other. */
    SimulatedCluster cluster() {
        return cluster;
    }

    long seed() {
        return seed;
    }

    int nodeCount() {
        return nodeCount;
    }

    /** One of all nodes of a cluster, else one for each. */
    Checker checker() {
        return cluster == null ? new Checker() : checker;
    }

    /** The next moment: every observation has its own. */
    long nextMoment() {
        return ++moment;
    }

    /**
     * Nodes share the buffers outside the sockets. What a process that has ended still held of them
     * is known only where it was alone.
     */
    boolean isSharedMemoryUncertain() {
        return nodes.size() > 1 && !all(node -> node.starts() == 1);
    }

    void count(Happening happening, long times) {
        counts.merge(happening, times, Long::sum);
    }

    void note(int node, String format, Object... of) {
        if (withStory) {
            if (story.size() == STORY) {
                story.remove();
            }
            String who = nodes.size() > 1 ? " n" + node + " " : " ";
            story.add(scheduler.micros() + who + String.format(format, of));
        }
    }

    Scheduler scheduler() {
        return scheduler;
    }
}
