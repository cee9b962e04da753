package io.godwit.server.command;

import io.godwit.server.StartFailed;
import io.godwit.server.config.BindAddress;
import io.godwit.server.config.Config;
import io.godwit.server.config.Secret;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.jspecify.annotations.Nullable;

/**
 * The admin port of a running broker.
 *
 * @param address host:port
 * @param token goes with each request; null = none
 */
public record AdminPort(String address, @Nullable Secret token) {
    /**
     * @param admin host:port; null = the address of the broker that this configuration starts
     */
    public static AdminPort of(Config config, @Nullable String admin) throws StartFailed {
        return new AdminPort(
                admin == null ? address(config.admin().bind()) : admin, config.admin().token());
    }

    private static String address(@Nullable BindAddress bind) throws StartFailed {
        if (bind == null || bind.port() == 0) {
            throw new StartFailed(
                    "admin.bind: the broker has no admin port that is known here; --admin names it");
        }
        String host = bind.host();
        boolean isAny = host.isEmpty() || host.equals("0.0.0.0") || host.equals("::");
        return isAny ? "127.0.0.1:" + bind.port() : bind.toString();
    }

    /**
     * @param path such as {@code /memory}
     * @throws java.net.ConnectException when nobody answers there
     */
    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return send(request(path));
    }

    /**
     * Asks for something that changes something.
     *
     * @param command its name, which shows that no web page asks
     * @throws java.net.ConnectException when nobody answers there
     */
    public HttpResponse<String> post(String path, String command)
            throws IOException, InterruptedException {
        return send(
                request(path)
                        .header("Godwit-Command", command)
                        .POST(HttpRequest.BodyPublishers.noBody()));
    }

    /**
     * Asks for something to be removed.
     *
     * @param command its name, which shows that no web page asks
     * @throws java.net.ConnectException when nobody answers there
     */
    HttpResponse<String> delete(String path, String command)
            throws IOException, InterruptedException {
        return send(request(path).header("Godwit-Command", command).DELETE());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://" + address + path));
    }

    private HttpResponse<String> send(HttpRequest.Builder request)
            throws IOException, InterruptedException {
        if (token != null) {
            request.header("Authorization", "Bearer " + token.text());
        }
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        }
    }
}
