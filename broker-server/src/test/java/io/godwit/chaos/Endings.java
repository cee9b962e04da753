package io.godwit.chaos;

import java.util.SplittableRandom;

/** How rounds end. */
final class Endings {
    private static final long STOP_LIMIT_MS = 60_000;

    private Endings() {}

    /** One way in which a round ends. */
    interface Ending {
        /** Afterwards there is no broker, or the one that is there goes on. */
        void end(Stage stage);
    }

    /** The endings that need nothing but the process. */
    enum Kind {
        KILL(Endings::kill),
        KILL_TWICE(Endings::killTwice),
        STOP(Endings::stop),
        CUT(Endings::cut);

        final Ending ending;

        Kind(Ending ending) {
            this.ending = ending;
        }
    }

    /** What an ending may touch. */
    record Stage(Broker broker, Crowd crowd, Scene scene, SplittableRandom random) {}

    /** SIGKILL. */
    static void kill(Stage stage) {
        stage.scene().tally().count(Happening.KILLS);
        stage.broker().kill();
        stage.crowd().brokerIsGone();
        stage.scene().checker().killed();
    }

    /** SIGTERM: an orderly stop. */
    static void stop(Stage stage) {
        stage.scene().tally().count(Happening.STOPS);
        stage.broker().process().terminate();
        expectExit(stage, 0);
    }

    /** Every connection breaks at once; the broker stays. */
    static void cut(Stage stage) {
        stage.scene().tally().count(Happening.CONNECTION_CUTS);
        stage.crowd().cut();
    }

    /** Kills it, and once more while it starts. */
    static void killTwice(Stage stage) {
        kill(stage);
        stage.broker().launch();
        stage.crowd().runFor(stage.random().nextInt(stage.broker().lastStartMs() + 1));
        stage.scene().tally().count(Happening.KILLS_WHILE_STARTING);
        stage.broker().kill();
    }

    /** Waits for the end while the clients go on. */
    static void expectExit(Stage stage, int code) {
        Process process = stage.broker().process().process();
        boolean ended = stage.crowd().runUntil(() -> !process.isAlive(), STOP_LIMIT_MS);
        stage.broker().kill();
        stage.crowd().brokerIsGone();
        if (!ended) {
            report(stage, "did not end in " + STOP_LIMIT_MS + " ms");
        } else if (process.exitValue() != code) {
            report(stage, "ended with exit code " + process.exitValue() + " instead of " + code);
        }
        stage.scene().checker().killed();
    }

    /** The process did not end as it should have. */
    static void report(Stage stage, String text) {
        stage.scene()
                .checker()
                .report(
                        Violation.Kind.EXIT,
                        "broker",
                        null,
                        text + "; it said " + stage.broker().process().output());
    }

    /** Mostly kills. */
    static Ending any(SplittableRandom random) {
        return switch (random.nextInt(12)) {
            case 0 -> Endings::stop;
            case 1 -> Endings::cut;
            case 2 -> Endings::killTwice;
            default -> Endings::kill;
        };
    }
}
