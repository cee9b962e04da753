package io.godwit.benchmarks.load.cluster;

import io.godwit.benchmarks.load.Comparison;
import io.godwit.benchmarks.load.Contestant;
import io.godwit.benchmarks.load.Options;
import io.godwit.benchmarks.load.Round;
import io.godwit.benchmarks.load.Spread;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Two sites carry the same load in turn; who goes first changes from round to round. */
final class Alternation {
    private final String scenario;
    private final int qos;
    private final Contestant first;
    private final Contestant second;
    private final List<Pair> counted = new ArrayList<>();
    private final List<String> objections = new ArrayList<>();

    /** Rounds that follow each other. */
    record Pair(Round first, Round second) {
        /** Returns the CPU time per message of the second, divided by that of the first. */
        double cpuRatio() {
            return second.cpuMicros() / first.cpuMicros();
        }
    }

    Alternation(String scenario, int qos, Contestant first, Contestant second) {
        this.scenario = scenario;
        this.qos = qos;
        this.first = first;
        this.second = second;
    }

    /** Runs warm-up and rounds, until as many count as are wanted or twice as many are done. */
    void run(Options options) throws IOException {
        double rate = options.number("rate");
        first.calibrate();
        second.calibrate();
        for (int i = 0; i < options.number("warmup"); i++) {
            first.round("warm-up", rate);
            second.round("warm-up", rate);
        }
        int wanted = options.number("rounds");
        for (int i = 1; counted.size() < wanted && i <= 2 * wanted; i++) {
            Pair pair = pair("round " + i, i % 2 == 0, rate);
            List<String> against = new ArrayList<>();
            against.addAll(Comparison.objections(first.name(), qos, pair.first()));
            against.addAll(Comparison.objections(second.name(), qos, pair.second()));
            if (against.isEmpty()) counted.add(pair);
            else objections.add("round " + i + ": " + String.join("; ", against));
        }
        objections.forEach(o -> System.err.println(scenario + ", not counted, " + o));
    }

    private Pair pair(String title, boolean secondGoesFirst, double rate) throws IOException {
        if (!secondGoesFirst) return new Pair(first.round(title, rate), second.round(title, rate));
        Round early = second.round(title, rate);
        return new Pair(first.round(title, rate), early);
    }

    List<Pair> counted() {
        return counted;
    }

    /** Says how many of the rounds count, such as "5 of 6 rounds". */
    String rounds() {
        return "%d of %d rounds".formatted(counted.size(), counted.size() + objections.size());
    }

    /** Prints a figure of both, and the usual ones behind it. */
    void printFigures() {
        print("us/msg", "%.3g", Round::cpuMicros);
        print("kernel's share", "%.2f", Round::kernelShare);
        print("k msg/s", "%.0f", round -> round.perSecond() / 1e3);
        print("cores used by the load", "%.2f", Round::loadBusy);
        print("cores used by others", "%.2f", Round::othersBusy);
    }

    /** Prints a figure of both; at least one round counts. */
    void print(String what, String format, ToDoubleFunction<Round> figure) {
        Outcome.row(
                scenario,
                "%s, %s / %s".formatted(what, first.name(), second.name()),
                String.format(
                        Locale.ROOT,
                        "%s / %s",
                        Spread.of(counted, p -> figure.applyAsDouble(p.first())).text(format),
                        Spread.of(counted, p -> figure.applyAsDouble(p.second())).text(format)));
    }
}
