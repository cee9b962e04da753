package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.Will;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.OverloadSettings;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Thousands of sockets that go at one moment are seen to in slices. */
class ClosesAtOnceTest {
    private static final int CLIENTS = 1_000;
    private static final int TURN_MOST = 200;

    private final TestNode node =
            new TestNode(1, LimitSettings.DEFAULTS, OverloadSettings.DEFAULTS);
    private final TestClient watcher = node.subscriber(0, "watcher", 0, "will");
    private final List<TestClient> clients = new ArrayList<>();
    private final List<String> wills = new ArrayList<>();

    private void connect() {
        for (int i = 0; i < CLIENTS; i++) {
            TestClient client = node.open(0, ProtocolVersion.MQTT_5);
            byte[] payload = String.valueOf(i).getBytes(StandardCharsets.UTF_8);
            client.connect(
                    "c" + i,
                    true,
                    3600,
                    0,
                    new Will(Topic.of("will"), 0, false, payload, 0, Properties.NONE));
            clients.add(client);
            wills.add(String.valueOf(i));
        }
        node.settle();
        assertThat(online()).isEqualTo(1 + CLIENTS);
    }

    private long online() {
        return node.shards[0].load().onlineSessions();
    }

    @Test
    void no_turn_ends_more_than_some_and_all_end_in_order() {
        connect();
        clients.forEach(TestClient::cut);
        long before = online();
        assertThat(1 + CLIENTS - before).isBetween(1L, (long) TURN_MOST);
        while (node.loops[0].step()) {
            assertThat(before - online()).as("in one turn").isLessThanOrEqualTo(TURN_MOST);
            before = online();
        }
        assertThat(online()).isEqualTo(1);
        assertThat(node.shards[0].load().connections()).isEqualTo(1);
        assertThat(node.count(Metric.CONNECTIONS_CLOSED)).isEqualTo(CLIENTS);
        assertThat(watcher.payloads()).isEqualTo(wills);
    }

    @Test
    void a_client_that_is_back_before_its_turn_keeps_its_new_connection() {
        connect();
        clients.forEach(TestClient::cut);
        TestClient back = node.open(0, ProtocolVersion.MQTT_5);
        back.connect("c" + (CLIENTS - 1), false, 3600, 0);
        node.settle();
        assertThat(RestartFixture.isPresent(back)).isTrue();
        assertThat(online()).isEqualTo(2);
        assertThat(node.shards[0].load().connections()).isEqualTo(2);
        back.send(Packet.PingReq.INSTANCE);
        node.settle();
        assertThat(back.count(PacketType.PINGRESP)).isEqualTo(1);
        assertThat(back.wire.isClosed()).isFalse();
    }
}
