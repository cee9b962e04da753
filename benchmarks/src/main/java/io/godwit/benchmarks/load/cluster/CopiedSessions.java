package io.godwit.benchmarks.load.cluster;

import io.godwit.benchmarks.load.BrokerProcess;
import io.godwit.benchmarks.load.Enrolment;
import io.godwit.benchmarks.load.Footprint;
import io.godwit.benchmarks.load.Options;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.PrimitiveIterator;
import java.util.stream.IntStream;

/**
 * Question: what does a copy of an offline session with one subscription and an empty queue cost in
 * heap? Command: {@code benchmarks/scenarios/run cluster-copied-sessions}. All sessions are led by
 * the second of two nodes, and the first has their copies. The slope between two numbers of
 * sessions.
 */
final class CopiedSessions implements ClusterScenario {
    private static final int FOLLOWER = 1;
    private static final int LEADER = 2;
    private static final int FIRST = 20_000;
    private static final double BOUND = 200;

    @Override
    public String name() {
        return "cluster-copied-sessions";
    }

    @Override
    public Map<String, String> defaults() {
        return Map.of("connections", "1000000", "memory", "8GiB", "java-opts", "-Xmx6g");
    }

    @Override
    public void run(Options options, Path folder) throws IOException {
        int count = options.number("connections");
        try (Nodes cluster = Nodes.start(options, folder, LEADER, "cluster.copies=2")) {
            Leaders leaders = Leaders.of(cluster);
            PrimitiveIterator.OfInt numbers =
                    IntStream.iterate(0, number -> number + 1)
                            .filter(number -> leaders.of(Enrolment.clientId(number)) == LEADER)
                            .iterator();
            Footprint[] first = enrol(cluster, numbers, FIRST);
            Footprint[] last = enrol(cluster, numbers, count - FIRST);
            double copied = slope(first[FOLLOWER - 1], last[FOLLOWER - 1], count - FIRST);
            double led = slope(first[LEADER - 1], last[LEADER - 1], count - FIRST);
            Outcome.head();
            Outcome.row(
                    name(),
                    "B on the follower's heap per copied session, %d to %d".formatted(FIRST, count),
                    "%.0f".formatted(copied),
                    "<= " + (int) BOUND,
                    copied <= BOUND);
            Outcome.row(name(), "B on the leader's heap per session", "%.0f".formatted(led));
        }
    }

    /** Makes more sessions and returns what each node takes when the copies are whole. */
    private static Footprint[] enrol(Nodes cluster, PrimitiveIterator.OfInt numbers, int more)
            throws IOException {
        int[] clients = IntStream.range(0, more).map(i -> numbers.nextInt()).toArray();
        BrokerProcess leader = cluster.node(LEADER);
        Enrolment.enrol(leader, clients);
        CopiesCost.awaitWhole(cluster, 2);
        Footprint[] footprints = {
            Footprint.settled(cluster.node(FOLLOWER)), Footprint.settled(leader)
        };
        System.err.printf(
                Locale.ROOT,
                "%d more sessions: %d B live at the follower, %d at the leader%n",
                more,
                footprints[0].liveBytes(),
                footprints[1].liveBytes());
        return footprints;
    }

    private static double slope(Footprint first, Footprint last, int sessions) {
        return (double) (last.liveBytes() - first.liveBytes()) / sessions;
    }
}
