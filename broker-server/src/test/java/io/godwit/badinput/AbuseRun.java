package io.godwit.badinput;

import static java.util.stream.Collectors.joining;

import io.godwit.clients.GodwitProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Attacks, each on a broker process of its own with a small {@code node.memory}, beside a {@link
 * GoodPair} whose latency is measured before, during and after. What must hold: the broker stays
 * up, its resident memory stays within {@code node.memory}, the pair's p99 stays below ten times
 * the quiet one and below 100 ms, and within 10 s after the attack everything is as before. Latency
 * says nothing where others used the machine; so each row tells how much they did.
 */
public final class AbuseRun {
    private static final int WINDOW_MS = 500;
    private static final double P99_MS_MAX = 100;
    private static final double P99_TIMES_MAX = 10;

    private static final long RECOVERY_MS_MAX = 10_000;

    /** After the attack a window counts as quiet again up to this. */
    private static final double QUIET_AGAIN_TIMES = 3;

    private static final double QUIET_AGAIN_MS = 10;

    /**
     * @param nodesMib {@code node.memory} of each round
     * @param size part of the full attack, 0..1
     * @param quietMs before the attack, after half as much in which the pair warms up
     * @param attackMs how long it goes on
     * @param beside with a pair at a broker that nobody attacks: what the machine does to it
     */
    public record Plan(
            List<Integer> nodesMib,
            List<String> attacks,
            double size,
            int quietMs,
            int attackMs,
            boolean beside) {
        /** Names of all attacks. */
        public static List<String> allAttacks() {
            return List.of(Attack.values()).stream().map(Enum::name).toList();
        }
    }

    /**
     * What one attack did.
     *
     * @param besideP99Ms of a pair at a broker that nobody attacks, meanwhile; 0 if not measured
     * @param recoveredMs until everything was as before; -1 when it never was
     * @param othersCores processor cores that others used meanwhile
     * @param faults promises that were broken; empty when none was
     */
    public record Result(
            String attack,
            String what,
            int nodeMib,
            long residentMib,
            double quietP99Ms,
            double attackP99Ms,
            double attackWorstMs,
            double besideP99Ms,
            long recoveredMs,
            double othersCores,
            List<String> faults) {
        /** Whether the pair was served as promised. */
        public boolean isFastEnough() {
            return attackP99Ms <= P99_MS_MAX && attackP99Ms <= P99_TIMES_MAX * quietP99Ms;
        }

        /** A row of the table in docs/reliability.md. */
        public String row() {
            return String.format(
                    Locale.ROOT,
                    "| %s | %d | %d | %.1f | %.1f%s | %.0f | %s | %.1f | %.1f | %s |",
                    what,
                    nodeMib,
                    residentMib,
                    quietP99Ms,
                    attackP99Ms,
                    isFastEnough() ? "" : " (above)",
                    attackWorstMs,
                    besideP99Ms == 0 ? "-" : String.format(Locale.ROOT, "%.1f", besideP99Ms),
                    recoveredMs / 1e3,
                    othersCores,
                    faults.isEmpty() ? "kept" : String.join("; ", faults));
        }
    }

    private AbuseRun() {}

    /**
     * @param progress gets the table, row by row
     */
    public static List<Result> run(Plan plan, Consumer<String> progress)
            throws IOException, InterruptedException {
        List<Result> results = new ArrayList<>();
        progress.accept(
                "| attack | node.memory, MiB | most resident, MiB | p99 quiet, ms | p99 during | worst"
                        + " | p99 of a pair at an idle broker | as before after, s | cores used by others | up, in memory, as before |");
        progress.accept("|---|---|---|---|---|---|---|---|---|---|");
        try (Beside beside = new Beside(plan.beside())) {
            for (int nodeMib : plan.nodesMib()) {
                for (String name : plan.attacks()) {
                    Result result = attack(Attack.valueOf(name), nodeMib, plan, beside);
                    results.add(result);
                    progress.accept(result.row());
                }
            }
        }
        return results;
    }

    private static Result attack(Attack attack, int nodeMib, Plan plan, Beside beside)
            throws IOException, InterruptedException {
        List<String> faults = new ArrayList<>();
        try (GodwitProcess broker =
                        new GodwitProcess.Setup()
                                .nodeMib(nodeMib)
                                .set("durability.store=rocksdb")
                                .set("overload.stuck-time=2s")
                                .set("limits.identifiers-per-message=10000") // else refused
                                .start();
                GoodPair pair = new GoodPair(broker.port())) {
            Thread.sleep(plan.quietMs() / 2);
            pair.sinceLast();
            Thread.sleep(plan.quietMs());
            GoodPair.Latency quiet = pair.sinceLast();
            MachineUse machine = new MachineUse(() -> broker.cpuTime().plus(beside.cpuTime()));
            beside.p99Ms();
            int exitCode = start(attack, broker, plan).waitFor();
            if (exitCode != 0) {
                faults.add("the attackers ended with " + exitCode);
            }
            GoodPair.Latency during = pair.sinceLast();
            double besideP99Ms = beside.p99Ms();
            double othersCores = broker.isAlive() ? machine.othersCores() : 0;
            long recoveredMs = broker.isAlive() ? recovery(broker, pair, quiet, faults) : -1;
            long residentMib = broker.isAlive() ? broker.residentMostMib() : 0;
            judge(faults, broker, pair, residentMib, nodeMib);
            return new Result(
                    attack.name(),
                    attack.what(),
                    nodeMib,
                    residentMib,
                    quiet.p99Ms(),
                    during.p99Ms(),
                    during.worstMs(),
                    besideP99Ms,
                    recoveredMs,
                    othersCores,
                    faults);
        }
    }

    /** As a process that yields the processors to the broker, and to the pair. */
    private static Process start(Attack attack, GodwitProcess broker, Plan plan)
            throws IOException {
        return new ProcessBuilder(
                        "nice",
                        "-n",
                        "19",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx400m",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        AttackMain.class.getName(),
                        attack.name(),
                        String.valueOf(broker.port()),
                        String.valueOf(broker.adminPort()),
                        String.valueOf(plan.size()),
                        String.valueOf(plan.attackMs()))
                .inheritIO()
                .start();
    }

    private static void judge(
            List<String> faults,
            GodwitProcess broker,
            GoodPair pair,
            long residentMib,
            int nodeMib) {
        if (!broker.isAlive()) {
            faults.add("the broker ended: " + broker.lastLines());
            return;
        }
        Throwable died = pair.died();
        if (died != null) {
            faults.add("the pair was cut: " + died);
        }
        if (residentMib > nodeMib) {
            faults.add("above node.memory");
        }
        if (broker.counter("faults") > 0) {
            faults.add("faults counted");
        }
    }

    /**
     * Milliseconds until everything is as before the attack; -1, and a fault, when that takes too
     * long.
     */
    private static long recovery(
            GodwitProcess broker, GoodPair pair, GoodPair.Latency quiet, List<String> faults)
            throws InterruptedException {
        double enough = Math.max(QUIET_AGAIN_MS, QUIET_AGAIN_TIMES * quiet.p99Ms());
        long start = System.nanoTime();
        while (true) {
            long sinceMs = (System.nanoTime() - start) / 1_000_000;
            Thread.sleep(WINDOW_MS);
            double p99Ms = pair.sinceLast().p99Ms();
            String other = p99Ms > enough ? "p99 %.1f ms".formatted(p99Ms) : notZero(broker);
            if (other.isEmpty()) {
                return sinceMs;
            }
            if (sinceMs >= RECOVERY_MS_MAX || !broker.isAlive()) {
                faults.add("not as before within 10 s: " + other);
                return -1;
            }
        }
    }

    private static String notZero(GodwitProcess broker) {
        return Stream.of("memory.short", "memory.alarm", "partial.bytes")
                .filter(gauge -> broker.gauge(gauge) != 0)
                .collect(joining(", "));
    }
}
