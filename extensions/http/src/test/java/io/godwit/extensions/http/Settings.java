package io.godwit.extensions.http;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Collects settings for a test, with a short time-out. */
final class Settings {
    private final List<URI> urls;
    private Map<String, String> headers = Map.of();
    private Duration timeOut = Duration.ofSeconds(1);
    private int retries = 1;
    private int connections = 64;
    private @Nullable Path ca;
    private @Nullable Path certificate;
    private @Nullable Path key;
    private boolean asksAll;
    private int cache = 10_000;

    private Settings(List<URI> urls) {
        this.urls = urls;
    }

    static Settings of(URI... urls) {
        return new Settings(List.of(urls));
    }

    static Settings of(TestServer server) {
        return of(server.url());
    }

    Settings header(String name, String value) {
        headers = Map.of(name, value);
        return this;
    }

    Settings timeOut(Duration value) {
        timeOut = value;
        return this;
    }

    Settings retries(int value) {
        retries = value;
        return this;
    }

    Settings connections(int value) {
        connections = value;
        return this;
    }

    Settings ca(@Nullable Path value) {
        ca = value;
        return this;
    }

    Settings identity(@Nullable Path certificateFile, @Nullable Path keyFile) {
        certificate = certificateFile;
        key = keyFile;
        return this;
    }

    /** Has each PUBLISH and each filter asked about. */
    Settings asksAll() {
        asksAll = true;
        return this;
    }

    Settings cache(int value) {
        cache = value;
        return this;
    }

    HttpSettings build() {
        return new HttpSettings(
                urls,
                headers,
                timeOut,
                retries,
                connections,
                ca,
                certificate,
                key,
                asksAll,
                asksAll,
                cache);
    }
}
