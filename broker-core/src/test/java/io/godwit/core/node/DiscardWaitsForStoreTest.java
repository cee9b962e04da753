package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.QueuePolicy;
import io.godwit.core.settings.QueueSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is given up for something else is answered when that is kept. */
class DiscardWaitsForStoreTest {
    private final HeldStore held = new HeldStore();

    private TestNode full(QueuePolicy policy) {
        TestNode small =
                new TestNode(
                        2,
                        MqttSettings.DEFAULTS,
                        LimitSettings.DEFAULTS,
                        new QueueSettings(2, 1 << 20, policy, 1_000, 1 << 20, 4),
                        OverloadSettings.DEFAULTS,
                        held);
        TestClient subscriber = small.client(1, "s", 3600, 0);
        subscriber.subscribe(1, 1, "a");
        small.settle();
        subscriber.cut();
        small.settle();
        return small;
    }

    private TestClient publisher(TestNode small, String clientId, int count) {
        TestClient client = small.client(0, clientId);
        for (int id = 1; id <= count; id++) {
            client.publish("a", 1, id, clientId + id);
        }
        small.settle();
        return client;
    }

    @ParameterizedTest
    @EnumSource(names = {"DISCARD_NEWEST", "REJECT"})
    void of_the_newest_waits_for_what_has_filled_the_queue(QueuePolicy policy) {
        TestNode small = full(policy);
        held.hold();
        TestClient first = publisher(small, "p", 2);
        TestClient refused = publisher(small, "q", 1);
        assertThat(refused.acks(PacketType.PUBACK)).isEmpty();
        held.release();
        small.settle();
        assertThat(first.acks(PacketType.PUBACK)).containsExactly(1, 2);
        assertThat(refused.acks(PacketType.PUBACK)).containsExactly(1);
    }

    @Test
    void of_the_newest_is_not_acknowledged_when_that_has_failed() {
        TestNode small = full(QueuePolicy.DISCARD_NEWEST);
        held.hold();
        publisher(small, "p", 2);
        TestClient refused = publisher(small, "q", 1);
        held.fail();
        small.settle();
        assertThat(refused.acks(PacketType.PUBACK)).isEmpty();
        assertThat(refused.wire.isClosed()).isTrue();
    }

    @Test
    void of_the_newest_by_a_queue_that_is_kept_waits_for_nothing() {
        TestNode small = full(QueuePolicy.DISCARD_NEWEST);
        publisher(small, "p", 2);
        held.hold();
        assertThat(publisher(small, "q", 1).acks(PacketType.PUBACK)).containsExactly(1);
    }

    @Test
    void of_the_oldest_waits_for_what_has_taken_its_place() {
        TestNode small = full(QueuePolicy.DISCARD_OLDEST);
        held.hold();
        TestClient oldest = publisher(small, "p", 1);
        publisher(small, "q", 2);
        assertThat(oldest.acks(PacketType.PUBACK)).isEmpty();
        held.release();
        small.settle();
        assertThat(oldest.acks(PacketType.PUBACK)).containsExactly(1);
    }

    @Test
    void by_the_end_of_the_session_waits_for_that() {
        TestNode small = full(QueuePolicy.DISCARD_NEWEST);
        held.hold();
        TestClient publisher = publisher(small, "p", 1);
        TestClient clean = small.open(1, ProtocolVersion.MQTT_5);
        clean.connect("s", true, 0, 0);
        small.settle();
        assertThat(publisher.acks(PacketType.PUBACK)).isEmpty();
        held.release();
        small.settle();
        assertThat(publisher.acks(PacketType.PUBACK)).containsExactly(1);
    }
}
