package io.godwit.benchmarks.load.cluster;

import io.godwit.benchmarks.load.BrokerProcess;
import io.godwit.benchmarks.load.Footprint;
import io.godwit.benchmarks.load.IdleCrowd;
import io.godwit.benchmarks.load.Options;
import io.godwit.benchmarks.load.Spread;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * Question: what does an idle client cost in memory whose slot another node leads? Command: {@code
 * benchmarks/scenarios/run cluster-idle}. All clients connect to the first of two nodes, and the
 * second leads their slots. Durable clients with one subscription each have a remote connection:
 * bytes at edge and leader together, beside those of one node. Of transient ones without a
 * subscription the leader has the registration alone. The slope between two numbers of connections,
 * so that a node's own size doesn't count; each part starts the nodes anew.
 */
final class RemoteMemory implements ClusterScenario {
    private static final int EDGE = 1;
    private static final int LEADER = 2;
    private static final int FIRST_CONNECTIONS = 1_000;
    private static final double TOGETHER_BOUND = 5_200;
    private static final double REGISTRATION_BOUND = 130;

    /**
     * Bytes per connection at one node.
     *
     * @param live objects on the heap
     * @param outside resident outside the heap
     */
    private record Slope(double live, double outside) {
        double total() {
            return live + outside;
        }

        static Slope between(Footprint first, Footprint last, int connections) {
            return new Slope(
                    (double) (last.liveBytes() - first.liveBytes()) / connections,
                    (double) (last.outsideBytes() - first.outsideBytes()) / connections);
        }
    }

    /** Of edge and leader. */
    private record Slopes(Slope edge, Slope leader) {
        double together() {
            return edge.total() + leader.total();
        }
    }

    private final List<Slopes> remote = new ArrayList<>();
    private final List<Slope> alone = new ArrayList<>();
    private final List<Slopes> registered = new ArrayList<>();

    @Override
    public String name() {
        return "cluster-idle";
    }

    @Override
    public Map<String, String> defaults() {
        return Map.of("connections", "19000", "rounds", "1", "java-opts", "-Xmx512m");
    }

    @Override
    public void run(Options options, Path folder) throws IOException {
        for (int round = 1; round <= options.number("rounds"); round++) {
            Path logs = folder.resolve("round-" + round);
            remote.add(twoNodes(options, folder(logs, "remote"), true));
            alone.add(oneNode(options, folder(logs, "one")));
            registered.add(twoNodes(options, folder(logs, "registered"), false));
        }
        print(options.number("connections"));
    }

    private static Path folder(Path parent, String name) throws IOException {
        return Files.createDirectories(parent.resolve(name));
    }

    /**
     * @param durable with a subscription; else transient without one
     */
    private static Slopes twoNodes(Options options, Path folder, boolean durable)
            throws IOException {
        try (Nodes cluster = Nodes.start(options, folder, LEADER)) {
            Leaders leaders = Leaders.of(cluster);
            List<Integer> numbers =
                    IntStream.iterate(0, number -> number + 1)
                            .filter(number -> leaders.of(IdleCrowd.clientId(number)) == LEADER)
                            .limit(options.number("connections"))
                            .boxed()
                            .toList();
            List<Slope> slopes = slopes(cluster.all(), numbers, durable);
            return new Slopes(slopes.get(EDGE - 1), slopes.get(LEADER - 1));
        }
    }

    private static Slope oneNode(Options options, Path folder) throws IOException {
        try (BrokerProcess one = Nodes.launchOne(options, folder, "one", List.of())) {
            List<Integer> numbers =
                    IntStream.range(0, options.number("connections")).boxed().toList();
            return slopes(List.of(one.awaitAnswer()), numbers, true).getFirst();
        }
    }

    /** All connect to the first of the nodes. */
    private static List<Slope> slopes(
            List<BrokerProcess> nodes, List<Integer> numbers, boolean durable) throws IOException {
        try (IdleCrowd crowd = new IdleCrowd(nodes.getFirst().address(), durable, durable)) {
            crowd.connect(numbers.subList(0, FIRST_CONNECTIONS));
            List<Footprint> first = footprints(nodes);
            crowd.connect(numbers.subList(FIRST_CONNECTIONS, numbers.size()));
            List<Footprint> last = footprints(nodes);
            List<Slope> slopes = new ArrayList<>();
            for (int i = 0; i < nodes.size(); i++) {
                int more = numbers.size() - FIRST_CONNECTIONS;
                Slope slope = Slope.between(first.get(i), last.get(i), more);
                slopes.add(slope);
                System.err.printf(
                        Locale.ROOT,
                        "%s, durable %b: %.0f B live on the heap, %.0f resident outside it%n",
                        nodes.get(i).name(),
                        durable,
                        slope.live(),
                        slope.outside());
            }
            return slopes;
        }
    }

    private static List<Footprint> footprints(List<BrokerProcess> nodes) throws IOException {
        List<Footprint> footprints = new ArrayList<>();
        for (BrokerProcess node : nodes) footprints.add(Footprint.settled(node));
        return footprints;
    }

    private void print(int connections) {
        Spread together = Spread.of(remote, Slopes::together);
        Spread registration = Spread.of(registered, slopes -> slopes.leader().live());
        Outcome.head();
        Outcome.row(
                name(),
                "B per idle remote connection, edge and leader together, %d to %d connections"
                        .formatted(FIRST_CONNECTIONS, connections),
                together.text("%.0f"),
                "<= " + (int) TOGETHER_BOUND,
                together.median() <= TOGETHER_BOUND);
        row("at the edge, heap / outside", remote, Slopes::edge);
        row("at the leader, heap / outside", remote, Slopes::leader);
        row("the same clients at one node, heap / outside", alone, slope -> slope);
        Outcome.row(
                name(),
                "B on the leader's heap per registered transient client",
                registration.text("%.0f"),
                "<= " + (int) REGISTRATION_BOUND,
                registration.median() <= REGISTRATION_BOUND);
        row("the transient client at its own node, heap / outside", registered, Slopes::edge);
    }

    /** Picks a slope. */
    private interface Pick<T> {
        Slope of(T round);
    }

    private <T> void row(String what, List<T> rounds, Pick<T> pick) {
        ToDoubleFunction<T> live = round -> pick.of(round).live();
        ToDoubleFunction<T> outside = round -> pick.of(round).outside();
        Outcome.row(
                name(),
                "B " + what,
                Spread.of(rounds, live).text("%.0f")
                        + " / "
                        + Spread.of(rounds, outside).text("%.0f"));
    }
}
