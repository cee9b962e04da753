package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.OverloadSettings;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a client sends costs nobody else, though the heap has no room for it. */
class NoMemoryForPacketTest {
    private static final String LONG = "x".repeat(1_000);

    private final TestNode node =
            new TestNode(1, LimitSettings.DEFAULTS, OverloadSettings.DEFAULTS);
    private final TestClient client = node.client(0, "c");
    private final TestClient subscriber = node.subscriber(0, "s", 1, "t");

    /** Bytes that nobody has the memory to copy. */
    private static ByteBuf uncopied(ByteBuf bytes) {
        byte[] array = new byte[bytes.readableBytes()];
        bytes.readBytes(array);
        return new UnpooledHeapByteBuf(UnpooledByteBufAllocator.DEFAULT, array, array.length) {
            @Override
            public ByteBuf getBytes(int index, byte[] to, int toIndex, int length) {
                if (length >= LONG.length() / 2) {
                    throw new OutOfMemoryError("planted by the test");
                }
                return super.getBytes(index, to, toIndex, length);
            }

            @Override
            public boolean hasArray() {
                return false; // or it is copied past getBytes
            }
        };
    }

    private static Packet.Publish publish(int qos, int packetId) {
        return new Packet.Publish(
                Topic.of("t"),
                qos,
                false,
                false,
                packetId,
                Properties.NONE,
                LONG.getBytes(StandardCharsets.UTF_8));
    }

    private void assertClosed(TestClient closed) {
        assertThat(closed.packets().getLast())
                .isInstanceOfSatisfying(
                        Packet.Disconnect.class,
                        end -> assertThat(end.reason()).isEqualTo(ReasonCode.QUOTA_EXCEEDED));
        assertThat(closed.isClosed()).isTrue();
        assertThat(node.count(Metric.CLOSED_MEMORY)).isEqualTo(1);
        assertThat(node.count(Metric.PROTOCOL_VIOLATIONS)).isZero();
        assertOthersGoOn();
    }

    private void assertOthersGoOn() {
        TestClient other = node.client(0, "other");
        other.publish("t", 1, 1, "on");
        node.settle();
        assertThat(subscriber.payloads()).containsExactly("on");
        assertThat(other.acks(PacketType.PUBACK)).containsExactly(1);
    }

    @Test
    void a_payload_that_cannot_be_copied_costs_its_connection() {
        client.bytes(uncopied(client.encode(publish(0, 0))));
        node.settle();
        assertClosed(client);
    }

    @Test
    void a_qos_2_message_that_was_not_taken_in_is_taken_in_when_it_comes_again() {
        TestClient lasting = node.client(0, "d", 3600, 0);
        lasting.bytes(uncopied(lasting.encode(publish(2, 7))));
        node.settle();
        assertThat(lasting.isClosed()).isTrue();
        lasting.cut();

        TestClient back = node.open(0, ProtocolVersion.MQTT_5);
        back.connect("d", false, 3600, 0);
        back.send(publish(2, 7));
        node.settle();
        assertThat(subscriber.payloads()).containsExactly(LONG);
        assertThat(back.acks(PacketType.PUBREC)).containsExactly(7);
    }

    @Test
    void a_filter_that_cannot_be_copied_costs_its_connection() {
        TestClient other = node.client(0, "f");
        ByteBuf subscribe =
                other.encode(
                        new Packet.Subscribe(
                                1,
                                List.of(
                                        new Packet.Subscription(
                                                TopicFilter.of(LONG), 0, false, false, 0)),
                                Properties.NONE));
        other.bytes(uncopied(subscribe));
        node.settle();
        assertClosed(other);
    }

    @Test
    void a_connect_that_cannot_be_decoded_is_refused() {
        TestClient stranger = node.open(0, ProtocolVersion.MQTT_5);
        stranger.bytes(
                uncopied(
                        stranger.encode(
                                new Packet.Connect(
                                        ProtocolVersion.MQTT_5,
                                        ClientId.of(LONG),
                                        true,
                                        60,
                                        null,
                                        null,
                                        null,
                                        false,
                                        Properties.NONE))));
        node.settle();
        assertThat(stranger.packets().getLast())
                .isInstanceOfSatisfying(
                        Packet.ConnAck.class,
                        answer ->
                                assertThat(answer.code())
                                        .isEqualTo(ReasonCode.QUOTA_EXCEEDED.code()));
        assertThat(stranger.isClosed()).isTrue();
        assertThat(node.count(Metric.CLOSED_MEMORY)).isEqualTo(1);
        assertOthersGoOn();
    }

    @Test
    void the_beginning_of_a_packet_that_cannot_be_held_costs_its_connection() {
        ByteBuf whole = client.encode(publish(0, 0));
        client.bytes(uncopied(whole.readSlice(whole.readableBytes() - 1)));
        node.settle();
        assertClosed(client);
    }

    @Test
    void the_rest_of_a_packet_that_cannot_be_held_costs_its_connection_and_leaves_no_account() {
        ByteBuf whole = client.encode(publish(0, 0));
        client.bytes(whole.readSlice(10));
        client.bytes(uncopied(whole));
        node.settle();
        assertClosed(client);
        assertThat(node.shards[0].load().heldBytes()).isZero();
    }

    @Test
    void an_error_in_the_midst_of_shared_state_is_told_to_whoever_ends_the_process() {
        node.shards[0].execute(() -> {
            throw new OutOfMemoryError("planted by the test");
        });
        assertThatThrownBy(node::settle).isInstanceOf(OutOfMemoryError.class);
    }
}
