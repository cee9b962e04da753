package io.godwit.benchmarks.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Question: how much CPU time does the broker spend per delivered message, and how much memory per
 * idle connection, beside Mosquitto? Command: {@code benchmarks/scenarios/run SCENARIO}; see
 * docs/lab/measurements.md.
 */
public final class Compare {
    private Compare() {}

    /**
     * Runs one scenario, or all of them, and prints a Markdown table.
     *
     * @param args see {@link Options}
     */
    public static void main(String... args) throws IOException {
        Options options;
        try {
            options = new Options(args);
            check(options);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.exit(2);
            return;
        }
        Path folder = Files.createTempDirectory("godwit-bench");
        System.err.println("logs of the brokers: " + folder);
        if (options.scenario().equals("idle")) {
            IdleMemory.run(options, folder);
            return;
        }
        if (options.scenario().equals(KnownReturn.NAME)) {
            KnownReturn.run(options, folder);
            return;
        }
        if (options.scenario().equals(ConnectCost.NAME)) {
            ConnectCost.run(options, folder);
            return;
        }
        if (options.scenario().equals(ColdStart.NAME)) {
            ColdStart.run(options, folder);
            return;
        }
        if (Library.NAMES.contains(options.scenario())) {
            Library.run(options.scenario(), options, folder);
            return;
        }
        if (Durable.knows(options.scenario())) {
            Durable.run(options, folder);
            return;
        }
        List<Comparison> done = new ArrayList<>();
        for (Scenario scenario : chosen(options)) done.add(compare(scenario, options, folder));
        Report.head();
        done.forEach(Report::row);
        if (options.scenario().equals("all")) IdleMemory.run(options, folder);
    }

    private static void check(Options options) {
        String name = options.scenario();
        boolean isPlain = Transport.of(options).isPlain();
        if (List.of("all", "idle", ConnectCost.NAME, KnownReturn.NAME).contains(name)) return;
        if (!name.equals(ColdStart.NAME) && !Library.NAMES.contains(name) && !Durable.knows(name)) {
            Scenario.named(name);
        } else if (!isPlain) {
            throw new IllegalArgumentException("clients of " + name + " speak plain MQTT only");
        }
    }

    private static List<Scenario> chosen(Options options) {
        return (options.scenario().equals("all")
                        ? Scenario.ALL
                        : List.of(Scenario.named(options.scenario())))
                .stream()
                        .map(s -> s.with(options.number("payload"), options.number("write-bytes")))
                        .toList();
    }

    private static Comparison compare(Scenario scenario, Options options, Path folder)
            throws IOException {
        Path logs = Files.createDirectories(folder.resolve(scenario.name()));
        try (BrokerProcess control = control(options, logs);
                BrokerProcess subject = subject(options, logs, "subject")) {
            if (options.text("relay").isEmpty())
                return run(new Comparison(scenario, options, control, subject, null), options);
            try (BrokerProcess relay =
                    BrokerProcess.command(logs, "relay", options.text("relay") + " {port}", "")) {
                return run(new Comparison(scenario, options, control, subject, relay), options);
            }
        }
    }

    /**
     * What the subject is compared with: Mosquitto, or another build of Godwit.
     *
     * @param settings {@code key=value} that the scenario needs; for Godwit only
     */
    static BrokerProcess control(Options options, Path logs, String... settings)
            throws IOException {
        String command = options.text("control-cmd");
        if (command.equals("mosquitto")) return BrokerProcess.mosquitto(logs, command);
        StringBuilder all = new StringBuilder(command);
        if (!command.contains("{port}")) all.append(Options.PLACES);
        for (String setting : settings) all.append(" --set ").append(setting);
        return BrokerProcess.command(logs, "control", all.toString(), options.text("java-opts"));
    }

    /**
     * The broker under test, with the listener that {@code --transport} wants; the command
     * "mosquitto" puts the control against itself.
     *
     * @param settings {@code key=value} that the scenario needs; for Godwit only
     */
    static BrokerProcess subject(Options options, Path logs, String name, String... settings)
            throws IOException {
        String command = options.text("broker-cmd");
        if (command.equals("mosquitto")) return BrokerProcess.mosquitto(logs, name);
        StringBuilder all = new StringBuilder(command);
        if (command.contains("godwit run")) {
            for (String setting : settings) all.append(" --set ").append(setting);
        }
        Transport transport = Transport.of(options);
        List<String> more = new ArrayList<>(transport.settings(logs));
        if (transport.known()) more.addAll(KnownClients.settings(logs, options));
        for (String setting : more) all.append(" --set ").append(setting);
        return BrokerProcess.command(
                logs, name, all.toString(), options.text("java-opts"), transport);
    }

    private static Comparison run(Comparison comparison, Options options) throws IOException {
        comparison.run();
        if (!options.text("profile").isEmpty())
            comparison.profile(Path.of(options.text("profile")));
        return comparison;
    }
}
