package io.godwit.server.extension;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5DisconnectException;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5Disconnect;
import io.godwit.server.BrokerFixture;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an extension is shown of the sessions of one broker, and does with them. */
class SessionServicesIT {
    @TempDir private static Path folder;
    private static BrokerFixture broker;
    private static ServiceProbe probe;

    @BeforeAll
    static void start() {
        ServiceProbe.extension().writeTo(folder);
        broker = BrokerFixture.start("extensions.folder=" + folder, "extensions.watch=0");
        probe = new ServiceProbe(broker.port(), "probe");
    }

    @AfterAll
    static void stop() {
        probe.close();
        broker.close();
    }

    private static Mqtt5BlockingClient client(
            String id, CompletableFuture<Mqtt5Disconnect> disconnected) {
        return MqttClient.builder()
                .useMqttVersion5()
                .identifier(id)
                .serverHost("127.0.0.1")
                .serverPort(broker.port())
                .addDisconnectedListener(context -> {
                    if (context.getCause() instanceof Mqtt5DisconnectException e) {
                        disconnected.complete(e.getMqttMessage());
                    }
                })
                .buildBlocking();
    }

    private static Mqtt5BlockingClient connect(String id, long expirySeconds) {
        return connect(id, expirySeconds, new CompletableFuture<>());
    }

    private static Mqtt5BlockingClient connect(
            String id, long expirySeconds, CompletableFuture<Mqtt5Disconnect> disconnected) {
        Mqtt5BlockingClient client = client(id, disconnected);
        client.connectWith()
                .cleanStart(false)
                .sessionExpiryInterval(expirySeconds)
                .keepAlive(77)
                .willPublish()
                .topic("wills/" + id)
                .payload("gone".getBytes(UTF_8))
                .applyWillPublish()
                .send();
        return client;
    }

    @Test
    void finds_a_client_with_and_without_its_connection() {
        assertThat(probe.ask("find nobody")).isEqualTo("none");
        Mqtt5BlockingClient client = connect("found", 500);
        client.subscribeWith().topicFilter("a/#").send();
        assertThat(probe.ask("find found")).isEqualTo("test V5 500 1 at test 77 mqtt");
        client.disconnect();
        assertThat(probe.ask("find found")).isEqualTo("test V5 500 1 offline true");
        assertThat(probe.ask("end found")).isEqualTo("true");
        assertThat(probe.ask("find found")).isEqualTo("none");
        assertThat(probe.ask("end found")).isEqualTo("false");
    }

    @Test
    void counts_what_waits_for_a_client() {
        assertThat(probe.ask("queue nobody")).isEqualTo("none");
        Mqtt5BlockingClient client = connect("queued", 500);
        client.subscribeWith().topicFilter("queued/#").send();
        assertThat(probe.ask("queue queued")).isEqualTo("0 false 0 0");
        client.disconnect();
        Mqtt5BlockingClient publisher = client("queue-publisher", new CompletableFuture<>());
        publisher.connect();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 250; i++) {
            expected.add("queued/x 1 6 %03d".formatted(i));
            publisher
                    .publishWith()
                    .topic("queued/x")
                    .qos(MqttQos.AT_LEAST_ONCE)
                    .payload("%03dabc".formatted(i).getBytes(UTF_8))
                    .send();
        }
        assertThat(probe.ask("queue queued")).isEqualTo("250 true 0 0");
        assertThat(probe.ask("messages queued").split(","))
                .containsExactly(expected.toArray(String[]::new));
        assertThat(probe.ask("messages nobody")).contains("REFUSED");
    }

    @Test
    void a_broker_that_is_alone_is_the_only_member() {
        assertThat(probe.ask("members")).isEqualTo("test self here;");
    }

    @Test
    void reads_all_sessions_in_pages() {
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 250; i++) {
            String id = "many-" + i;
            expected.add(id + "@test");
            connect(id, 500).disconnect();
        }
        List<String> found =
                List.of(probe.ask("all").split(",")).stream()
                        .filter(each -> each.startsWith("many-"))
                        .toList();
        assertThat(found).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void disconnects_with_a_reason_and_with_or_without_the_will() throws Exception {
        try (Mqtt5BlockingClient.Mqtt5Publishes wills = wills()) {
            for (boolean publishesWill : new boolean[] {false, true}) {
                String id = "off-" + publishesWill;
                CompletableFuture<Mqtt5Disconnect> disconnected = new CompletableFuture<>();
                connect(id, 500, disconnected);
                assertThat(probe.ask("disconnect " + id + " QUOTA_EXCEEDED " + publishesWill))
                        .isEqualTo("true");
                Mqtt5Disconnect got = disconnected.get(20, TimeUnit.SECONDS);
                assertThat(got.getReasonCode().getCode()).isEqualTo(0x97);
                assertThat(got.getReasonString().map(String::valueOf))
                        .isEqualTo(Optional.of("because"));
                assertThat(probe.ask("find " + id)).contains("offline true");
                assertThat(probe.ask("disconnect " + id + " QUOTA_EXCEEDED true"))
                        .isEqualTo("false");
            }
            assertThat(wills.receive(20, TimeUnit.SECONDS).map(each -> each.getTopic().toString()))
                    .contains("wills/off-true");
            assertThat(wills.receive(200, TimeUnit.MILLISECONDS)).isEmpty();
        }
    }

    @Test
    void subscribes_for_a_client_and_shows_who_has_subscribed() throws Exception {
        Mqtt5BlockingClient publisher = client("sub-publisher", new CompletableFuture<>());
        publisher.connect();
        publisher.publishWith().topic("sub/kept").retain(true).payload(new byte[1]).send();
        connect("sub-off", 500).disconnect();
        Mqtt5BlockingClient on = connect("sub-on", 500);
        try (Mqtt5BlockingClient.Mqtt5Publishes got = on.publishes(MqttGlobalPublishFilter.ALL)) {
            assertThat(probe.ask("subscribe nobody sub/# 1")).contains("REFUSED", "nobody");
            assertThat(probe.ask("subscribe sub-on sub/#/x 1")).contains("REFUSED", "sub/#/x");
            assertThat(probe.ask("subscribe sub-on sub/# 1")).isEqualTo("[1]");
            assertThat(got.receive(20, TimeUnit.SECONDS).map(each -> each.getTopic().toString()))
                    .contains("sub/kept");
            assertThat(probe.ask("subscribe sub-off $share/g/sub/+ 2")).isEqualTo("[2]");
            assertThat(probe.ask("filters sub-off")).contains("$share/g/sub/+").contains("qos=2");
            assertThat(probe.ask("filters nobody")).isEqualTo("none");
            assertThat(probe.ask("subscribers sub/x").split(","))
                    .containsExactlyInAnyOrder("sub-on sub/# 1", "sub-off $share/g/sub/+ 2");
            publisher.publishWith().topic("sub/x").payload(new byte[2]).send();
            assertThat(got.receive(20, TimeUnit.SECONDS).map(each -> each.getTopic().toString()))
                    .contains("sub/x");
            assertThat(probe.ask("unsubscribe sub-on sub/#")).isEqualTo("[0]");
            assertThat(probe.ask("unsubscribe sub-on sub/#")).isEqualTo("[17]");
            assertThat(probe.ask("filters sub-on")).isEqualTo("[]");
        }
    }

    private static Mqtt5BlockingClient.Mqtt5Publishes wills() {
        Mqtt5BlockingClient client = client("wills", new CompletableFuture<>());
        client.connect();
        Mqtt5BlockingClient.Mqtt5Publishes wills = client.publishes(MqttGlobalPublishFilter.ALL);
        client.subscribeWith().topicFilter("wills/+").send();
        return wills;
    }

    @Test
    void a_reason_that_no_disconnect_may_have_becomes_one_that_it_may() throws Exception {
        CompletableFuture<Mqtt5Disconnect> disconnected = new CompletableFuture<>();
        connect("banned", 0, disconnected);
        assertThat(probe.ask("disconnect banned BANNED false")).isEqualTo("true");
        assertThat(disconnected.get(20, TimeUnit.SECONDS).getReasonCode().getCode())
                .isEqualTo(0x80);
        assertThat(probe.ask("find banned")).isEqualTo("none");
    }
}
