package io.godwit.server.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.godwit.server.StartFailed;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.jspecify.annotations.Nullable;

/** Asks a running broker's admin port. */
final class AdminPage {
    private AdminPage() {}

    /**
     * @param address host:port
     * @return what it answered; null when it refused, which is printed
     * @throws StartFailed when nobody answers there
     */
    static @Nullable JsonNode get(String address, String path)
            throws StartFailed, IOException, InterruptedException {
        HttpResponse<String> answer;
        try (HttpClient http = HttpClient.newHttpClient()) {
            answer =
                    http.send(
                            HttpRequest.newBuilder(URI.create("http://" + address + path)).build(),
                            HttpResponse.BodyHandlers.ofString());
        } catch (ConnectException e) {
            throw new StartFailed("no broker answers at its admin port " + address, e);
        }
        if (answer.statusCode() != 200) {
            System.err.print(answer.body());
            return null;
        }
        return JsonMapper.builder().build().readTree(answer.body());
    }
}
