package io.godwit.extensions.http;

import io.godwit.extension.ConfigurationException;
import io.godwit.extension.Setting;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Holds the settings of the extension. */
public record HttpSettings(
        @Setting(
                        description =
                                "URLs that are asked, http: or https:; they take turns, and one that"
                                        + " does not answer is left out.",
                        min = 1,
                        max = 16)
                List<URI> urls,
        @Setting(
                        description = "Headers of each request, such as Authorization.",
                        value = "{}",
                        max = 32,
                        secret = true)
                Map<String, String> headers,
        @Setting(
                        description =
                                "Time limit of a request. With its retries and the wait for a"
                                        + " connection it is to be below extensions.http.call-time.",
                        value = "2s",
                        min = 100,
                        max = 60_000)
                Duration timeOut,
        @Setting(
                        description =
                                "How often a request that has failed is tried again, at the next"
                                        + " URL.",
                        value = "1",
                        min = 0,
                        max = 10)
                int retries,
        @Setting(
                        description =
                                "Requests that are under way at a moment; others wait, for time-out"
                                        + " at most.",
                        value = "64",
                        min = 1,
                        max = 10_000)
                int connections,
        @Setting(
                        description =
                                "A PEM file with the authorities that sign the servers'"
                                        + " certificates; without it those that Java trusts.",
                        value = Setting.NONE)
                @Nullable Path ca,
        @Setting(
                        description =
                                "A PEM file with the certificate that is shown to the servers, and"
                                        + " those that lead to its authority.",
                        value = Setting.NONE)
                @Nullable Path certificate,
        @Setting(
                        description = "A PEM file with its private key (PKCS#8, not encrypted).",
                        value = Setting.NONE)
                @Nullable Path key,
        @Setting(
                        description = "Whether each PUBLISH and each will is asked about.",
                        value = "false")
                boolean publish,
        @Setting(
                        description = "Whether each filter of a SUBSCRIBE is asked about.",
                        value = "false")
                boolean subscribe,
        @Setting(
                        description =
                                "Answers that are remembered, each as long as its Cache-Control"
                                        + " says. 0: none.",
                        value = "10000",
                        min = 0,
                        max = 1_000_000)
                int cache) {
    public HttpSettings {
        urls = List.copyOf(urls);
        headers = Map.copyOf(headers);
    }

    /**
     * Checks what types and ranges do not say.
     *
     * @throws ConfigurationException names each mistake
     */
    void check() throws ConfigurationException {
        List<String> mistakes = new ArrayList<>();
        urls.stream().filter(each -> !isUsable(each)).forEach(each -> mistakes.add(refused(each)));
        headers.forEach((name, value) -> {
            if (!isHeader(name, value)) {
                mistakes.add(
                        "headers: " + name + ": a request can't have this header or its value");
            }
        });
        if (certificate == null != (key == null)) {
            mistakes.add("certificate and key: one needs the other");
        }
        if ((ca != null || certificate != null) && urls.stream().noneMatch(HttpSettings::isTls)) {
            mistakes.add("ca, certificate and key are for URLs with https, and there is none");
        }
        if (!mistakes.isEmpty()) {
            throw new ConfigurationException(mistakes);
        }
    }

    static boolean isTls(URI url) {
        return "https".equalsIgnoreCase(url.getScheme());
    }

    private static boolean isUsable(URI url) {
        return (isTls(url) || "http".equalsIgnoreCase(url.getScheme()))
                && url.getHost() != null
                && url.getRawUserInfo() == null
                && url.getRawFragment() == null;
    }

    /** User and password are not repeated. */
    private static String refused(URI url) {
        String shown = url.getRawUserInfo() == null ? url.toString() : "one with a user";
        return "urls = "
                + shown
                + ": allowed are http://host:port/path and https://host:port/path, without user and"
                + " fragment; a password belongs into headers";
    }

    private static boolean isHeader(String name, String value) {
        try {
            HttpRequest.newBuilder().header(name, value);
            return true;
        } catch (IllegalArgumentException e) {
            return false; // Its message has the value, which is secret.
        }
    }

    /** Keeps the headers out of the log. */
    @Override
    public String toString() {
        return "HttpSettings[urls=" + urls + "]";
    }
}
