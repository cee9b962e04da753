package io.godwit.durability;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** What the admin port shows. */
record Admin(int port) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** {@code GET /clients/{id}}; fails when there is no such session. */
    JsonNode client(String id) {
        try {
            return JSON.readTree(get("/clients/" + id));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@code GET /health/ready}; fails unless it answers with 200. */
    JsonNode ready() {
        try {
            return JSON.readTree(get("/health/ready"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Sum over all tags.
     *
     * @param name as Prometheus has it, without {@code godwit_}
     */
    double metric(String name) {
        return get("/metrics")
                .lines()
                .filter(line -> line.matches("godwit_" + name + "[ {].*"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    private String get(String path) {
        try (InputStream in = URI.create("http://127.0.0.1:" + port + path).toURL().openStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
