package io.godwit.clients;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Serves {@code src/test/browser/page.html} with MQTT.js, and opens it in Chromium. Of the keys
 * that no authority of Chromium's has signed it trusts the one that the test names.
 */
final class WebPage implements AutoCloseable {
    private static final Path MQTT_JS =
            ScriptExchange.beside("node/node_modules/mqtt/dist/mqtt.esm.js");

    private final BlockingQueue<String> reports = new LinkedBlockingQueue<>();
    private final String browser = browser();
    private final HttpServer server;

    WebPage() throws IOException {
        Tool.require(MQTT_JS, ScriptExchange.HOW_TO_GET);
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        serve("/page.html", "text/html", ScriptExchange.beside("browser/page.html"));
        serve("/exchange.mjs", "text/javascript", ScriptExchange.beside("browser/exchange.mjs"));
        serve("/mqtt.mjs", "text/javascript", MQTT_JS);
        server.createContext(
                "/report",
                http -> {
                    byte[] line = http.getRequestBody().readAllBytes();
                    reports.add(new String(line, StandardCharsets.UTF_8));
                    answer(http, new byte[0]);
                });
        server.start();
    }

    /** Returns the program; without it the test is not run, or fails in CI. */
    static String browser() {
        return Tool.require(
                "chromium-headless-shell",
                "apt-get install --no-install-recommends chromium-headless-shell");
    }

    private void serve(String path, String type, Path file) throws IOException {
        byte[] content = Files.readAllBytes(file);
        server.createContext(
                path,
                http -> {
                    http.getResponseHeaders().set("Content-Type", type);
                    answer(http, content);
                });
    }

    private static void answer(HttpExchange http, byte[] body) throws IOException {
        try (http) {
            http.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
            http.getResponseBody().write(body);
        }
    }

    /** Returns the origin of the page when it is opened under a name of this machine. */
    String origin(String host) {
        return "http://" + host + ":" + server.getAddress().getPort();
    }

    /**
     * Opens the page in a browser that starts with nothing, and waits until it is through.
     *
     * @param trusted a key that the browser takes for right in a certificate; null for none
     * @param refused whether the page tries only that it can't connect
     * @return what the page has reported
     */
    List<String> open(
            Path profile, @Nullable KeyPair trusted, String host, String broker, boolean refused) {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                browser,
                                "--no-sandbox", // root has no other choice
                                "--disable-gpu",
                                "--enable-logging=stderr",
                                "--remote-debugging-port=0", // else it ends when the page is loaded
                                "--user-data-dir=" + profile));
        if (trusted != null) {
            command.add("--ignore-certificate-errors-spki-list=" + digest(trusted));
        }
        command.add(
                origin(host)
                        + "/page.html?broker="
                        + URLEncoder.encode(broker, StandardCharsets.UTF_8)
                        + (refused ? "&refused" : ""));
        reports.clear();
        try (ProgramRun run = ProgramRun.start(command)) {
            List<String> lines = new ArrayList<>();
            while (true) {
                String line = next(Duration.ofSeconds(60));
                if (line == null) {
                    throw new AssertionError("reported only " + lines + ". " + run);
                }
                if (line.equals("END")) {
                    return lines;
                }
                lines.add(line);
            }
        }
    }

    private @Nullable String next(Duration limit) {
        try {
            return reports.poll(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String digest(KeyPair keys) {
        try {
            byte[] info = keys.getPublic().getEncoded();
            return Base64.getEncoder()
                    .encodeToString(MessageDigest.getInstance("SHA-256").digest(info));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every JDK has it
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
