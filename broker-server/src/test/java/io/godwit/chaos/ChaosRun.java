package io.godwit.chaos;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * One run: rounds of load that end badly, then everything is drained, then one kill more to see
 * that nothing comes back.
 */
final class ChaosRun {
    private static final int SHORTEST_MS = 30;
    private static final long QUIET_MS = 15_000;

    /** Once something was found: what is missing then need not be waited for again. */
    private static final long QUIET_IN_VAIN_MS = 3_000;

    private static final long AFTERWARDS_MS = 300;
    private static final int VIOLATIONS_ENOUGH = 500;

    /**
     * @param rounds that were begun
     * @param outages of clients; those of one broker, which is away in each round, are not told
     */
    record Report(
            Tally tally,
            int rounds,
            List<Violation> violations,
            Map<Violation.Kind, Integer> counts,
            Outages outages) {
        Report(
                Tally tally,
                int rounds,
                List<Violation> violations,
                Map<Violation.Kind, Integer> counts) {
            this(tally, rounds, violations, counts, new Outages());
        }

        /** The result as text: one sentence, then what happened and the violations. */
        @Override
        public String toString() {
            List<String> lines = new ArrayList<>();
            lines.add(Summary.of(rounds, tally, counts).toString());
            if (outages.longestMs() > 0) {
                lines.add(outages.toString());
            }
            lines.add(tally.toString());
            violations.forEach(each -> lines.add(each.toString()));
            return String.join("\n", lines);
        }

        int violationsAll() {
            return counts.values().stream().mapToInt(each -> each).sum();
        }
    }

    private final Plan plan;
    private final Scene scene;
    private final Consumer<String> progress;
    private final SplittableRandom random;
    private int told; // violations

    private ChaosRun(Plan plan, Consumer<String> progress) {
        this.plan = plan;
        this.progress = progress;
        scene = Scene.of(plan.seed());
        random = new SplittableRandom(plan.seed());
    }

    /**
     * @param progress gets a line for each round, and each violation with what led to it
     */
    static Report run(Plan plan, Consumer<String> progress) {
        return new ChaosRun(plan, progress).run();
    }

    private Report run() {
        List<Client> clients =
                Casting.crowd(scene, random.split(), plan.perSecond(), plan.bulkPerSecond());
        try (Broker broker = new Broker(plan.folder(), plan.settings(), plan.environment());
                Crowd crowd = new Crowd(scene, clients)) {
            Endings.Stage stage = new Endings.Stage(broker, crowd, scene, random.split());
            for (int i = 0; i < plan.rounds() && !enough(); i++) {
                round(stage);
            }
            drain(stage);
        } catch (NotStarted e) {
            progress.accept(String.valueOf(e.getMessage()));
        }
        return new Report(
                scene.tally(),
                scene.history().round(),
                scene.checker().violations(),
                scene.checker().counts());
    }

    private boolean enough() {
        return scene.checker().violationsAll() >= VIOLATIONS_ENOUGH;
    }

    private void round(Endings.Stage stage) {
        begin(stage);
        int lengthMs =
                SHORTEST_MS + random.nextInt(Math.max(1, plan.longestMs() - SHORTEST_MS + 1));
        stage.crowd().runFor(lengthMs);
        Endings.Ending ending = plan.endings().apply(scene.history().round(), random);
        int unacknowledged = stage.crowd().unacknowledged();
        Tally tally = scene.tally();
        tally.add(Happening.UNACKNOWLEDGED_AT_END, unacknowledged);
        tally.add(Happening.ENDS_WITH_UNACKNOWLEDGED, unacknowledged > 0 ? 1 : 0);
        tally.add(Happening.ACKNOWLEDGED_UNDELIVERED_AT_END, scene.checker().missing());
        ending.end(stage);
        progress.accept(
                "round %d: %d ms, %d unacknowledged at its end, %d violations so far"
                        .formatted(
                                scene.history().round(),
                                lengthMs,
                                unacknowledged,
                                scene.checker().violationsAll()));
        List<Violation> violations = scene.checker().violations();
        violations.subList(told, violations.size()).forEach(each -> progress.accept("" + each));
        told = violations.size();
    }

    /** The broker did not become ready: there is nothing to go on with. */
    private static final class NotStarted extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NotStarted() {
            super("the broker does not start any more");
        }
    }

    private void start(Endings.Stage stage) {
        try {
            stage.broker().start();
        } catch (AssertionError e) {
            Endings.report(stage, "does not start");
            throw new NotStarted();
        }
        scene.tally().count(Happening.STARTS);
    }

    /** A broker is there, and what it retains is right before anyone publishes again. */
    private void begin(Endings.Stage stage) {
        scene.history().nextRound();
        scene.tally().count(Happening.ROUNDS);
        if (!stage.broker().isRunning()) {
            start(stage);
            InetSocketAddress at = stage.broker().process().address("mqtt");
            RetainedReader.check(scene, at);
            stage.crowd().brokerIs(at);
        }
    }

    private long quietMs() {
        return scene.checker().violationsAll() == 0 ? QUIET_MS : QUIET_IN_VAIN_MS;
    }

    private void drain(Endings.Stage stage) {
        begin(stage);
        if (!stage.crowd().settle(quietMs())) {
            stage.crowd().reportUnsettled();
        }
        scene.checker().finish();
        if (scene.checker().violationsAll() > 0) {
            return;
        }
        Endings.kill(stage);
        begin(stage);
        stage.crowd().settle(quietMs());
        stage.crowd().runFor(AFTERWARDS_MS);
        scene.checker().finish(); // the wills of those that were connected
    }
}
