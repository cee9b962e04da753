package io.godwit.benchmarks.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Question: who notices when all clients come back at one moment, as after an outage of the
 * network? Command: {@code benchmarks/scenarios/run reconnect --control-cmd ../before/godwit}: 10
 * 000 durable sessions connect at once, with nothing and with 100 messages queued for each. Target:
 * another client's p99 at most 3 times its quiet value, and all are back and have everything within
 * 1.2 times the control's time. What the machine and the load program do to that p99 by themselves
 * shows a client of a broker that is idle.
 */
final class Reconnect {
    static final String NAME = "reconnect";

    private static final int CLIENTS = 10_000;
    private static final int[] EACH = {0, 100};
    private static final double TARGET_P99 = 3;
    private static final double TARGET_TIME = 1.2;

    private final BrokerProcess idle;
    private final Options options;
    private final int clients;

    private Reconnect(BrokerProcess idle, Options options) {
        this.idle = idle;
        this.options = options;
        clients = options.scaled(CLIENTS);
    }

    static void run(String name, Options options, Path folder) throws IOException {
        Path logs = Files.createDirectories(folder.resolve(name));
        String limit = "queues.messages=2000000";
        try (BrokerProcess idle = Compare.subject(options, logs, "idle");
                BrokerProcess subject = Compare.subject(options, logs, "subject", limit)) {
            Reconnect reconnect = new Reconnect(idle, options);
            if (options.text("control-cmd").equals("mosquitto")) {
                reconnect.run(List.of(subject));
                return;
            }
            try (BrokerProcess control = Compare.control(options, logs, limit)) {
                reconnect.run(List.of(subject, control));
            }
        }
    }

    /** The subject and, if there is one, the control: they take turns. */
    private void run(List<BrokerProcess> brokers) throws IOException {
        for (BrokerProcess broker : brokers) {
            Enrolment.enrol(broker, 0, clients, "");
            for (int i = 0; i < options.number("warmup"); i++) comeBack(broker, EACH[i % 2]);
        }
        System.out.println(
                "| clients at once | messages each | p99 of another client us: quiet | meanwhile | at an idle"
                        + " broker meanwhile | ratio | target | all back and drained, s | the control's, s | times | target | missing |"
                        + " repeated |\n"
                        + "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
        for (int each : EACH) {
            List<List<Drain>> drains = new ArrayList<>();
            for (BrokerProcess ignored : brokers) drains.add(new ArrayList<>());
            for (int round = 0; round < options.number("rounds"); round++) {
                for (int b = 0; b < brokers.size(); b++) {
                    drains.get(b).add(comeBack(brokers.get(b), each));
                }
            }
            print(each, drains);
        }
    }

    private Drain comeBack(BrokerProcess broker, int each) throws IOException {
        return Drain.of(broker, idle, options, clients, each, clients);
    }

    private void print(int each, List<List<Drain>> drains) {
        List<Drain> subject = drains.get(0);
        Spread ratio = Spread.of(subject, d -> d.p99Meanwhile() / d.p99Alone());
        Spread seconds = Spread.of(subject, Drain::seconds);
        String beside = "- | - | -";
        if (drains.size() > 1) {
            Spread control = Spread.of(drains.get(1), Drain::seconds);
            double times = seconds.median() / control.median();
            beside =
                    String.format(
                            Locale.ROOT,
                            "%s | %.2f | <= %.1f %s",
                            control.text("%.2f"),
                            times,
                            TARGET_TIME,
                            verdict(times <= TARGET_TIME));
        }
        System.out.printf(
                Locale.ROOT,
                "| %d | %d | %.0f | %.0f | %s | %s | <= %.0f %s | %s | %s | %d | %d |%n",
                clients,
                each,
                Spread.of(subject, Drain::p99Alone).median(),
                Spread.of(subject, Drain::p99Meanwhile).median(),
                Spread.of(subject, Drain::p99Beside).text("%.0f"),
                ratio.text("%.2f"),
                TARGET_P99,
                verdict(ratio.median() <= TARGET_P99),
                seconds.text("%.2f"),
                beside,
                subject.stream().mapToLong(Drain::missing).sum(),
                subject.stream().mapToLong(Drain::repeated).sum());
    }

    private static String verdict(boolean met) {
        return met ? "met" : "MISSED";
    }
}
