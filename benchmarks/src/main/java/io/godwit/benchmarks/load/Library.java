package io.godwit.benchmarks.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Question: what does a stranger's quick test with a client library show? Command: {@code
 * benchmarks/scenarios/run library-qos1}: 20 pairs of Paho's blocking client, 100 B, runs of 40 000
 * messages at both brokers in turn; after {@code --warmup} of them each, {@code --rounds} count.
 * Target: at least as many messages per CPU-second as the control, mean and p99 latency at most 1.2
 * times its.
 */
final class Library {
    static final List<String> NAMES = List.of("library-qos0", "library-qos1", "library-qos2");

    private static final int PAIRS = 20;
    private static final int MESSAGES = 40_000;
    private static final double TARGET_CPU = 1;
    private static final double TARGET_LATENCY = 1.2;

    /** One run at one broker: CPU of the broker in microseconds a message, latency in ms. */
    private record Figures(double cpuMicros, double meanMillis, double p99Millis, double rate) {}

    /** Two runs that followed each other. */
    private record Both(Figures control, Figures subject) {
        double ratio() {
            return control.cpuMicros() / subject.cpuMicros();
        }

        double mean() {
            return subject.meanMillis() / control.meanMillis();
        }

        double p99() {
            return subject.p99Millis() / control.p99Millis();
        }
    }

    private Library() {}

    static void run(String name, Options options, Path folder) throws IOException {
        int qos = NAMES.indexOf(name);
        Path logs = Files.createDirectories(folder.resolve(name));
        List<Both> counted = new ArrayList<>();
        try (BrokerProcess control = Compare.control(options, logs);
                BrokerProcess subject = Compare.subject(options, logs, "subject");
                LibraryPairs there = new LibraryPairs(control, qos, PAIRS);
                LibraryPairs here = new LibraryPairs(subject, qos, PAIRS)) {
            int warmup = options.number("warmup");
            for (int i = -warmup; i < options.number("rounds"); i++) {
                boolean first = i % 2 == 0;
                Figures subjects = first ? figures(here, subject, options) : null;
                Figures controls = figures(there, control, options);
                if (subjects == null) subjects = figures(here, subject, options);
                if (i >= 0) counted.add(new Both(controls, subjects));
            }
        }
        print(name, counted);
    }

    private static Figures figures(LibraryPairs pairs, BrokerProcess broker, Options options)
            throws IOException {
        int messages = options.scaled(MESSAGES);
        long before = ProcFs.cpuMicros(broker.pid());
        LibraryPairs.Run run = pairs.run(messages);
        double cpu = (double) (ProcFs.cpuMicros(broker.pid()) - before) / messages;
        Figures figures =
                new Figures(
                        cpu,
                        run.latency().getMean() / 1e6,
                        run.latency().getValueAtPercentile(99) / 1e6,
                        run.perSecond());
        System.err.println(broker.name() + ": " + figures);
        return figures;
    }

    private static void print(String name, List<Both> counted) {
        Spread ratio = Spread.of(counted, Both::ratio);
        Spread mean = Spread.of(counted, Both::mean);
        Spread p99 = Spread.of(counted, Both::p99);
        System.out.printf(
                Locale.ROOT,
                "%n| scenario | control us/msg | subject us/msg | messages per CPU-second, of the control's |"
                        + " target | mean ms control / subject | ratio | target | p99 ms control / subject |"
                        + " ratio | target | msg/s control / subject | rounds |%n"
                        + "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |%n"
                        + "| %s | %s | %s | %s | >= %.1f %s | %.2f / %.2f | %s | <= %.1f %s | %.2f / %.2f | %s |"
                        + " <= %.1f %s | %.0f / %.0f | %d |%n",
                name,
                Spread.of(counted, b -> b.control().cpuMicros()).text("%.1f"),
                Spread.of(counted, b -> b.subject().cpuMicros()).text("%.1f"),
                ratio.text("%.2f"),
                TARGET_CPU,
                verdict(ratio.median() >= TARGET_CPU),
                Spread.of(counted, b -> b.control().meanMillis()).median(),
                Spread.of(counted, b -> b.subject().meanMillis()).median(),
                mean.text("%.2f"),
                TARGET_LATENCY,
                verdict(mean.median() <= TARGET_LATENCY),
                Spread.of(counted, b -> b.control().p99Millis()).median(),
                Spread.of(counted, b -> b.subject().p99Millis()).median(),
                p99.text("%.2f"),
                TARGET_LATENCY,
                verdict(p99.median() <= TARGET_LATENCY),
                Spread.of(counted, b -> b.control().rate()).median(),
                Spread.of(counted, b -> b.subject().rate()).median(),
                counted.size());
    }

    private static String verdict(boolean met) {
        return met ? "met" : "MISSED";
    }
}
