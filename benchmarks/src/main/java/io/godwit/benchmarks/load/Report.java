package io.godwit.benchmarks.load;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** Prints rounds as they pass, and the table of medians at the end. */
final class Report {
    private static final PrintStream OUT = System.out;

    private Report() {}

    static void progress(String scenario, String title, String broker, Round round) {
        System.err.printf(
                Locale.ROOT,
                "%-14s %-9s %-9s %8.3f us/msg (kernel %2.0f %%) %9.0f msg/s  broker %.2f load %.2f others %.2f cores  p99 %.0f us at %.0f/s  lost %.3f %%%s%s%s%n",
                scenario,
                title,
                broker,
                round.cpuMicros(),
                round.kernelShare() * 100,
                round.perSecond(),
                round.brokerBusy(),
                round.loadBusy(),
                round.othersBusy(),
                round.p99Micros(),
                round.offered(),
                round.loss() * 100,
                round.store().text(),
                round.repeated() > 0 ? " repeated " + round.repeated() : "",
                round.fault() == null ? "" : " FAULT " + round.fault());
    }

    static void head() {
        OUT.println(
                "| scenario | control us/msg | subject us/msg (kernel) | relay us/msg | ratio | target |"
                        + " k msg/s control / subject | p99 us control / subject | load, cores | others, cores | rounds |");
        OUT.println("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    }

    /** One row: medians of the counted rounds with ranges. */
    static void row(Comparison comparison) {
        List<Comparison.Pair> pairs = comparison.counted();
        int left = comparison.objections().size();
        String name = comparison.scenario().name();
        if (pairs.isEmpty()) {
            OUT.printf("| %s | no round counted of %d | | | | | | | | | 0 |%n", name, left);
        } else {
            Spread ratio = Spread.of(pairs, Comparison.Pair::ratio);
            double target = comparison.scenario().target();
            OUT.printf(
                    Locale.ROOT,
                    "| %s | %s | %s (%.0f %%) | %s | %s | >= %.2f %s | %s / %s | %s / %s at %.0f/s | %s / %s | %s | %d of %d |%n",
                    name,
                    Spread.of(pairs, p -> p.control().cpuMicros()).text("%.3g"),
                    Spread.of(pairs, p -> p.subject().cpuMicros()).text("%.3g"),
                    Spread.of(pairs, p -> p.subject().kernelShare()).median() * 100,
                    relay(pairs),
                    ratio.text("%.2f"),
                    target,
                    ratio.median() >= target ? "met" : "MISSED",
                    Spread.of(pairs, p -> p.control().perSecond() / 1e3).medianText("%.0f"),
                    Spread.of(pairs, p -> p.subject().perSecond() / 1e3).medianText("%.0f"),
                    Spread.of(pairs, p -> p.control().p99Micros()).medianText("%.0f"),
                    Spread.of(pairs, p -> p.subject().p99Micros()).medianText("%.0f"),
                    pairs.get(0).subject().offered(),
                    Spread.of(pairs, p -> p.control().loadBusy()).medianText("%.2f"),
                    Spread.of(pairs, p -> p.subject().loadBusy()).medianText("%.2f"),
                    Spread.of(pairs, p -> p.subject().othersBusy()).text("%.1f"),
                    pairs.size(),
                    pairs.size() + left);
        }
        comparison.objections().forEach(o -> System.err.println(name + ", not counted, " + o));
    }

    private static String relay(List<Comparison.Pair> pairs) {
        List<Round> rounds =
                pairs.stream().map(Comparison.Pair::relay).filter(Objects::nonNull).toList();
        return rounds.isEmpty() ? "-" : Spread.of(rounds, Round::cpuMicros).text("%.3g");
    }
}
