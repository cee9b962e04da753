package io.godwit.benchmarks.load.cluster;

import io.godwit.benchmarks.load.Options;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Question: what does a cluster of Godwit promise, and what does it cost beside one node? Command:
 * {@code benchmarks/scenarios/run cluster-...}; see docs/lab/measurements.md.
 */
public final class ClusterMain {
    private static final List<ClusterScenario> ALL = all();

    private ClusterMain() {}

    private static List<ClusterScenario> all() {
        List<ClusterScenario> all = new ArrayList<>(CpuRatio.ALL);
        all.addAll(CopiesCost.ALL);
        all.add(new AppendShare());
        all.add(new ReconnectElsewhere());
        all.add(new FirstMessage());
        all.add(new AddedLatency());
        all.add(new RemoteMemory());
        all.add(new CopiedSessions());
        all.add(new RelayCost());
        all.add(new SubscribeThenPublish());
        all.addAll(StartTime.ALL);
        all.add(new Pause());
        all.add(new RollingDrain());
        all.add(new MutualFlood());
        return List.copyOf(all);
    }

    /**
     * Runs one scenario and prints a Markdown table.
     *
     * @param args see {@link Options}
     */
    public static void main(String... args) throws IOException {
        Options options;
        ClusterScenario scenario;
        try {
            options = new Options(names(), ClusterMain::defaults, args);
            scenario = named(options.scenario());
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.exit(2);
            return;
        }
        Path folder = Files.createTempDirectory("godwit-bench");
        System.err.println("logs of the brokers: " + folder);
        scenario.run(options, Files.createDirectories(folder.resolve(scenario.name())));
    }

    private static Map<String, String> defaults(String scenario) {
        Map<String, String> defaults = new HashMap<>(Map.of("memory", "1GiB"));
        defaults.putAll(named(scenario).defaults());
        return defaults;
    }

    private static ClusterScenario named(String name) {
        return ALL.stream()
                .filter(scenario -> scenario.name().equals(name))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException(
                                "no scenario '" + name + "'; there are " + names()));
    }

    private static String names() {
        return ALL.stream().map(ClusterScenario::name).collect(Collectors.joining(", "));
    }
}
