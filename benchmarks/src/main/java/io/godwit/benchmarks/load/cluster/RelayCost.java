package io.godwit.benchmarks.load.cluster;

import io.godwit.benchmarks.load.BrokerProcess;
import io.godwit.benchmarks.load.Options;
import io.godwit.benchmarks.load.PartResult;
import io.godwit.benchmarks.load.Placement;
import io.godwit.benchmarks.load.ProcFs;
import io.godwit.benchmarks.load.Profile;
import io.godwit.benchmarks.load.Scenario;
import io.godwit.benchmarks.load.Spread;
import io.godwit.benchmarks.load.Workload;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Question: what does it cost when the bytes of all clients pass one more node, as streams with
 * credit over the links of a cluster? Command: {@code benchmarks/scenarios/run cluster-relay},
 * after {@code ./godwit build}.
 *
 * <p>One broker without a cluster carries the same load by three ways in turn: alone; behind a
 * plain relay, which reads a socket and writes another one; and behind the edge and the end of a
 * relay over links, of which the end has a socket to the broker for each client. That socket is not
 * in the design, where the end is in the broker: a plain relay costs as much, so the relay costs
 * what all processes spend with it more than with the plain relay. CPU time is without that of the
 * compilers, which are not done within minutes.
 */
final class RelayCost implements ClusterScenario {
    private static final int PAIRS = 100;
    private static final long FIRST_MESSAGES = 2_000;
    private static final double CALIBRATION_SECONDS = 0.5;
    private static final double LOAD_BUSY_MAX = 0.9;
    private static final double BOUND = 0.5;

    /** At the end of each turn. */
    private static final int EACH_TURN = 1;

    /** So that the CPU time of compilers is that of threads that are there. */
    private static final String JAVA_OPTIONS = "-XX:-UseDynamicNumberOfCompilerThreads";

    /** The relay runs on the jars of the broker, with the flags of its launcher. */
    private static final String RELAY =
            """
            "$JAVA_HOME"/bin/java -Xmx256m -XX:+UseG1GC -XX:MaxGCPauseMillis=50 \
            -XX:MaxHeapFreeRatio=70 -XX:+PerfDisableSharedMem --enable-native-access=ALL-UNNAMED \
            -Dio.netty.jfr.enabled=false -Dio.netty.leakDetection.level=disabled \
            -XX:+IgnoreUnrecognizedVMOptions -XX:+UseCompactObjectHeaders %s \
            -cp "benchmarks/target/classes:$(echo broker-server/target/godwit-*/lib)/*" \
            io.godwit.benchmarks.load.relay.RelayMain \
            """
                    .formatted(JAVA_OPTIONS);

    /**
     * @param pairs each one publisher and one subscriber
     * @param window unacknowledged QoS 1 messages of a publisher
     */
    private record Load(String name, int pairs, int window) {}

    /** The one with the most calls for a message is first: compilers have to do then. */
    private static final List<Load> LOADS =
            List.of(
                    new Load("relay, one outstanding", PAIRS, 1),
                    new Load("relay, one pair, one outstanding", 1, 1),
                    new Load("relay, 100 in flight", PAIRS, 100));

    /**
     * A way from the clients to the broker.
     *
     * @param processes that carry it, in the order of a publish; the broker is the last
     */
    private record Way(String name, List<BrokerProcess> processes) {
        /** Of each process, and behind them that of all their compilers, which those don't have. */
        long[] cpuMicros() throws IOException {
            long[] micros = new long[processes.size() + 1];
            for (int i = 0; i < processes.size(); i++) {
                long pid = processes.get(i).pid();
                long compilers = ProcFs.compilerMicros(pid);
                micros[i] = ProcFs.cpuMicros(pid) - compilers;
                micros[processes.size()] += compilers;
            }
            return micros;
        }
    }

    /**
     * One part at full speed by one way.
     *
     * @param cpuMicros of each process, and of all their compilers, for a delivered message
     * @param othersBusy cores that neither the way nor the load used
     */
    private record Part(double[] cpuMicros, double othersBusy, PartResult result) {
        double allMicros() {
            double sum = 0;
            for (int i = 0; i < cpuMicros.length - 1; i++) sum += cpuMicros[i];
            return sum;
        }

        double compilerMicros() {
            return cpuMicros[cpuMicros.length - 1];
        }

        double micros(int process) {
            return cpuMicros[process];
        }

        double latencyMicros(double percentile) {
            return result.latency().getValueAtPercentile(percentile) / 1e3;
        }

        /** Empty when it counts. */
        String objection() {
            if (result.fault() != null) return result.fault();
            if (result.loss() > 0 || result.repeated() > 0) return "messages lost or repeated";
            if (result.loadBusy() >= LOAD_BUSY_MAX) return "the load was the bottleneck";
            return "";
        }
    }

    /** The three ways, one after the other. */
    private record Round(Part alone, Part plain, Part relay) {
        double cost() {
            return (relay.allMicros() - plain.allMicros()) / alone.allMicros();
        }

        double costOfEnds() {
            double ends = relay.micros(0) + relay.micros(1);
            return (ends - plain.micros(0)) / alone.allMicros();
        }
    }

    @Override
    public String name() {
        return "cluster-relay";
    }

    @Override
    public Map<String, String> defaults() {
        return Map.of(
                "rounds",
                "5",
                "warmup",
                "6",
                "seconds",
                "1",
                "java-opts",
                JAVA_OPTIONS,
                "load",
                "0",
                "transport",
                "links",
                "give-back",
                Integer.toString(EACH_TURN));
    }

    @Override
    public void run(Options options, Path folder) throws IOException {
        String edgePort = Integer.toString(BrokerProcess.freePort());
        String endPort = Integer.toString(BrokerProcess.freePort());
        String giveBack = options.text("give-back");
        String transport = options.text("transport");
        try (BrokerProcess broker = Nodes.launchOne(options, folder, "broker", List.of())) {
            String at = Integer.toString(broker.awaitAnswer().address().getPort());
            try (BrokerProcess plain = relay(folder, "plain", "{port}", at);
                    BrokerProcess end =
                            relay(folder, "end", at, endPort, edgePort, giveBack, transport);
                    BrokerProcess edge =
                            relay(
                                    folder, "edge", "{port}", edgePort, endPort, giveBack,
                                    transport)) {
                plain.awaitAnswer();
                edge.awaitAnswer();
                List<Way> ways =
                        List.of(
                                new Way("alone", List.of(broker)),
                                new Way("plain", List.of(plain, broker)),
                                new Way("relay", List.of(edge, end, broker)));
                Outcome.head();
                int only = options.number("load");
                for (Load load : only == 0 ? LOADS : List.of(LOADS.get(only - 1))) {
                    measure(options, load, ways);
                }
            }
        }
    }

    private static BrokerProcess relay(Path folder, String name, String... arguments)
            throws IOException {
        String command = RELAY.strip() + " " + name + " " + String.join(" ", arguments);
        return BrokerProcess.launch(folder, name, command, "");
    }

    private static void measure(Options options, Load load, List<Way> ways) throws IOException {
        double seconds = options.number("seconds");
        long[] messages = new long[ways.size()];
        for (int i = 0; i < ways.size(); i++) messages[i] = calibrate(load, ways.get(i));
        List<Round> counted = new ArrayList<>();
        int warmup = options.number("warmup");
        int wanted = options.number("rounds");
        for (int n = 1 - warmup; counted.size() < wanted && n <= 2 * wanted; n++) {
            Part[] parts = new Part[ways.size()];
            for (int i : order(ways.size(), n)) {
                parts[i] = part(load, ways.get(i), messages[i]);
                messages[i] = Math.max(20, Math.round(parts[i].result().perSecond() * seconds));
                report(load, n, ways.get(i), parts[i]);
            }
            String against = "";
            for (Part each : parts) against += each.objection();
            if (n <= 0) continue;
            if (against.isEmpty()) counted.add(new Round(parts[0], parts[1], parts[2]));
            else System.err.println(load.name() + ", not counted, round " + n + ": " + against);
        }
        String profile = options.text("profile");
        if (!profile.isEmpty()) {
            profile(load, ways.get(2), messages[2], profile + "-" + LOADS.indexOf(load));
        }
        print(load.name(), counted);
    }

    /** Rotates the order: another way of sending goes first in each round. */
    private static List<Integer> order(int count, int round) {
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < count; i++) order.add(i);
        Collections.rotate(order, round);
        return order;
    }

    private static long calibrate(Load load, Way way) throws IOException {
        long messages = FIRST_MESSAGES;
        while (true) {
            PartResult result = part(load, way, messages).result();
            if (result.fault() != null) throw new IOException(way.name() + ": " + result.fault());
            if (messages / result.perSecond() >= CALIBRATION_SECONDS) return messages;
            messages *= 4;
        }
    }

    private static Part part(Load load, Way way, long messages) throws IOException {
        Scenario scenario =
                new Scenario(
                        load.name(),
                        load.pairs(),
                        1,
                        1,
                        1,
                        load.window(),
                        Scenario.PAYLOAD_BYTES,
                        Scenario.WRITE_BYTES,
                        0,
                        0,
                        Scenario.Sessions.TRANSIENT,
                        1);
        Placement entrance = Placement.at(way.processes().getFirst().address());
        try (Workload workload = Workload.open(scenario, entrance)) {
            long machineBefore = ProcFs.machineCpuMicros();
            long ownBefore = ProcFs.cpuMicros(ProcessHandle.current().pid());
            long[] before = way.cpuMicros();
            PartResult result = workload.flood(messages);
            long[] after = way.cpuMicros();
            long others = ProcFs.machineCpuMicros() - machineBefore;
            others -= ProcFs.cpuMicros(ProcessHandle.current().pid()) - ownBefore;
            double[] each = new double[after.length];
            for (int i = 0; i < each.length; i++) {
                others -= after[i] - before[i];
                each[i] = (double) (after[i] - before[i]) / Math.max(1, result.delivered());
            }
            return new Part(each, Math.max(0, others) * 1e3 / result.elapsedNanos(), result);
        }
    }

    private static void profile(Load load, Way way, long messages, String prefix)
            throws IOException {
        try (Profile profile = Profile.start(way.processes(), prefix)) {
            part(load, way, messages);
            profile.print();
        }
    }

    private static void report(Load load, int round, Way way, Part part) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < way.processes().size(); i++) {
            line.append(" %s %.3f".formatted(way.processes().get(i).name(), part.micros(i)));
        }
        line.append(" compilers %.3f".formatted(part.compilerMicros()));
        System.err.printf(
                "%s round %d %s: us/msg%s; %.0f msg/s, p50 %.0f us, p99 %.0f us, load %.2f, others"
                        + " %.2f cores%n",
                load.name(),
                round,
                way.name(),
                line,
                part.result().perSecond(),
                part.latencyMicros(50),
                part.latencyMicros(99),
                part.result().loadBusy(),
                part.othersBusy());
    }

    private static void print(String load, List<Round> counted) {
        if (counted.isEmpty()) {
            Outcome.row(load, "no round counted", "", "<= " + BOUND, false);
            return;
        }
        Spread cost = Spread.of(counted, Round::cost);
        Outcome.row(
                load,
                "CPU of the relay : of the broker alone, %d rounds".formatted(counted.size()),
                cost.text("%.2f"),
                "<= " + BOUND,
                cost.median() <= BOUND);
        Rows rows = new Rows(load, counted);
        rows.add("the same, from the relay's processes alone", "%.2f", Round::costOfEnds);
        String micros = "%.3g";
        rows.add("us/msg: broker alone", micros, round -> round.alone().micros(0));
        rows.add("us/msg: plain relay", micros, round -> round.plain().micros(0));
        rows.add("us/msg: broker behind it", micros, round -> round.plain().micros(1));
        rows.add("us/msg: edge", micros, round -> round.relay().micros(0));
        rows.add("us/msg: end", micros, round -> round.relay().micros(1));
        rows.add("us/msg: broker behind them", micros, round -> round.relay().micros(2));
        rows.add("us/msg: compilers of those three", micros, r -> r.relay().compilerMicros());
        for (double percentile : new double[] {50, 99}) {
            String latency = "us, p%.0f: ".formatted(percentile);
            rows.add(latency + "alone", "%.0f", r -> r.alone().latencyMicros(percentile));
            rows.add(latency + "plain", "%.0f", r -> r.plain().latencyMicros(percentile));
            rows.add(latency + "relay", "%.0f", r -> r.relay().latencyMicros(percentile));
            rows.add(
                    latency + "relay beyond plain",
                    "%.0f",
                    r -> r.relay().latencyMicros(percentile) - r.plain().latencyMicros(percentile));
        }
        rows.add("k msg/s: alone", "%.1f", r -> r.alone().result().perSecond() / 1e3);
        rows.add("k msg/s: plain", "%.1f", r -> r.plain().result().perSecond() / 1e3);
        rows.add("k msg/s: relay", "%.1f", r -> r.relay().result().perSecond() / 1e3);
        rows.add("cores used by others", "%.2f", r -> r.relay().othersBusy());
    }

    private record Rows(String load, List<Round> counted) {
        void add(String figure, String format, ToDoubleFunction<Round> value) {
            Outcome.row(load, figure, Spread.of(counted, value).text(format));
        }
    }
}
