package io.godwit.benchmarks.load;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** A broker's {@code /metrics} at one moment: series by name, with their labels behind it. */
public final class Metrics {
    private final Map<String, Double> values = new HashMap<>();

    private Metrics() {}

    /**
     * @param adminPort 0 = the broker has none: no series
     */
    public static Metrics of(int adminPort) throws IOException {
        Metrics metrics = new Metrics();
        if (adminPort == 0) return metrics;
        metrics.parse(AdminPort.get(adminPort, "/metrics"));
        return metrics;
    }

    static Metrics parsed(String page) {
        Metrics metrics = new Metrics();
        metrics.parse(page);
        return metrics;
    }

    /** Adds up the series of several brokers. */
    public static Metrics sum(Iterable<Integer> adminPorts) throws IOException {
        Metrics sum = new Metrics();
        for (int port : adminPorts) {
            of(port).values.forEach((name, value) -> sum.values.merge(name, value, Double::sum));
        }
        return sum;
    }

    /**
     * Returns the value of a series: not a number when there is none.
     *
     * @param name such as {@code up} or {@code up{node="1"}}
     */
    public double get(String name) {
        return values.getOrDefault(name, Double.NaN);
    }

    private void parse(String page) {
        for (String line : page.lines().toList()) {
            int end = line.indexOf(' ', Math.max(0, line.indexOf('}')));
            if (line.startsWith("#") || end < 0) continue;
            values.put(line.substring(0, end), Double.parseDouble(line.substring(end + 1)));
        }
    }
}
