package io.godwit.cluster.simulation;

import io.godwit.cluster.ClusterRules;
import io.godwit.cluster.transport.LinkMetric;
import io.godwit.cluster.transport.LinkSettings;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.simulation.Scheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** One run: some nodes, a minute of trouble, then calm, and everyone is together again. */
final class Simulation {
    private static final long TROUBLE_MICROS = 25_000_000;
    private static final long CALM_MICROS = 15_000_000;
    private static final long STEPS_MAX = 5_000_000;

    private final Scheduler scheduler = new Scheduler();
    private final Story story = new Story(scheduler);
    private final RandomGenerator random;
    private final ClusterRules rules;
    private final LinkSettings settings;
    private final Network network;
    private final Checker checker;
    private final List<Disk> disks = new ArrayList<>();
    private final List<Process> processes = new ArrayList<>();
    private final List<Process> copies = new ArrayList<>();
    private final int offerMicros;
    private final int faultMicros;
    private int numbers;
    private boolean trouble = true;
    private boolean offering = true;

    private Simulation(long seed, ClusterRules rules) {
        SplittableRandom root = new SplittableRandom(seed);
        random = root.split();
        this.rules = rules;
        long credit = pick(100_000, 300_000, 1_000_000);
        settings =
                new LinkSettings(
                        pick(1_000, 2_000, 4_000),
                        new LinkSettings.Bytes(credit, credit, credit, credit, credit),
                        new LinkSettings.Bytes(
                                credit * 2, credit * 2, credit * 40, credit * 2, credit * 2));
        network = new Network(scheduler, root.split(), pick(300, 3_000, 30_000), story);
        checker = new Checker(scheduler, network, settings, story);
        offerMicros = random.nextInt(8) == 0 ? 2_000_000 : pick(1_000, 5_000, 20_000);
        faultMicros = pick(500_000, 2_000_000, 6_000_000);
    }

    private int pick(int... values) {
        return values[random.nextInt(values.length)];
    }

    /** Runs a seed; what it met, counted. */
    static Map<Happening, Long> run(long seed, ClusterRules rules) {
        Simulation simulation = new Simulation(seed, rules);
        try {
            simulation.run();
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(
                    "seed "
                            + seed
                            + ": "
                            + e.getMessage()
                            + "; replay with -Dsimulation.seed="
                            + seed
                            + "\n"
                            + simulation.story.text(),
                    e);
        }
        return simulation.story.counts();
    }

    private void run() {
        int nodes = 2 + random.nextInt(random.nextInt(4) == 0 ? 6 : 3);
        for (int i = 0; i < nodes; i++) {
            disks.add(new Disk());
            scheduler.in(random.nextInt(random.nextBoolean() ? 10 : 3_000_000), startOf(i));
        }
        scheduler.background(offerMicros, this::offer);
        scheduler.background(3_000_000, this::fault);
        scheduler.background(50_000, this::look);
        scheduler.background(TROUBLE_MICROS, this::calm);
        scheduler.background(TROUBLE_MICROS + CALM_MICROS - 5_000_000, () -> offering = false);
        long end = scheduler.micros() + TROUBLE_MICROS + CALM_MICROS;
        while (scheduler.micros() < end) {
            if (!scheduler.step() || scheduler.steps() > STEPS_MAX) {
                throw new AssertionError("stuck after " + scheduler.steps() + " steps");
            }
        }
        checker.atEnd(alive());
        for (Process each : alive()) {
            if (each.counters().get(LinkMetric.FRAMES_BAD) > 0) {
                throw new AssertionError(each + " could not read what another Godwit wrote");
            }
        }
    }

    private Runnable startOf(int node) {
        return () -> start(node, disks.get(node));
    }

    private Process start(int node, Disk disk) {
        Process process =
                new Process(
                        scheduler,
                        random,
                        network,
                        new NodeStart(node + 1, ++disk.starts),
                        ++numbers,
                        settings,
                        rules,
                        disk,
                        checker);
        processes.add(process);
        checker.started(process);
        process.start();
        story.tell("start " + process);
        return process;
    }

    private List<Process> alive() {
        return processes.stream().filter(each -> !each.isDead()).toList();
    }

    private void look() {
        checker.look();
        for (Process each : alive()) {
            if (each.isIntruder()) {
                story.tell("intruder ends " + each);
                each.crash();
            }
        }
        scheduler.background(50_000, this::look);
    }

    private void offer() {
        List<Process> alive = alive();
        if (offering && !alive.isEmpty()) {
            alive.get(random.nextInt(alive.size())).rooms().offerOne();
        }
        scheduler.background(1 + random.nextInt(offerMicros * 2), this::offer);
    }

    private void calm() {
        trouble = false;
        for (Process each : alive()) {
            if (each.isStopped()) {
                network.stopsOrWakes(each);
                each.wake();
            }
        }
        network.calm();
        for (Process each : alive()) {
            if (copies.contains(each) || each.node().start() < highestStart(each.node().server())) {
                each.crash(); // A copy was let in, perhaps: the operator decides.
            }
        }
        for (int i = 0; i < disks.size(); i++) {
            int server = i + 1;
            if (alive().stream().noneMatch(each -> each.node().server() == server)) {
                // Whoever starts it again after a copy was in its place sees to the start number.
                disks.get(i).starts = highestStart(server);
                startOf(i).run();
            }
        }
    }

    private long highestStart(int server) {
        return processes.stream()
                .filter(each -> each.node().server() == server)
                .mapToLong(each -> each.node().start())
                .max()
                .orElse(0);
    }

    private void fault() {
        if (!trouble) {
            return;
        }
        List<Process> alive = alive();
        scheduler.background(faultMicros / 2 + random.nextInt(faultMicros), this::fault);
        if (alive.isEmpty()) {
            return;
        }
        Process one = alive.get(random.nextInt(alive.size()));
        Process other = alive.get(random.nextInt(alive.size()));
        switch (random.nextInt(12)) {
            case 0, 1 -> {
                if (one != other) {
                    story.tell(Happening.CUT_BOTH_WAYS, one + " - " + other);
                    network.cut(one, other, false);
                    network.cut(other, one, false);
                }
            }
            case 2, 3 -> {
                if (one != other) {
                    story.tell(Happening.CUT_ONE_WAY, one + " > " + other);
                    network.cut(one, other, random.nextBoolean());
                }
            }
            case 4, 5, 6 -> {
                story.tell(Happening.HEALED, "");
                network.heal();
            }
            case 7, 8 -> stop(one);
            case 9 -> crash(one);
            case 10 -> network.lookNow(one);
            default -> copy(one);
        }
    }

    private void stop(Process one) {
        if (one.isStopped()) {
            return;
        }
        story.tell(Happening.STOPPED, one.toString());
        network.stopsOrWakes(one);
        one.stop();
        scheduler.in(
                200_000 + random.nextInt(10_000_000),
                () -> {
                    if (one.isStopped() && !one.isDead() && trouble) {
                        network.stopsOrWakes(one);
                        one.wake();
                        story.tell("woken " + one);
                    }
                });
    }

    private void crash(Process one) {
        if (one.isDead()) {
            return;
        }
        story.tell(Happening.CRASHED, one.toString());
        one.crash();
        int node = one.node().server() - 1;
        scheduler.in(
                10_000 + random.nextInt(8_000_000),
                () -> {
                    boolean back =
                            alive().stream().anyMatch(each -> each.node().server() == node + 1);
                    if (!back) {
                        startOf(node).run();
                    }
                });
    }

    /** Somebody starts a copy of a data folder, while the original runs or is stopped. */
    private void copy(Process one) {
        int node = one.node().server() - 1;
        Process copy = start(node, disks.get(node).copy());
        copies.add(copy);
        story.tell(Happening.COPY_STARTED, copy.toString());
        scheduler.in(
                15_000_000,
                () -> {
                    if (!copy.isDead()) {
                        copy.crash();
                    }
                });
    }
}
