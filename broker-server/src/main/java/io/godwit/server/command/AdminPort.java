package io.godwit.server.command;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.godwit.server.StartFailed;
import io.godwit.server.config.BindAddress;
import io.godwit.server.config.Config;
import io.godwit.server.config.Secret;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The admin port of a running broker.
 *
 * @param address host:port
 * @param token goes with each request; null = none
 */
public record AdminPort(String address, @Nullable Secret token) {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    private static final int SENTENCE_MAX = 500;

    /**
     * Finds the admin port.
     *
     * @param admin port, host:port or URL; null = the address of the broker that this configuration
     *     starts
     */
    public static AdminPort of(Config config, @Nullable String admin) throws StartFailed {
        return new AdminPort(
                admin == null ? address(config.admin().bind()) : parsed(admin),
                config.admin().token());
    }

    /** Reads {@code 8081}, {@code :8081}, {@code host:8081} or {@code http://host:8081/}. */
    private static String parsed(String admin) throws StartFailed {
        String text = admin.strip();
        if (text.regionMatches(true, 0, "https://", 0, 8)) {
            throw new StartFailed("--admin: the admin port speaks http, not https: " + admin);
        }
        if (text.regionMatches(true, 0, "http://", 0, 7)) text = text.substring(7);
        while (text.endsWith("/")) text = text.substring(0, text.length() - 1);
        BindAddress address =
                BindAddress.parse(text.startsWith(":") ? text.substring(1) : text)
                        .filter(each -> each.port() > 0)
                        .filter(each -> each.host().matches("[A-Za-z0-9._-]*|[0-9A-Fa-f:.%]+"))
                        .orElseThrow(() ->
                                new StartFailed(
                                        "--admin: allowed are a port, host:port and"
                                                + " http://host:port, not '"
                                                + admin
                                                + "'"));
        return address.host().isEmpty() ? "127.0.0.1:" + address.port() : address.toString();
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
     * @throws StartFailed when nobody answers there
     */
    public HttpResponse<String> get(String path) throws StartFailed, InterruptedException {
        return send(request(path));
    }

    /**
     * Asks for something that changes something.
     *
     * @param command its name, which shows that no web page asks
     * @throws StartFailed when nobody answers there
     */
    public HttpResponse<String> post(String path, String command)
            throws StartFailed, InterruptedException {
        return send(
                request(path)
                        .header("Godwit-Command", command)
                        .POST(HttpRequest.BodyPublishers.noBody()));
    }

    /**
     * Asks for something to be removed.
     *
     * @param command its name, which shows that no web page asks
     * @throws StartFailed when nobody answers there
     */
    HttpResponse<String> delete(String path, String command)
            throws StartFailed, InterruptedException {
        return send(request(path).header("Godwit-Command", command).DELETE());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://" + address + path));
    }

    private HttpResponse<String> send(HttpRequest.Builder request)
            throws StartFailed, InterruptedException {
        if (token != null) {
            request.header("Authorization", "Bearer " + token.text());
        }
        try (HttpClient http = HttpClient.newBuilder().connectTimeout(CONNECT_TIMEOUT).build()) {
            return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (ConnectException | HttpTimeoutException e) {
            throw new StartFailed("no broker answers at its admin port " + address, e);
        } catch (IOException e) {
            throw new StartFailed(
                    "what answers at " + address + " is not the admin port of a broker", e);
        }
    }

    /**
     * Reads a page of JSON.
     *
     * @param field that the page of a broker has
     * @throws StartFailed when the answer is an error, or none of a broker
     */
    public JsonNode page(HttpResponse<String> answer, String field) throws StartFailed {
        JsonNode page = parsed(answer);
        if (answer.statusCode() != 200 || page == null || !page.has(field)) throw refusal(answer);
        return page;
    }

    /** Says in a sentence why an answer is not the one that was asked for. */
    public StartFailed refusal(HttpResponse<String> answer) {
        int status = answer.statusCode();
        JsonNode page = parsed(answer);
        String error = error(answer, page);
        if (page != null && page.path("error").isTextual() && (status == 404 || status == 409)) {
            return new StartFailed(error); // Of the broker: what was named is not there.
        }
        if (status == 401 || status == 403) {
            String advice =
                    token == null
                            ? "set admin.token here (GODWIT_ADMIN_TOKEN) as the broker has it"
                            : "admin.token here must be the one that the broker has";
            return new StartFailed(
                    "the broker at "
                            + address
                            + " refused the request"
                            + (error.isEmpty() ? "" : " (" + error + ")")
                            + ": "
                            + advice);
        }
        if (status == 200 || status == 404 || error.isEmpty()) {
            return new StartFailed(
                    "what answers at "
                            + address
                            + " is not the admin port of a broker of this version (HTTP status "
                            + status
                            + ")");
        }
        return new StartFailed(error);
    }

    private static @Nullable JsonNode parsed(HttpResponse<String> answer) {
        try {
            return JsonMapper.builder().build().readTree(answer.body());
        } catch (JsonProcessingException e) {
            return null;
        }
    }

    /** The sentence of an error: {@code {"error": ...}}, or a short line of text. */
    private static String error(HttpResponse<String> answer, @Nullable JsonNode page) {
        String body = answer.body().strip();
        if (page != null && page.path("error").isTextual()) return page.path("error").asText();
        boolean isSentence =
                page == null
                        && !body.startsWith("<")
                        && body.lines().count() == 1
                        && body.length() < SENTENCE_MAX;
        return isSentence ? body : "";
    }
}
