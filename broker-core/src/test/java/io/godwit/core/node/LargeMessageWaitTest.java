package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.PacketType;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.QueueSettings;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Messages of which two raise the memory alarm wait for each other, and nobody else for them. */
class LargeMessageWaitTest {
    private static final int MESSAGE = 300 << 10;

    /** Room for one that many hold, and not for two. */
    private static final long MEMORY = 11L * MESSAGE / 2;

    private final RowStore store = new RowStore();
    private final TestNode node =
            new TestNode(
                    2,
                    MqttSettings.DEFAULTS,
                    LimitSettings.DEFAULTS,
                    QueueSettings.DEFAULTS,
                    new OverloadSettings(200, 1 << 20, 1 << 18, 50_000, MEMORY, 1 << 20, 1000),
                    store);
    private final List<TestClient> stalled = new ArrayList<>();
    private final TestClient good = node.client(0, "good");
    private int goodId;

    private TestClient stall(int count, long expirySeconds) {
        for (int i = 0; i < count; i++) {
            TestClient client = node.client(i % 2, "stalled" + i, expirySeconds, 0);
            client.subscribe(1, 1, "large");
            stalled.add(client);
        }
        node.settle();
        return node.client(1, "attacker");
    }

    private void tick() {
        store.rows();
        good.publish("good", 1, ++goodId, "x");
        node.settle();
        assertThat(node.context.load().memory().isAlarm()).isFalse();
        assertThat(good.wire.isRead()).isTrue();
        assertThat(good.acks(PacketType.PUBACK)).last().isEqualTo(goodId);
        node.tick(100);
    }

    @Test
    void nobody_else_waits_and_they_go_on_when_the_stalled_were_disconnected() {
        TestClient attacker = stall(20, 3_600);
        int sent = 0;
        for (int i = 0; i < 1_000 && sent < 8; i++) {
            if (attacker.acks(PacketType.PUBACK).size() == sent && attacker.wire.isRead()) {
                attacker.publish("large", 1, ++sent, false, new byte[MESSAGE]);
                node.settle();
            }
            tick();
        }
        assertThat(stalled).allMatch(TestClient::isClosed);
        assertThat(sent).as("messages").isEqualTo(8);
    }

    @Test
    void a_second_publisher_waits_as_well_and_is_acknowledged_in_the_end() {
        TestClient attacker = stall(20, 3_600);
        TestClient other = node.client(0, "other");
        attacker.publish("large", 1, 1, false, new byte[MESSAGE]);
        other.publish("large", 1, 1, false, new byte[MESSAGE]);
        node.settle();
        tick();
        assertThat(attacker.acks(PacketType.PUBACK)).containsExactly(1);
        assertThat(other.acks(PacketType.PUBACK)).isEmpty();
        assertThat(other.wire.isRead()).isFalse();
        assertThat(node.context.load().memory().isShort()).isTrue();
        for (int i = 0; i < 300; i++) {
            tick();
        }
        assertThat(other.acks(PacketType.PUBACK)).containsExactly(1);
        assertThat(node.context.load().memory().isShort()).isFalse();
    }

    @Test
    void whoever_has_something_in_flight_stays_read_while_its_message_waits() {
        TestClient attacker = stall(20, 3_600);
        attacker.publish("large", 1, 1, false, new byte[MESSAGE]);
        TestClient both = node.subscriber(0, "both", 1, "both");
        good.publish("both", 1, ++goodId, "x");
        node.settle();
        both.publish("large", 1, 1, false, new byte[MESSAGE]);
        node.settle();
        assertThat(both.acks(PacketType.PUBACK)).isEmpty();
        assertThat(both.wire.isRead()).isTrue();
        both.ack(PacketType.PUBACK, 1);
        node.settle();
        assertThat(both.wire.isRead()).isFalse();
    }

    @Test
    void what_waits_is_routed_when_its_client_leaves_and_memory_is_not_short_for_it_any_more() {
        TestClient attacker = stall(20, 3_600);
        TestClient other = node.client(0, "other");
        attacker.publish("large", 1, 1, false, new byte[MESSAGE]);
        other.publish("large", 1, 1, false, new byte[MESSAGE]);
        node.settle();
        other.cut();
        node.settle();
        stalled.forEach(TestClient::cut);
        node.settle();
        store.rows();
        for (int i = 0; i < 100; i++) {
            node.tick(100);
            store.rows();
        }
        assertThat(node.context.load().memory().isShort()).isFalse();
        for (int i = 0; i < 20; i++) {
            assertThat(node.session("stalled" + i).queue().inFlightWithRows()).isEqualTo(2);
        }
    }

    @Test
    void outgoing_buffers_keep_none_waiting() {
        TestClient publisher = node.client(1, "publisher");
        node.transportBytes = MEMORY * 6 / 10;
        node.tick(100);
        publisher.publish("nobody", 1, 1, false, new byte[MESSAGE]);
        node.settle();
        assertThat(publisher.acks(PacketType.PUBACK)).containsExactly(1);
    }
}
