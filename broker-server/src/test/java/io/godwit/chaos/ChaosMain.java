package io.godwit.chaos;

import io.godwit.badinput.AbuseRun;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.server.cluster.ClusterProcesses;
import io.godwit.server.cluster.NodeNetwork;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code ./godwit chaos}: exit code 0 when the broker kept every promise, 1 when it did not, 2 for
 * wrong arguments.
 */
@Command(
        name = "chaos",
        description = "Lets a real broker fail under load and checks what it acknowledged.",
        subcommands = {
            ChaosMain.Kill.class,
            ChaosMain.Power.class,
            ChaosMain.Cluster.class,
            ChaosMain.Replace.class,
            ChaosMain.SlowClient.class,
            ChaosMain.Abuse.class
        },
        mixinStandardHelpOptions = true)
public final class ChaosMain {
    private static final int KILLS_OF_A_STREAM = 3;

    private ChaosMain() {}

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new ChaosMain()).execute(arguments));
    }

    /** What every run can be told. */
    static final class RunOptions {
        @Option(names = "--rounds", defaultValue = "100", description = "default ${DEFAULT-VALUE}")
        private int rounds;

        @Option(
                names = "--seconds",
                defaultValue = "1.0",
                description = "that a round lasts at most; default ${DEFAULT-VALUE}")
        private double seconds;

        @Option(
                names = "--rate",
                defaultValue = "60",
                description =
                        "messages that each publisher sends a second; default ${DEFAULT-VALUE}")
        private int rate;

        @Option(
                names = "--bulk",
                defaultValue = "0",
                description = "messages of 16 KiB a second beside; default ${DEFAULT-VALUE}")
        private int bulk;

        @Option(
                names = "--seed",
                description = "decides what clients do and how rounds end; default: a new one")
        private @Nullable Long seed;

        @Option(
                names = "--folder",
                description = "an existing folder for the data; default: a temporary one")
        private @Nullable Path folder;

        @Option(
                names = "--set",
                paramLabel = "key=value",
                description = "a key of the broker's configuration; may be repeated")
        private List<String> sets = new ArrayList<>();

        @Option(
                names = "--interceptors",
                description =
                        "loads an extension with interceptors of all that comes and goes, which"
                                + " change nothing")
        private boolean interceptors;

        private Plan plan() throws IOException {
            Path where = folder == null ? Files.createTempDirectory("godwit-chaos") : folder;
            long chosen = seed == null ? ThreadLocalRandom.current().nextLong(1_000_000) : seed;
            System.out.println("seed " + chosen + ", data in " + where);
            if (interceptors) {
                sets.addAll(Interceptors.settings(where));
            }
            return Plan.kills(chosen, rounds, (int) (seconds * 1_000), where)
                    .load(rate, bulk)
                    .with(sets, Map.of());
        }

        /** Streams through a library's clients, one a round. */
        private int run(LibraryStream.Library library, ProtocolVersion version) throws IOException {
            Plan plan = plan();
            int ofBroker = 0;
            long acknowledged = 0;
            for (int i = 0; i < plan.rounds(); i++) {
                StreamJudge.Verdict verdict =
                        LibraryStream.run(
                                library,
                                version,
                                2_000,
                                KILLS_OF_A_STREAM,
                                plan.seed() + i,
                                plan.folder());
                System.out.printf(
                        "round %d: %d acknowledged, faults of the broker: %d, of the clients: %d%n",
                        i + 1,
                        verdict.acknowledged(),
                        verdict.ofBroker().size(),
                        verdict.ofClients().size());
                verdict.ofBroker().forEach(fault -> System.out.println("  broker: " + fault));
                verdict.ofClients().stream()
                        .limit(5)
                        .forEach(fault -> System.out.println("  client: " + fault));
                ofBroker += verdict.ofBroker().size();
                acknowledged += verdict.acknowledged();
            }
            System.out.printf(
                    Locale.ROOT,
                    "%d rounds with %s, %d kills, %,d messages acknowledged:"
                            + " %d promises broken by the broker.%n",
                    plan.rounds(),
                    library,
                    plan.rounds() * KILLS_OF_A_STREAM,
                    acknowledged,
                    ofBroker);
            return ofBroker == 0 ? 0 : 1;
        }

        private int run(Plan plan) throws IOException {
            ChaosRun.Report report = ChaosRun.run(plan, System.out::println);
            System.out.println(report);
            if (report.violationsAll() > 0) {
                return 1; // the data stays, to be looked at
            }
            if (folder == null) {
                try (Stream<Path> files = Files.walk(plan.folder())) {
                    for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                        Files.delete(file);
                    }
                }
            }
            return 0;
        }
    }

    @Command(
            name = "kill",
            description = "Kills it (mostly kill -9) at random moments and starts it again.",
            mixinStandardHelpOptions = true)
    static final class Kill implements Callable<Integer> {
        @Mixin private RunOptions options = new RunOptions();

        @Option(
                names = "--only",
                description = "every round ends in this way: ${COMPLETION-CANDIDATES}")
        private Endings.@Nullable Kind only;

        @Option(
                names = "--client",
                description =
                        "instead: streams of QoS 2 messages between clients of this library, and"
                                + " whose fault it is when one comes twice: ${COMPLETION-CANDIDATES}."
                                + " Python's needs broker-server/src/test/install-client-tools, Go's"
                                + " needs go")
        private LibraryStream.@Nullable Library client;

        @Option(
                names = "--protocol",
                description =
                        "of --client: ${COMPLETION-CANDIDATES} (Paho's Go client has no MQTT_5); default"
                                + " ${DEFAULT-VALUE}")
        private ProtocolVersion protocol = ProtocolVersion.MQTT_3_1_1;

        @Override
        public Integer call() throws IOException {
            if (client != null) {
                return options.run(client, protocol);
            }
            Plan plan = options.plan();
            if (only != null) {
                Endings.Ending ending = only.ending;
                plan = plan.ending((round, random) -> ending);
            }
            return options.run(plan);
        }
    }

    @Command(
            name = "power-cut",
            description =
                    "Kills it and takes away what was never synced. With --set durability.sync=os"
                            + " this must find losses. Needs gcc and Linux.",
            mixinStandardHelpOptions = true)
    static final class Power implements Callable<Integer> {
        @Mixin private RunOptions options = new RunOptions();

        @Option(
                names = "--slow-sync",
                defaultValue = "2000",
                description =
                        "microseconds that each sync takes longer, so that more is unsynced when"
                                + " the power goes; default ${DEFAULT-VALUE}")
        private long slowSync;

        @Override
        public Integer call() throws IOException {
            String problem = DiskFault.problem();
            if (problem != null) {
                System.err.println(problem);
                return 1;
            }
            if (options.bulk == 0) {
                options.bulk = 200;
            }
            options.sets.addAll(0, DiskEndings.SMALL_JOURNAL);
            Plan plan = options.plan();
            DiskFault disk =
                    DiskFault.of(
                            plan.folder().resolve("data"),
                            Files.createTempDirectory("godwit-disk"));
            disk.slowSyncs(slowSync);
            return options.run(
                    plan.ending((round, random) ->
                                    round == 1 ? Endings::stop : DiskEndings.powerCut(disk))
                            .with(plan.settings(), disk.environment()));
        }
    }

    @Command(
            name = "cluster",
            description =
                    "Several nodes: one after the other is killed, stopped in order, does not run for"
                            + " a while, is cut off from others, has a disk that is full or slow, or is lost with its"
                            + " disk, or all end at once."
                            + " Links are cut where nodes can have network namespaces of their own (Linux, root);"
                            + " disks fail where there is gcc (Linux).",
            mixinStandardHelpOptions = true)
    static final class Cluster implements Callable<Integer> {
        @Mixin private RunOptions options = new RunOptions();

        @Option(names = "--nodes", defaultValue = "3", description = "default ${DEFAULT-VALUE}")
        private int nodes;

        @Option(
                names = "--start-gap",
                defaultValue = "5.0",
                description =
                        "seconds at most between the starts of two nodes after an outage of all; default"
                                + " ${DEFAULT-VALUE}")
        private double startGap;

        @Option(
                names = {"--only", "--fates"},
                split = ",",
                description =
                        "what happens to nodes: ${COMPLETION-CANDIDATES}; default: all of them"
                                + " that can be (no node is lost or stays away with"
                                + " --set cluster.failover-timeout=never)")
        private Set<ClusterRun.Fate> only = EnumSet.allOf(ClusterRun.Fate.class);

        @Option(names = "--loopback", description = "all on 127.0.0.1: no link is cut")
        private boolean loopback;

        /** Null, and said so, when no link can be cut. */
        private @Nullable NodeNetwork network() {
            String problem = loopback || nodes == 1 ? "as told" : NodeNetwork.problem();
            if (problem != null) {
                System.err.println("NO LINK IS CUT, all nodes are on loopback: " + problem);
                return null;
            }
            return NodeNetwork.of(nodes);
        }

        private boolean doDisksFail() {
            String problem = DiskFault.problem();
            if (problem != null) {
                System.err.println("NO DISK IS FULL OR SLOW: " + problem);
            }
            return problem == null;
        }

        @Override
        public Integer call() {
            if (options.bulk > 0 || options.folder != null) {
                System.err.println("chaos cluster has no --bulk and no --folder");
                return 2;
            }
            long seed =
                    options.seed == null
                            ? ThreadLocalRandom.current().nextLong(1_000_000)
                            : options.seed;
            System.out.println("seed " + seed);
            NodeNetwork network = network();
            List<String> sets = new ArrayList<>(List.of("cluster.nodes=" + nodes));
            sets.addAll(options.sets);
            try (ClusterProcesses processes =
                    new ClusterProcesses(network, nodes, sets.toArray(String[]::new))) {
                Set<ClusterRun.Fate> fates = EnumSet.copyOf(only);
                fates.retainAll(
                        ClusterRun.Fate.possible(
                                network != null, doDisksFail(), processes.takesOver()));
                if (fates.isEmpty()) {
                    System.err.println(only + " can't be here");
                    return 2;
                }
                ChaosRun.Report report =
                        ClusterRun.run(
                                seed,
                                fates,
                                options.rounds,
                                (int) (options.seconds * 1_000),
                                options.rate,
                                (int) (startGap * 1_000),
                                processes,
                                System.out::println);
                System.out.println(report);
                if (report.violationsAll() > 0) {
                    System.out.println(processes.story());
                    return 1;
                }
                return 0;
            }
        }
    }

    @Command(
            name = "replace",
            description =
                    "Replaces an extension again and again under load: no connection ends, no message is"
                            + " lost, comes twice, or is not seen by it.",
            mixinStandardHelpOptions = true)
    static final class Replace implements Callable<Integer> {
        @Option(
                names = "--clients",
                defaultValue = "1000",
                description = "default ${DEFAULT-VALUE}")
        private int clients;

        @Option(
                names = "--rate",
                defaultValue = "2",
                description = "messages that each client sends a second; default ${DEFAULT-VALUE}")
        private double rate;

        @Option(
                names = "--replacements",
                defaultValue = "100",
                description = "one a second; default ${DEFAULT-VALUE}")
        private int replacements;

        @Override
        public Integer call() throws Exception {
            ReplaceRun.Report report =
                    ReplaceRun.run(
                            new ReplaceRun.Size(clients, rate, replacements, 1_000),
                            Files.createTempDirectory("godwit-chaos"),
                            System.out::println);
            report.faults().stream().limit(20).forEach(System.out::println);
            System.out.println(report);
            return report.faults().isEmpty() ? 0 : 1;
        }
    }

    @Command(
            name = "slow-client",
            description =
                    "Has an extension sleep for a second whenever it is asked about some clients, and"
                            + " measures how long the messages of others take.",
            mixinStandardHelpOptions = true)
    static final class SlowClient implements Callable<Integer> {
        @Option(names = "--clients", defaultValue = "100", description = "default ${DEFAULT-VALUE}")
        private int clients;

        @Option(names = "--slow", defaultValue = "1", description = "default ${DEFAULT-VALUE}")
        private int slow;

        @Option(
                names = "--rate",
                defaultValue = "10",
                description = "messages that each client sends a second; default ${DEFAULT-VALUE}")
        private double rate;

        @Option(names = "--seconds", defaultValue = "20", description = "default ${DEFAULT-VALUE}")
        private double seconds;

        @Override
        public Integer call() throws Exception {
            SlowClientRun.Report report =
                    SlowClientRun.run(
                            new SlowClientRun.Size(clients, slow, rate, seconds),
                            Files.createTempDirectory("godwit-chaos"));
            report.faults().stream().limit(20).forEach(System.out::println);
            System.out.println(report);
            return report.faults().isEmpty() ? 0 : 1;
        }
    }

    @Command(
            name = "abuse",
            description =
                    "Lets clients do their worst to it, beside a pair that does nothing wrong and"
                            + " must not feel it. Prints the table of docs/reliability.md.",
            mixinStandardHelpOptions = true)
    static final class Abuse implements Callable<Integer> {
        @Option(
                names = "--memory",
                split = ",",
                defaultValue = "300,512,1024",
                description = "node.memory in MiB, one round each; default ${DEFAULT-VALUE}")
        private List<Integer> memory = List.of();

        @Option(names = "--only", split = ",", description = "these attacks; default: all of them")
        private List<String> only = List.of();

        @Option(
                names = "--size",
                defaultValue = "1.0",
                description = "part of the full attack; default ${DEFAULT-VALUE}")
        private double size;

        @Option(
                names = "--seconds",
                defaultValue = "10",
                description = "of each attack; default ${DEFAULT-VALUE}")
        private double seconds;

        @Override
        public Integer call() throws IOException, InterruptedException {
            List<AbuseRun.Result> results =
                    AbuseRun.run(
                            new AbuseRun.Plan(
                                    memory,
                                    only.isEmpty() ? AbuseRun.Plan.allAttacks() : only,
                                    size,
                                    3_000,
                                    (int) (seconds * 1_000),
                                    true),
                            System.out::println);
            long broken = results.stream().filter(each -> !each.faults().isEmpty()).count();
            long slow = results.stream().filter(each -> !each.isFastEnough()).count();
            System.out.printf(
                    Locale.ROOT,
                    "%d attacks: promises broken in %d, well-behaved clients too slow in %d.%n",
                    results.size(),
                    broken,
                    slow);
            return broken == 0 && slow == 0 ? 0 : 1;
        }
    }
}
