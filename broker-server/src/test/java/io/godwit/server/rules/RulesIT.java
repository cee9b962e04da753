package io.godwit.server.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.conformance.wire.Bytes;
import io.godwit.conformance.wire.ConnectBytes;
import io.godwit.conformance.wire.PublishBytes;
import io.godwit.conformance.wire.TcpTransport;
import io.godwit.conformance.wire.WireClient;
import io.godwit.server.BrokerFixture;
import io.godwit.server.StartFailed;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules of a file, over real connections. */
class RulesIT {
    private static final int NOT_AUTHORIZED = 0x87;
    private static final String RULES =
            """
            rules:
              - {allow: connect,   client: "dev-*", address: [127.0.0.0/8, "::1"]}
              - {allow: publish,   topic: "devices/%c/#", qos: [0, 1], retain: false}
              - {deny:  subscribe, topic: "secret/#"}
              - {allow: subscribe, topic: ["#", "$SYS/#"], share: none}
            """;

    private final List<WireClient> clients = new ArrayList<>();
    @TempDir private Path folder;
    private Path file;
    private BrokerFixture broker;

    @BeforeEach
    void start() throws IOException {
        file = folder.resolve("rules.yaml");
        Files.writeString(file, RULES);
        broker = BrokerFixture.start("security.rules=" + file);
    }

    @AfterEach
    void stop() {
        clients.forEach(WireClient::close);
        broker.close();
    }

    private WireClient send(ConnectBytes connect) throws IOException {
        InetSocketAddress address =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), broker.port());
        WireClient client =
                new WireClient(new TcpTransport(address), connect.isV5(), Duration.ofSeconds(20));
        clients.add(client);
        return client.send(connect);
    }

    private WireClient device(String id) throws IOException {
        WireClient client = send(ConnectBytes.v5(id));
        client.accepted();
        return client;
    }

    private static int subscribe(WireClient client, String filter) {
        client.send(
                Bytes.packet(0x82, Bytes.u16(7), Bytes.props(), Bytes.utf8(filter), Bytes.u8(1)));
        return client.next().subAck().codes().get(0);
    }

    @Test
    void client_may_do_what_rules_allow_and_nothing_else() throws IOException {
        send(ConnectBytes.v5("other")).refused(NOT_AUTHORIZED);
        WireClient device = device("dev-1");

        device.send(PublishBytes.v5("devices/dev-1/t").qos(1, 1).payload("a"));
        device.pubAck(1, 0, 0x10);
        device.send(PublishBytes.v5("devices/dev-2/t").qos(1, 2).payload("a"));
        device.pubAck(2, NOT_AUTHORIZED);
        device.send(PublishBytes.v5("devices/dev-1/t").qos(1, 3).retain().payload("a"));
        device.pubAck(3, NOT_AUTHORIZED);
        device.send(PublishBytes.v5("devices/dev-1/t").qos(2, 4).payload("a"));
        device.pubRec(4, NOT_AUTHORIZED);

        assertThat(subscribe(device, "devices/#")).isEqualTo(1);
        assertThat(subscribe(device, "#")).isEqualTo(NOT_AUTHORIZED);
        assertThat(subscribe(device, "+/plan")).isEqualTo(NOT_AUTHORIZED);
        assertThat(subscribe(device, "$share/g/devices/#")).isEqualTo(NOT_AUTHORIZED);
        assertThat(subscribe(device, "$SYS/broker/uptime")).isEqualTo(1);
    }

    @Test
    void client_with_an_id_of_wildcards_gains_nothing() throws IOException {
        Files.writeString(file, RULES.replace("\"dev-*\"", "\"*\""));
        assertThat(reload().statusCode()).isEqualTo(200);
        for (String id : List.of("#", "+", "a/b", "%c", "%u", "dev-1/#", "$SYS")) {
            WireClient client = device(id);
            client.send(PublishBytes.v5("devices/dev-1/t").qos(1, 1).payload("a"));
            client.pubAck(1, NOT_AUTHORIZED);
            client.send(PublishBytes.v5("devices/x/t").qos(1, 2).payload("a"));
            client.pubAck(2, NOT_AUTHORIZED);
        }
    }

    @Test
    void client_id_of_nearly_64_KiB_is_a_name_like_any_other() throws IOException {
        String id = "dev-" + "x".repeat(65_400);
        WireClient client = device(id);
        client.send(PublishBytes.v5("devices/dev-1/t").qos(1, 1).payload("a"));
        client.pubAck(1, NOT_AUTHORIZED);
    }

    @Test
    void client_id_with_a_control_character_gains_nothing() throws IOException {
        Files.writeString(file, RULES.replace("\"dev-*\"", "\"*\""));
        assertThat(reload().statusCode()).isEqualTo(200);
        for (char each = 1; each < 0xA0; each = each == 0x1F ? (char) 0x7F : (char) (each + 1)) {
            send(ConnectBytes.v5("dev-1" + each)).refused(0x85);
        }
    }

    @Test
    void will_that_may_not_be_published_refuses_its_client() throws IOException {
        send(ConnectBytes.v5("dev-1").will("devices/dev-2/gone", "x")).refused(NOT_AUTHORIZED);
        send(ConnectBytes.v5("dev-1").will("devices/dev-1/gone", "x")).accepted();
    }

    @Test
    void rules_that_have_changed_are_for_clients_that_are_connected_too() throws Exception {
        WireClient device = device("dev-1");
        device.send(PublishBytes.v5("devices/dev-1/t").qos(1, 1).payload("a"));
        device.pubAck(1, 0, 0x10);
        Files.writeString(file, RULES.replace("devices/%c/#", "things/%c/#"));

        HttpResponse<String> answer = reload();

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).contains("rules.yaml: 4 rules, 0 groups");
        long until = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        boolean isDenied = false;
        for (int id = 2; !isDenied && System.nanoTime() < until; id++) {
            device.send(PublishBytes.v5("devices/dev-1/t").qos(1, id).payload("a"));
            isDenied = device.pubAck(id, 0, 0x10, NOT_AUTHORIZED).reason() == NOT_AUTHORIZED;
        }
        assertThat(isDenied).isTrue();
        assertThat(reload().body()).contains("unchanged");
    }

    @Test
    void mistake_keeps_the_rules_of_before() throws Exception {
        Files.writeString(file, RULES.replace("qos: [0, 1]", "qos: [0, 4]"));

        HttpResponse<String> answer = reload();

        assertThat(answer.statusCode()).isEqualTo(409);
        assertThat(answer.body()).contains("line 3: qos = 4: 0, 1 and 2 are allowed");
        WireClient device = device("dev-1");
        device.send(PublishBytes.v5("devices/dev-1/t").qos(1, 1).payload("a"));
        device.pubAck(1, 0, 0x10);
    }

    @Test
    void broker_does_not_start_with_a_mistake() throws IOException {
        Files.writeString(file, "rules: [{allow: everything}]");

        assertThatThrownBy(() -> BrokerFixture.tryStart("security.rules=" + file))
                .isInstanceOf(StartFailed.class)
                .hasMessageContaining("security.rules: ")
                .hasMessageContaining("line 1: allow = everything: connect, publish");
    }

    private HttpResponse<String> reload() {
        HttpRequest request =
                HttpRequest.newBuilder(
                                URI.create("http://127.0.0.1:" + broker.adminPort() + "/reload"))
                        .header("Godwit-Command", "reload")
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .build();
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
