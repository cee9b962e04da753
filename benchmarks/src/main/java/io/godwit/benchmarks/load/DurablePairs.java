package io.godwit.benchmarks.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/**
 * Question: what does durability add to a QoS 1 message that is delivered at once, when every
 * commit is synced? Beside it the same run with transient sessions, and Mosquitto without
 * persistence. Command: {@code benchmarks/scenarios/run durable-qos1}, {@code durable-qos1-slow}
 * (subscribers acknowledge after 20 ms), {@code durable-qos1-one} (one message outstanding).
 * Target: at most 1.6, 2 and 1.5 times the CPU per message of transient sessions; with 100
 * outstanding at most half of Mosquitto's.
 */
final class DurablePairs {
    private static final int PAIRS = 100;

    /**
     * @param target times the CPU of transient sessions, at most
     */
    private record Load(String name, int window, int ackDelayMs, double target) {
        Scenario scenario(boolean durable, Options options) {
            return new Scenario(
                    name,
                    PAIRS,
                    1,
                    1,
                    1,
                    window,
                    options.number("payload"),
                    options.number("write-bytes"),
                    0,
                    0,
                    new Scenario.Sessions(durable, false, ackDelayMs),
                    target);
        }
    }

    private static final List<Load> LOADS =
            List.of(
                    new Load("durable-qos1", 100, 0, 1.3),
                    new Load("durable-qos1-slow", 100, 20, 1.6),
                    new Load("durable-qos1-one", 1, 0, 1.5));
    static final List<String> NAMES = LOADS.stream().map(Load::name).toList();
    private static final double MOSQUITTO_TARGET = 0.5;

    /** Rounds that follow each other. */
    private record Trio(Round durable, Round passing, Round mosquitto) {
        double ofTransient() {
            return durable.cpuMicros() / passing.cpuMicros();
        }

        double ofMosquitto() {
            return durable.cpuMicros() / mosquitto.cpuMicros();
        }

        List<String> objections() {
            List<String> against = new ArrayList<>();
            against.addAll(Comparison.objections("durable", 1, durable));
            against.addAll(Comparison.objections("transient", 1, passing));
            against.addAll(Comparison.objections("mosquitto", 1, mosquitto));
            return against;
        }
    }

    private DurablePairs() {}

    static void run(String name, Options options, Path folder) throws IOException {
        Load load = LOADS.stream().filter(l -> l.name().equals(name)).findFirst().orElseThrow();
        Path logs = Files.createDirectories(folder.resolve(load.name()));
        List<Trio> counted = new ArrayList<>();
        List<String> objections = new ArrayList<>();
        try (BrokerProcess mosquitto = Compare.control(options, logs);
                BrokerProcess passing = Compare.subject(options, logs, "transient");
                BrokerProcess durable = Compare.subject(options, logs, "durable")) {
            Contestant[] all = {
                new Contestant(load.scenario(true, options), durable, options),
                new Contestant(load.scenario(false, options), passing, options),
                new Contestant(load.scenario(true, options), mosquitto, options)
            };
            for (Contestant each : all) each.calibrate();
            // Another build needs its warm-up as this one does.
            boolean isGodwit = !options.text("control-cmd").equals("mosquitto");
            for (int i = 0; i < options.number("warmup"); i++) {
                all[0].round("warm-up", 0);
                all[1].round("warm-up", 0);
                if (isGodwit) all[2].round("warm-up", 0);
            }
            double rate =
                    options.number("rate") > 0 ? options.number("rate") : all[2].published() * 0.4;
            int wanted = options.number("rounds");
            for (int i = 1; counted.size() < wanted && i <= 2 * wanted; i++) {
                Trio trio = trio("round " + i, all, i, rate);
                List<String> against = trio.objections();
                if (against.isEmpty()) counted.add(trio);
                else objections.add("round " + i + ": " + String.join("; ", against));
            }
            if (!options.text("profile").isEmpty()) profile(all, durable, passing, options);
        }
        print(load, counted, objections, options);
    }

    /** One more round of both of ours under the flight recorder. */
    private static void profile(
            Contestant[] all, BrokerProcess durable, BrokerProcess passing, Options options)
            throws IOException {
        try (Profile profile = Profile.start(List.of(durable, passing), options.text("profile"))) {
            all[0].round("profile", 0);
            all[1].round("profile", 0);
            profile.print();
        }
    }

    /** Who goes first changes from round to round. */
    private static Trio trio(String title, Contestant[] all, int number, double rate)
            throws IOException {
        Round[] rounds = new Round[all.length];
        for (int i = 0; i < all.length; i++) {
            int who = (number + i) % all.length;
            rounds[who] = all[who].round(title, rate);
        }
        return new Trio(rounds[0], rounds[1], rounds[2]);
    }

    private static void print(
            Load load, List<Trio> counted, List<String> objections, Options options) {
        System.out.println(
                "| scenario | durable us/msg (kernel) | transient us/msg | Mosquitto us/msg |"
                        + " of transient | target | of Mosquitto | target | operations per commit |"
                        + " cancelled % | rows % | sync us | k msg/s durable / transient / Mosquitto |"
                        + " p99 us at an even rate | load, cores | others, cores | rounds |\n"
                        + "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
                        + " --- | --- | --- | --- | --- |");
        int all = counted.size() + objections.size();
        if (counted.isEmpty()) {
            System.out.printf("| %s | no round counted of %d |%n", load.name(), all);
        } else {
            Spread ofTransient = Spread.of(counted, Trio::ofTransient);
            Spread ofMosquitto = Spread.of(counted, Trio::ofMosquitto);
            System.out.printf(
                    Locale.ROOT,
                    "| %s, %d B | %s (%.0f %%) | %s | %s | %s | <= %.1f %s | %s | %s | %s | %s |"
                            + " %s | %s | %s / %s / %s | %s / %s / %s | %s | %s | %d of %d |%n",
                    load.name(),
                    options.number("payload"),
                    of(counted, Trio::durable, Round::cpuMicros).text("%.3g"),
                    of(counted, Trio::durable, Round::kernelShare).median() * 100,
                    of(counted, Trio::passing, Round::cpuMicros).text("%.3g"),
                    of(counted, Trio::mosquitto, Round::cpuMicros).text("%.3g"),
                    ofTransient.text("%.2f"),
                    load.target(),
                    verdict(ofTransient, load.target()),
                    ofMosquitto.text("%.2f"),
                    mosquittoTarget(load, ofMosquitto),
                    store(counted, StoreUse::operationsPerCommit).text("%.0f"),
                    store(counted, s -> s.cancelledShare() * 100).text("%.1f"),
                    store(counted, s -> s.rowShare() * 100).text("%.2f"),
                    store(counted, s -> s.syncSeconds() * 1e6 / s.syncs()).text("%.0f"),
                    of(counted, Trio::durable, r -> r.perSecond() / 1e3).medianText("%.0f"),
                    of(counted, Trio::passing, r -> r.perSecond() / 1e3).medianText("%.0f"),
                    of(counted, Trio::mosquitto, r -> r.perSecond() / 1e3).medianText("%.0f"),
                    of(counted, Trio::durable, Round::p99Micros).medianText("%.0f"),
                    of(counted, Trio::passing, Round::p99Micros).medianText("%.0f"),
                    of(counted, Trio::mosquitto, Round::p99Micros).medianText("%.0f"),
                    of(counted, Trio::durable, Round::loadBusy).medianText("%.2f"),
                    of(counted, Trio::durable, Round::othersBusy).text("%.1f"),
                    counted.size(),
                    all);
        }
        objections.forEach(o -> System.err.println(load.name() + ", not counted, " + o));
    }

    private static String mosquittoTarget(Load load, Spread ratio) {
        return load.window() == 1
                ? "-"
                : "<= " + MOSQUITTO_TARGET + " " + verdict(ratio, MOSQUITTO_TARGET);
    }

    private static String verdict(Spread ratio, double target) {
        return ratio.median() <= target ? "met" : "MISSED";
    }

    private static Spread of(
            List<Trio> trios, Function<Trio, Round> which, Function<Round, Double> figure) {
        return Spread.of(trios, t -> figure.apply(which.apply(t)));
    }

    private static Spread store(List<Trio> trios, Function<StoreUse, Double> figure) {
        return Spread.of(trios, t -> figure.apply(t.durable().store()));
    }
}
