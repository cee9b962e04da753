package io.godwit.benchmarks.load;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** Reads pages of a broker's admin port. */
public final class AdminPort {
    private static final int TIMEOUT_MS = 20_000;

    private AdminPort() {}

    /**
     * Reads one page.
     *
     * @param path such as {@code /metrics}
     */
    public static String get(int port, String path) throws IOException {
        HttpURLConnection http =
                (HttpURLConnection)
                        URI.create("http://127.0.0.1:" + port + path).toURL().openConnection();
        http.setConnectTimeout(TIMEOUT_MS);
        http.setReadTimeout(TIMEOUT_MS);
        try (InputStream in = http.getInputStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
