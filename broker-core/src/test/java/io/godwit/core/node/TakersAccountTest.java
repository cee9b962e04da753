package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.message.IngressMemory;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.OverloadSettings;
import org.junit.jupiter.api.Test;

/** The lists of those who remember QoS 2 PUBLISHes without PUBREL are in an account. */
class TakersAccountTest {
    private static final int SUBSCRIBERS = 80;

    /** What a list of so many is accounted with. */
    private static final long LIST_BYTES = 64 + (SUBSCRIBERS - 1) * 16;

    /** A sixteenth of the memory, for each of two shards. */
    private static final long ROOM = 1 << 20;

    private final TestNode node =
            new TestNode(
                    2,
                    LimitSettings.DEFAULTS,
                    new OverloadSettings(200, 1 << 20, 1 << 18, 50_000, 32 << 20, 1 << 20, 1000));

    private void subscribers() {
        for (int i = 0; i < SUBSCRIBERS; i++) {
            TestClient each = node.client(0, "s" + i, 3600, 0);
            each.subscribe(1, 2, "t");
            node.settle();
            each.cut();
        }
        node.settle();
    }

    private TestClient publish(int shard, int count) {
        TestClient publisher = node.client(shard, "p", 3600, 0);
        for (int packetId = 1; packetId <= count; packetId++) {
            publisher.publish("t", 2, packetId, "x");
            node.settle();
        }
        return publisher;
    }

    private long bytes(int shard) {
        return node.shards[shard].load().queues().rememberedBytes();
    }

    @Test
    void until_pubrel_comes() {
        subscribers();
        TestClient publisher = publish(1, 3);
        assertThat(publisher.acks(PacketType.PUBREC)).hasSize(3);
        assertThat(bytes(0)).isEqualTo(3L * SUBSCRIBERS * IngressMemory.ENTRY_BYTES);
        assertThat(bytes(1)).isEqualTo(3 * LIST_BYTES);
        publisher.ack(PacketType.PUBREL, 2);
        node.settle();
        assertThat(bytes(1)).isEqualTo(2 * LIST_BYTES);
        assertThat(bytes(0)).isEqualTo(2L * SUBSCRIBERS * IngressMemory.ENTRY_BYTES);
    }

    @Test
    void of_the_shard_that_has_the_session_and_until_that_ends() {
        subscribers();
        publish(1, 3).cut();
        node.settle();
        TestClient again = node.client(0, "p", 3600, 0);
        assertThat(bytes(1)).isZero();
        assertThat(bytes(0))
                .isEqualTo(3 * LIST_BYTES + 3L * SUBSCRIBERS * IngressMemory.ENTRY_BYTES);
        again.ack(PacketType.PUBREL, 1);
        node.settle();
        assertThat(bytes(0))
                .isEqualTo(2 * LIST_BYTES + 2L * SUBSCRIBERS * IngressMemory.ENTRY_BYTES);
        again.cut();
        TestClient other = node.open(1, ProtocolVersion.MQTT_5);
        other.connect("p", true, 0, 0);
        node.settle();
        assertThat(bytes(0)).isZero();
        assertThat(bytes(1)).isZero();
    }

    @Test
    void and_without_room_those_who_have_the_message_forget_it_at_once() {
        subscribers();
        int fit = (int) (ROOM / LIST_BYTES) + 1;
        TestClient publisher = publish(1, fit + 100);
        assertThat(publisher.acks(PacketType.PUBREC)).hasSize(fit + 100);
        assertThat(bytes(1)).isEqualTo(fit * LIST_BYTES);
        assertThat(node.shards[1].counters().total(Metric.INGRESS_FORGOTTEN)).isEqualTo(100);

        // It is known by its packet id all the same.
        publisher.publish("t", 2, fit + 100, "x");
        node.settle();
        assertThat(publisher.acks(PacketType.PUBREC)).hasSize(fit + 101);
        assertThat(node.session("s0").queue().messages()).isEqualTo(fit + 100);
        for (int packetId = 1; packetId <= fit + 100; packetId++) {
            publisher.ack(PacketType.PUBREL, packetId);
        }
        node.settle();
        assertThat(bytes(0)).isZero();
        assertThat(bytes(1)).isZero();
    }
}
