package io.godwit.benchmarks.load;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rounds of one scenario: control and subject (and the relay, if there is one) in turn, so that
 * a drift of the machine's speed hits all of them. A pair of rounds that doesn't count is told,
 * left out and repeated, at most as often as rounds are wanted.
 */
public final class Comparison {
    /** The offered rate at which latencies are compared, as a share of what the control can do. */
    private static final double OFFERED_SHARE = 0.4;

    private static final double LOSS_LIMIT_QOS_0 = 0.01;
    private static final double P99_LIMIT = 2;

    private final Scenario scenario;
    private final Options options;
    private final boolean isOfTwoBuilds;
    private final Contestant control;
    private final Contestant subject;
    private final @Nullable Contestant relay;
    private final List<Pair> counted = new ArrayList<>();
    private final List<String> objections = new ArrayList<>();
    private double offered;

    /** Rounds that follow each other. */
    record Pair(Round control, Round subject, @Nullable Round relay) {
        double ratio() {
            return control.cpuMicros() / subject.cpuMicros();
        }
    }

    Comparison(
            Scenario scenario,
            Options options,
            BrokerProcess control,
            BrokerProcess subject,
            @Nullable BrokerProcess relay) {
        this.scenario = scenario;
        this.options = options;
        this.control = new Contestant(scenario, control, options);
        this.isOfTwoBuilds = !options.text("control-cmd").equals("mosquitto");
        this.subject = new Contestant(scenario, subject, options);
        this.relay = relay == null ? null : new Contestant(scenario, relay, options);
    }

    /** Runs warm-up and rounds. */
    void run() throws IOException {
        control.calibrate();
        offered =
                scenario.fixedRate() > 0
                        ? scenario.fixedRate()
                        : options.number("rate") > 0
                                ? options.number("rate")
                                : control.published() * OFFERED_SHARE;
        subject.startAs(control);
        for (int i = 0; i < options.number("warmup"); i++) {
            subject.round("warm-up", offered);
            // Another build of Godwit is as cold at first; Mosquitto has nothing to warm up.
            if (isOfTwoBuilds) control.round("warm-up", offered);
        }
        if (relay != null) {
            relay.startAs(control);
            relay.round("warm-up", scenario.fixedRate());
        }
        int wanted = options.number("rounds");
        for (int i = 1; counted.size() < wanted && i <= 2 * wanted; i++) {
            Pair pair = pair("round " + i, i % 2 == 0);
            List<String> against = objections(pair.control(), pair.subject());
            if (against.isEmpty()) counted.add(pair);
            else objections.add("round " + i + ": " + String.join("; ", against));
        }
    }

    /**
     * One more round with the subject under the flight recorder, which isn't counted.
     *
     * @param file where the recording goes
     */
    void profile(Path file) throws IOException {
        Jcmd jvm =
                Jcmd.of(subject.broker().pid())
                        .orElseThrow(() ->
                                new IOException("--profile needs a broker that runs in a JVM"));
        jvm.run("JFR.start", "name=rounds", "settings=profile");
        subject.round("profile", scenario.fixedRate());
        jvm.run("JFR.stop", "name=rounds", "filename=" + file.toAbsolutePath());
        System.err.println(
                jvm.tool("jfr", "view", "--width", "140", "hot-methods", file.toString()));
    }

    /**
     * Who goes first changes from round to round: what the one leaves behind in caches must not
     * always hit the other.
     */
    private Pair pair(String title, boolean subjectFirst) throws IOException {
        Round early = (subjectFirst ? subject : control).round(title, offered);
        Round late = (subjectFirst ? control : subject).round(title, offered);
        Round limit = relay == null ? null : relay.round(title, scenario.fixedRate());
        return subjectFirst ? new Pair(late, early, limit) : new Pair(early, late, limit);
    }

    Scenario scenario() {
        return scenario;
    }

    List<Pair> counted() {
        return counted;
    }

    /** Why rounds were left out, one line each. */
    List<String> objections() {
        return objections;
    }

    private List<String> objections(Round of, Round with) {
        List<String> against = new ArrayList<>();
        against.addAll(objections("control", scenario.qos(), of));
        against.addAll(objections("subject", scenario.qos(), with));
        if (isOfTwoBuilds) return against; // Of equals one is always a little slower.
        if (scenario.fixedRate() == 0 && with.perSecond() < of.perSecond()) {
            against.add(
                    "throughput %.0f/s below the control's %.0f/s"
                            .formatted(with.perSecond(), of.perSecond()));
        }
        if (with.p99Micros() > P99_LIMIT * of.p99Micros()) {
            against.add(
                    "p99 %.0f us above twice the control's %.0f us"
                            .formatted(with.p99Micros(), of.p99Micros()));
        }
        return against;
    }

    /** What speaks against one round by itself. */
    public static List<String> objections(String who, int qos, Round round) {
        List<String> against = new ArrayList<>();
        if (round.fault() != null) against.add(who + ": " + round.fault());
        if (qos == 0 ? round.loss() >= LOSS_LIMIT_QOS_0 : round.loss() > 0) {
            against.add("%s lost %.3f %%".formatted(who, round.loss() * 100));
        }
        if (qos > 0 && round.repeated() > 0) against.add(who + " repeated " + round.repeated());
        if (round.loadWasBottleneck()) against.add("the load was the bottleneck of the " + who);
        return against;
    }
}
