package io.godwit.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.godwit.conformance.wire.ConnectBytes;
import io.godwit.conformance.wire.Props;
import io.godwit.conformance.wire.PublishBytes;
import io.godwit.conformance.wire.Sendable;
import io.godwit.conformance.wire.TcpTransport;
import io.godwit.conformance.wire.WireClient;
import io.godwit.server.BrokerFixture;
import io.godwit.server.Main;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Disconnecting clients at the admin port, and finding those to disconnect. */
class KickIT {
    private static final int ADMINISTRATIVE_ACTION = 0x98;

    private final HttpClient http = HttpClient.newHttpClient();
    private final ObjectMapper json = new ObjectMapper();
    private final List<WireClient> clients = new ArrayList<>();
    private BrokerFixture broker;

    @BeforeEach
    void start() {
        broker = BrokerFixture.start();
    }

    @AfterEach
    void stop() {
        clients.forEach(WireClient::close);
        broker.close();
        http.close();
    }

    private WireClient open(Sendable connect, boolean isV5) throws IOException {
        InetSocketAddress address =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), broker.port());
        WireClient client = new WireClient(new TcpTransport(address), isV5, Duration.ofSeconds(20));
        clients.add(client);
        return client.send(connect);
    }

    private WireClient client(ConnectBytes connect) throws IOException {
        WireClient client = open(connect, connect.isV5());
        client.accepted();
        return client;
    }

    private static ConnectBytes resuming(String id) {
        return ConnectBytes.v5(id).clean(false).properties(Props.sessionExpiry(600));
    }

    private HttpResponse<String> send(String method, String path, String... headers)
            throws Exception {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + broker.adminPort() + path))
                        .method(method, HttpRequest.BodyPublishers.noBody());
        if (headers.length > 0) {
            request.headers(headers);
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> delete(String id, String query) throws Exception {
        String encoded = URLEncoder.encode(id, StandardCharsets.UTF_8).replace("+", "%20");
        return send("DELETE", "/clients/" + encoded + query, "Godwit-Command", "kick");
    }

    private static String error(HttpResponse<String> response) throws IOException {
        return new ObjectMapper().readTree(response.body()).get("error").asText();
    }

    private String[] kick(int exitCode, String... arguments) {
        List<String> all = new ArrayList<>(List.of("kick"));
        all.addAll(List.of("--admin", "127.0.0.1:" + broker.adminPort()));
        all.addAll(List.of(arguments));
        PrintStream out = System.out;
        PrintStream err = System.err;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        ByteArrayOutputStream failed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(failed, true, StandardCharsets.UTF_8));
        try {
            assertThat(Main.execute(all.toArray(String[]::new))).isEqualTo(exitCode);
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
        return new String[] {
            printed.toString(StandardCharsets.UTF_8), failed.toString(StandardCharsets.UTF_8)
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "with space", "a/b+c?d#e", "grüße", "%41", "\"quoted\\", ".."})
    void client_of_any_name_is_told_0x98_and_its_will_is_published(String id) throws Exception {
        WireClient watching = client(ConnectBytes.v5("watching"));
        watching.subscribe("will", 1);
        WireClient kicked = client(ConnectBytes.v5(id).will("will", "gone").willQos(1));

        HttpResponse<String> response = delete(id, "");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(json.readTree(response.body()).get("clientId").asText()).isEqualTo(id);
        kicked.disconnected(ADMINISTRATIVE_ACTION);
        watching.publish("gone");
        assertThat(send("GET", "/metrics").body())
                .contains("godwit_closed_admin_total{protocol=\"mqtt5\"} 1.0");
    }

    @Test
    void client_of_3_1_1_is_closed() throws Exception {
        WireClient kicked = client(ConnectBytes.v311("old"));
        assertThat(delete("old", "").statusCode()).isEqualTo(200);
        kicked.closed();
    }

    @Test
    void session_stays_and_its_will_waits_for_its_delay_unless_the_session_is_to_end()
            throws Exception {
        WireClient watching = client(ConnectBytes.v5("watching"));
        watching.subscribe("will", 1);
        ConnectBytes delayed =
                resuming("delayed").will("will", "late").willProperties(Props.willDelay(500));
        WireClient first = client(delayed);
        first.subscribe("a/b", 1);

        HttpResponse<String> stays = delete("delayed", "");

        assertThat(json.readTree(stays.body()).get("sessionEnded").asBoolean()).isFalse();
        first.disconnected(ADMINISTRATIVE_ACTION);
        assertThat(open(delayed, true).accepted().sessionPresent()).isTrue();
        watching.quiet();

        HttpResponse<String> ends = delete("delayed", "?session=true");

        assertThat(json.readTree(ends.body()).get("sessionEnded").asBoolean()).isTrue();
        watching.publish("late");
        assertThat(send("GET", "/clients/delayed").statusCode()).isEqualTo(404);
        assertThat(open(delayed, true).accepted().sessionPresent()).isFalse();
    }

    @Test
    void session_without_its_client_ends_only_when_asked_to() throws Exception {
        WireClient away = client(resuming("away"));
        away.subscribe("a/b", 1);
        away.disconnect();

        HttpResponse<String> refused = delete("away", "?session=false");
        assertThat(refused.statusCode()).isEqualTo(409);
        assertThat(error(refused)).contains("is not connected", "--session");
        assertThat(send("GET", "/clients/away").statusCode()).isEqualTo(200);
        assertThat(delete("away", "?session=perhaps").statusCode()).isEqualTo(400);

        assertThat(delete("away", "?session=true").statusCode()).isEqualTo(200);
        assertThat(send("GET", "/clients/away").statusCode()).isEqualTo(404);
    }

    @Test
    void request_without_the_header_or_the_token_disconnects_nobody() throws Exception {
        client(ConnectBytes.v5("stays"));
        assertThat(send("DELETE", "/clients/stays").statusCode()).isEqualTo(403);
        assertThat(send("DELETE", "/clients/stays", "Godwit-Command", "backup").statusCode())
                .isEqualTo(403);
        HttpResponse<String> post = send("POST", "/clients/stays");
        assertThat(post.statusCode()).isEqualTo(405);
        assertThat(post.headers().allValues("Allow")).containsExactly("GET, HEAD, DELETE");
        assertThat(send("GET", "/clients/stays").body()).contains("\"connected\":true");

        broker.close();
        broker = BrokerFixture.start("admin.token=0123456789abcdef-token");
        client(ConnectBytes.v5("stays"));
        assertThat(delete("stays", "").statusCode()).isEqualTo(401);
        assertThat(
                        send(
                                        "DELETE",
                                        "/clients/stays",
                                        "Authorization",
                                        "Bearer 0123456789abcdef-token")
                                .statusCode())
                .isEqualTo(200);
    }

    @Test
    void command_disconnects_a_client_and_says_in_one_sentence_why_it_can_not() throws Exception {
        WireClient kicked = client(resuming("-a b"));

        assertThat(kick(0, "--", "-a b")[0]).isEqualTo("-a b is disconnected\n");
        kicked.disconnected(ADMINISTRATIVE_ACTION);
        assertThat(kick(1, "--", "-a b")[1]).contains("is not connected").hasLineCount(1);
        assertThat(kick(0, "--session", "--", "-a b")[0])
                .isEqualTo("-a b is disconnected, and its session has ended\n");
        assertThat(kick(1, "nobody")[1])
                .isEqualTo("there is no session with the client id 'nobody'\n");
        assertThat(kick(2)[1]).contains("Missing required parameter: 'ID'");
    }

    @Test
    void clients_come_by_a_column_with_the_largest_first_unless_asked_otherwise() throws Exception {
        WireClient publisher = client(ConnectBytes.v5("publisher"));
        for (int i = 1; i <= 4; i++) {
            WireClient away = client(resuming("away" + i));
            away.subscribe("to/" + i, 1);
            away.disconnect();
            for (int n = 0; n < i; n++) {
                publisher.send(PublishBytes.v5("to/" + i).qos(1, 1).payload("x"));
                publisher.pubAck(1);
            }
        }

        JsonNode longest = json.readTree(send("GET", "/clients?sort=queued&limit=2").body());
        assertThat(ids(longest)).containsExactly("away4", "away3");
        assertThat(longest.get("clients").get(0).get("queued").asInt()).isEqualTo(4);
        assertThat(ids(json.readTree(send("GET", "/clients?sort=queuedBytes").body())))
                .containsExactly("away4", "away3", "away2", "away1", "publisher");
        assertThat(ids(json.readTree(send("GET", "/clients?sort=queuedBytes&order=asc").body())))
                .containsExactly("publisher", "away1", "away2", "away3", "away4");
        for (String column :
                List.of("queuedOnDisk", "inFlight", "oldestAgeSeconds", "subscriptions", "since")) {
            JsonNode all = json.readTree(send("GET", "/clients?sort=" + column).body());
            assertThat(ids(all)).hasSize(5);
            assertThat(all.get("clients").get(0).has(column)).isTrue();
        }
    }

    private static List<String> ids(JsonNode page) {
        return page.get("clients").findValuesAsText("clientId");
    }
}
