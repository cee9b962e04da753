package io.godwit.server.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.godwit.core.load.MemoryClass;
import io.godwit.server.BrokerFixture;
import io.godwit.server.Main;
import io.godwit.server.RawMqtt;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AdminIT {
    private final HttpClient http = HttpClient.newHttpClient();
    private final ObjectMapper json = new ObjectMapper();
    private final List<Socket> clients = new ArrayList<>();
    private BrokerFixture broker;

    @BeforeEach
    void start() {
        broker = BrokerFixture.start();
    }

    @AfterEach
    void stop() throws IOException {
        for (Socket client : clients) {
            client.close();
        }
        broker.close();
        http.close();
    }

    private Socket client(int version, String id) throws IOException {
        Socket socket = broker.connect();
        clients.add(socket);
        socket.getOutputStream().write(RawMqtt.connect(version, id));
        assertThat(RawMqtt.read(socket)[0]).isEqualTo((byte) 0x20);
        return socket;
    }

    private HttpResponse<String> send(String method, String path) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + broker.adminPort() + path);
        return http.send(
                HttpRequest.newBuilder(uri)
                        .method(method, HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> get(String path) throws Exception {
        return send("GET", path);
    }

    private JsonNode getJson(String path) throws Exception {
        HttpResponse<String> response = get(path);
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type")).contains("application/json");
        return json.readTree(response.body());
    }

    @Test
    void metrics_count_by_protocol_and_gauge_by_shard() throws Exception {
        Socket five = client(RawMqtt.V5, "five");
        client(RawMqtt.V311, "four");
        five.getOutputStream().write(RawMqtt.subscribe(RawMqtt.V5, "a/b"));
        RawMqtt.read(five);
        for (int i = 0; i < 3; i++) {
            five.getOutputStream().write(RawMqtt.publish(RawMqtt.V5, "a/b", new byte[10]));
            RawMqtt.read(five);
        }

        HttpResponse<String> response = get("/metrics");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("text/plain"));
        List<String> lines = response.body().lines().toList();
        assertThat(lines)
                .contains(
                        "godwit_publish_received_total{protocol=\"mqtt5\"} 3.0",
                        "godwit_publish_sent_total{protocol=\"mqtt5\"} 3.0",
                        "godwit_publish_received_total{protocol=\"mqtt311\"} 0.0",
                        "godwit_connects_total{protocol=\"mqtt5\"} 1.0",
                        "godwit_connects_total{protocol=\"mqtt311\"} 1.0",
                        "godwit_connects_total{protocol=\"mqtt31\"} 0.0",
                        "godwit_clients_connected{protocol=\"mqtt5\"} 1.0",
                        "godwit_connections 2.0",
                        "godwit_memory_alarm 0.0",
                        "godwit_dropped_total{cause=\"qos0-slow\",protocol=\"mqtt5\"} 0.0");
        assertThat(sum(lines, "godwit_subscriptions{")).isEqualTo(1);
        assertThat(sum(lines, "godwit_sessions{")).isEqualTo(2);
        assertThat(sum(lines, "godwit_loop_turn_longest_seconds{")).isPositive();
        assertThat(lines)
                .anyMatch(line -> line.startsWith("jvm_memory_used_bytes{"))
                .anyMatch(line -> line.startsWith("jvm_gc_"))
                .anyMatch(line -> line.startsWith("process_files_open_files"));
        assertThat(response.body()).doesNotContain("five").doesNotContain("a/b");
    }

    private static double sum(List<String> lines, String prefix) {
        return lines.stream()
                .filter(line -> line.startsWith(prefix))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf("} ") + 2)))
                .sum();
    }

    @Test
    void health_says_live_and_ready() throws Exception {
        assertThat(get("/health/live").statusCode()).isEqualTo(200);
        assertThat(getJson("/health/ready").get("status").asText()).isEqualTo("ready");
    }

    @Test
    void memory_is_shown_by_class_and_on_the_command_line_too() throws Exception {
        Socket socket = client(RawMqtt.V5, "hoarder");
        socket.getOutputStream().write(RawMqtt.subscribe(RawMqtt.V5, "x/+/y"));
        RawMqtt.read(socket);
        await().untilAsserted(() -> {
            JsonNode page = getJson("/memory");
            assertThat(page.get("alarm").asBoolean()).isFalse();
            Map<String, JsonNode> classes = new HashMap<>();
            page.get("classes").forEach(each -> classes.put(each.get("class").asText(), each));
            assertThat(classes).hasSize(MemoryClass.values().length);
            assertThat(Objects.requireNonNull(classes.get("sessions")).get("bytes").asLong())
                    .isGreaterThan(500);
            assertThat(Objects.requireNonNull(classes.get("outbound")).get("memory").asText())
                    .isEqualTo("direct");
        });
        assertThat(get("/metrics").body())
                .contains("godwit_memory_account_bytes{class=\"sessions\",memory=\"heap\"}");

        PrintStream before = System.out;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
        try {
            assertThat(Main.execute("memory", "--admin", "127.0.0.1:" + broker.adminPort()))
                    .isZero();
        } finally {
            System.setOut(before);
        }
        assertThat(said.toString(StandardCharsets.UTF_8))
                .containsPattern("sessions +heap +[1-9]")
                .contains("the memory alarm is off");
    }

    @Test
    void clients_come_in_pages_ordered_by_id() throws Exception {
        for (String id : List.of("delta", "alpha", "echo", "bravo", "charlie")) {
            client(RawMqtt.V311, id);
        }

        JsonNode first = getJson("/clients?page=0&size=2");
        JsonNode second = getJson("/clients?page=1&size=2");
        JsonNode third = getJson("/clients?page=2&size=2");

        assertThat(ids(first)).containsExactly("alpha", "bravo");
        assertThat(ids(second)).containsExactly("charlie", "delta");
        assertThat(ids(third)).containsExactly("echo");
        assertThat(first.get("total").asInt()).isEqualTo(5);
        assertThat(ids(getJson("/clients?page=7"))).isEmpty();
        assertThat(ids(getJson("/clients"))).hasSize(5);
    }

    private static List<String> ids(JsonNode page) {
        return Stream.iterate(0, i -> i + 1)
                .limit(page.get("clients").size())
                .map(i -> page.get("clients").get(i).get("clientId").asText())
                .toList();
    }

    @ParameterizedTest
    @CsvSource({"plain", "with space", "a/b+c", "grüße", "'%41'", "'\"quoted\\'"})
    void one_client_is_found_by_its_id(String id) throws Exception {
        Socket socket = client(RawMqtt.V5, id);
        socket.getOutputStream().write(RawMqtt.subscribe(RawMqtt.V5, "x/+/y"));
        RawMqtt.read(socket);
        String encoded = URLEncoder.encode(id, StandardCharsets.UTF_8).replace("+", "%20");

        JsonNode client = getJson("/clients/" + encoded);

        assertThat(client.get("clientId").asText()).isEqualTo(id);
        assertThat(client.get("connected").asBoolean()).isTrue();
        assertThat(client.get("protocol").asText()).isEqualTo("mqtt5");
        assertThat(client.get("listener").asText()).isEqualTo("mqtt");
        assertThat(client.get("address").asText()).isEqualTo("127.0.0.1:" + socket.getLocalPort());
        assertThat(Instant.parse(client.get("since").asText()))
                .isBetween(Instant.now().minusSeconds(60), Instant.now().plusSeconds(5));
        assertThat(client.get("subscriptions").asInt()).isEqualTo(1);
        assertThat(client.get("filters").get(0).get("filter").asText()).isEqualTo("x/+/y");
        assertThat(client.get("filters").get(0).get("qos").asInt()).isEqualTo(1);
        assertThat(client.get("queued").asInt()).isZero();
        assertThat(client.get("inFlight").asInt()).isZero();
    }

    @Test
    void a_client_that_is_away_shows_what_waits_and_what_was_discarded() throws Exception {
        broker.close();
        broker = BrokerFixture.start("queues.messages=3");
        Socket away = broker.connect();
        clients.add(away);
        away.getOutputStream().write(RawMqtt.connectDurable("away"));
        RawMqtt.read(away);
        away.getOutputStream().write(RawMqtt.subscribe(RawMqtt.V311, "a/b"));
        RawMqtt.read(away);
        away.getOutputStream().write(new byte[] {(byte) 0xE0, 0});
        assertThat(away.getInputStream().read()).isEqualTo(-1);
        Socket publisher = client(RawMqtt.V311, "publisher");
        for (int i = 1; i <= 5; i++) {
            publisher.getOutputStream().write(RawMqtt.publishQos1("a/b", i, new byte[100]));
            assertThat(RawMqtt.read(publisher)).containsExactly(0x40, 2, 0, i);
        }

        JsonNode client = getJson("/clients/away");

        assertThat(client.get("connected").asBoolean()).isFalse();
        assertThat(client.get("expirySeconds").asLong()).isPositive();
        assertThat(client.get("queued").asInt()).isEqualTo(3);
        assertThat(client.get("queuedBytes").asLong()).isGreaterThan(300);
        assertThat(client.get("queuedOnDisk").asInt()).isZero(); // this store keeps nothing
        assertThat(client.get("oldestAgeSeconds").asDouble()).isBetween(0.0, 60.0);
        assertThat(client.get("discards").get("queueFull").asInt()).isEqualTo(2);
        assertThat(client.get("discards").get("expired").asInt()).isZero();
        assertThat(client.get("discards").get("tooLarge").asInt()).isZero();
        List<String> lines = get("/metrics").body().lines().toList();
        assertThat(sum(lines, "godwit_durable_queued_messages{")).isEqualTo(3);
        assertThat(lines).contains("godwit_queues_alarm 0.0");
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /, 404",
        "GET, /client, 404",
        "GET, /metrics/x, 404",
        "GET, /clients/nobody, 404",
        "GET, /clients/, 404",
        "GET, /clients?size=0, 400",
        "GET, /clients?size=1001, 400",
        "GET, /clients?page=-1, 400",
        "GET, /clients?page=x, 400",
        "GET, /clients?page=1&page=2, 400",
        "GET, /clients/%FF, 400",
        "GET, /clients?sort=payload, 400",
        "GET, /clients?sort=queued&sort=queued, 400",
        "GET, /clients?sort=queued&order=up, 400",
        "GET, /clients?sort=queued&limit=1001, 400",
        "GET, /clients?sort=queued&page=1, 400",
        "GET, /clients?limit=5, 400",
        "POST, /clients, 405",
        "OPTIONS, /metrics, 405",
        "DELETE, /clients, 405",
        "POST, /nothing, 404",
        "HEAD, /health/ready, 200",
    })
    void everything_else_gets_the_right_status(String method, String path, int status)
            throws Exception {
        HttpResponse<String> response = send(method, path);

        assertThat(response.statusCode()).isEqualTo(status);
        if (status == 405) {
            assertThat(response.headers().allValues("Allow")).containsExactly("GET, HEAD");
        }
        if (status >= 400) {
            assertThat(json.readTree(response.body()).get("error").asText()).isNotEmpty();
        }
        if (method.equals("HEAD")) {
            assertThat(response.body()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "HEAD", "PUT", "DELETE"})
    void what_changes_something_allows_post_only(String method) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + broker.adminPort() + "/store/backup?to=x");
        HttpResponse<String> response =
                http.send(
                        HttpRequest.newBuilder(uri)
                                .header("Godwit-Command", "backup")
                                .method(method, HttpRequest.BodyPublishers.noBody())
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(405);
        assertThat(response.headers().allValues("Allow")).containsExactly("POST");
    }

    @Test
    void metrics_name_the_node_and_its_version() throws Exception {
        assertThat(get("/metrics").body().lines())
                .anyMatch(line ->
                        line.startsWith("godwit_build_info{java=\"")
                                && line.contains(",node=\"test\",version=\"")
                                && line.matches(".*\"} 1(\\.0)?"));
    }

    @Test
    void a_damaged_escape_and_no_http_at_all_get_400() throws Exception {
        assertThat(raw("GET /clients/%4 HTTP/1.1\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 400 ");
        assertThat(raw("GET /clients/%zz HTTP/1.1\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 400 ");
        assertThat(raw("nonsense\r\n\r\n")).startsWith("HTTP/1.1 400 ");
    }

    private String raw(String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), broker.adminPort())) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    @Test
    void the_pages_together_hold_everybody_once() throws Exception {
        for (int i = 0; i < 500; i++) {
            client(RawMqtt.V5, String.format("c%04d", i));
        }

        List<String> all = new ArrayList<>();
        for (int page = 0; page < 5; page++) {
            all.addAll(ids(getJson("/clients?page=" + page + "&size=100")));
        }

        assertThat(all).hasSize(500).isSorted().doesNotHaveDuplicates();
    }
}
