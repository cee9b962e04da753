package io.godwit.benchmarks.load;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** A broker's {@code /metrics} at one moment: series without labels, by name. */
public final class Metrics {
    private static final int TIMEOUT_MS = 20_000;

    private final Map<String, Double> values = new HashMap<>();

    private Metrics() {}

    /**
     * @param adminPort 0 = the broker has none: no series
     */
    public static Metrics of(int adminPort) throws IOException {
        Metrics metrics = new Metrics();
        if (adminPort == 0) return metrics;
        HttpURLConnection http =
                (HttpURLConnection)
                        URI.create("http://127.0.0.1:" + adminPort + "/metrics")
                                .toURL()
                                .openConnection();
        http.setConnectTimeout(TIMEOUT_MS);
        http.setReadTimeout(TIMEOUT_MS);
        try (InputStream in = http.getInputStream()) {
            metrics.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
        return metrics;
    }

    static Metrics parsed(String page) {
        Metrics metrics = new Metrics();
        metrics.parse(page);
        return metrics;
    }

    /** Not a number when there is no such series. */
    public double get(String name) {
        return values.getOrDefault(name, Double.NaN);
    }

    private void parse(String page) {
        for (String line : page.lines().toList()) {
            int end = line.indexOf(' ');
            if (line.startsWith("#") || end < 0 || line.indexOf('{') >= 0) continue;
            values.put(line.substring(0, end), Double.parseDouble(line.substring(end + 1)));
        }
    }
}
