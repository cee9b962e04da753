package io.godwit.benchmarks.load;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The command line: a scenario and {@code --name value} pairs, all of which have a default. */
public final class Options {
    /** Behind a launcher of Godwit. */
    public static final String PLACES =
            " run --set listeners.mqtt.bind=127.0.0.1:{port} --set listeners.ws.bind=127.0.0.1:{ws-port}"
                    + " --set admin.bind=127.0.0.1:{admin-port} --set node.data={dir}";

    private static final String GODWIT = "./godwit" + PLACES;
    private static final Map<String, String> DEFAULTS =
            Map.ofEntries(
                    Map.entry("rounds", "7"),
                    Map.entry("warmup", "5"),
                    Map.entry("seconds", "4"),
                    Map.entry("latency-seconds", "3"),
                    Map.entry("rate", "0"),
                    Map.entry("payload", "100"),
                    Map.entry("write-bytes", "32768"),
                    Map.entry("connections", "15000"),
                    Map.entry("scale", "1"),
                    Map.entry("java-opts", ""),
                    Map.entry("relay", ""),
                    Map.entry("profile", ""),
                    Map.entry("control-cmd", "mosquitto"),
                    Map.entry("broker-cmd", GODWIT));
    private final Map<String, String> values = new TreeMap<>(DEFAULTS);
    private final String scenario;
    private final String scenarios;

    /**
     * @throws IllegalArgumentException with a sentence that names what is wrong
     */
    Options(String... args) {
        this("all, " + Scenario.names(), Options::defaults, args);
    }

    /**
     * @param scenarios their names, for who asks
     * @param defaults what a scenario has beside the common ones, or instead of them
     */
    public Options(
            String scenarios, Function<String, Map<String, String>> defaults, String... args) {
        this.scenarios = scenarios;
        if (args.length == 0) throw new IllegalArgumentException(usage());
        scenario = args[0];
        values.putAll(defaults.apply(scenario));
        parse(args);
    }

    /** Holds the options that only scenarios with one broker and its control have. */
    private static Map<String, String> defaults(String scenario) {
        Map<String, String> all =
                new TreeMap<>(
                        Map.of("transport", "tcp", "proxy-header", "false", "known", "false"));
        all.putAll(javaOptions(scenario));
        if (scenario.equals(KnownReturn.NAME)) all.putAll(KnownReturn.DEFAULTS);
        return all;
    }

    private static Map<String, String> javaOptions(String scenario) {
        if (scenario.equals("idle")) return Map.of("java-opts", "-Xmx512m");
        if (scenario.equals(OfflineSessions.NAME) || Reopen.NAMES.contains(scenario))
            return Map.of("java-opts", "-Xmx1g");
        return Map.of();
    }

    private void parse(String... args) {
        for (int i = 1; i < args.length; i += 2) {
            String key = args[i].startsWith("--") ? args[i].substring(2) : "";
            if (!values.containsKey(key))
                throw new IllegalArgumentException("unknown '" + args[i] + "'; " + usage());
            if (i + 1 == args.length)
                throw new IllegalArgumentException(args[i] + " needs a value");
            values.put(key, args[i + 1]);
        }
    }

    public String scenario() {
        return scenario;
    }

    public String text(String name) {
        String value = values.get(name);
        if (value == null) throw new IllegalArgumentException(name);
        return value;
    }

    public int number(String name) {
        try {
            return Integer.parseInt(text(name));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "--" + name + " takes a whole number, not '" + text(name) + "'", e);
        }
    }

    boolean flag(String name) {
        return switch (text(name)) {
            case "true" -> true;
            case "false" -> false;
            default ->
                    throw new IllegalArgumentException(
                            "--" + name + " takes true or false, not '" + text(name) + "'");
        };
    }

    /** A number of the scenario, made smaller by {@code --scale}; at least 1. */
    int scaled(int number) {
        double scale;
        try {
            scale = Double.parseDouble(text("scale"));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "--scale takes a number, not '" + text("scale") + "'", e);
        }
        return (int) Math.max(1, Math.round(number * scale));
    }

    private String usage() {
        return "usage: run SCENARIO "
                + values.keySet().stream()
                        .map(k -> "[--" + k + " V]")
                        .collect(Collectors.joining(" "))
                + "\nscenarios: "
                + scenarios;
    }
}
