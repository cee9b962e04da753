package io.godwit.core.node;

import static io.godwit.core.node.HeldFixture.assertClosedByFailure;
import static io.godwit.core.node.HeldFixture.only;
import static io.godwit.core.packet.PacketType.CONNACK;
import static io.godwit.core.packet.PacketType.PUBLISH;
import static io.godwit.core.packet.PacketType.SUBACK;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.TopicFilter;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * CONNACK, SUBACK and UNSUBACK wait for the store, and what a failure of the store does to each.
 */
class WaitForStoreTest {
    private static final int FAILED = ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR.code();

    private final HeldFixture f = new HeldFixture();

    @Nested
    class ConnAck {
        @ParameterizedTest
        @EnumSource
        void of_a_durable_session_waits_for_the_commit(ProtocolVersion version) {
            f.store.hold();
            TestClient client = f.durable(0, "d", version);
            assertThat(client.packets()).isEmpty();
            f.release();
            assertThat(only(client, Packet.ConnAck.class).code()).isZero();
        }

        @Test
        void of_a_transient_session_does_not_wait() {
            f.store.hold();
            TestClient client = f.node.client(0, "t");
            assertThat(only(client, Packet.ConnAck.class).code()).isZero();
        }

        @ParameterizedTest
        @EnumSource
        void says_that_the_server_is_unavailable_when_the_commit_fails(ProtocolVersion version) {
            f.store.hold();
            TestClient client = f.durable(0, "d", version);
            f.fail();
            Packet.ConnAck connAck = only(client, Packet.ConnAck.class);
            assertThat(connAck.code())
                    .isEqualTo(version.isV5() ? ReasonCode.SERVER_UNAVAILABLE.code() : 3);
            assertThat(connAck.sessionPresent()).isFalse();
            assertThat(client.wire.isClosed()).isTrue();
            client.cut();
            TestClient next = f.durable(1, "d", version);
            assertThat(only(next, Packet.ConnAck.class).code()).isZero();
            assertThat(only(next, Packet.ConnAck.class).sessionPresent()).isFalse();
        }

        @Test
        void nothing_overtakes_it_while_it_waits() {
            TestClient before = f.durable(1, "d", ProtocolVersion.MQTT_5);
            before.subscribe(1, 1, "a");
            f.node.settle();
            before.cut();
            f.store.hold();
            TestClient client = f.durable(1, "d", ProtocolVersion.MQTT_5);
            f.node.client(0, "p").publish("a", 0, 0, "x");
            f.node.settle();
            assertThat(client.packets()).isEmpty();
            f.release();
            assertThat(client.packets().get(0)).isInstanceOf(Packet.ConnAck.class);
            assertThat(client.payloads()).containsExactly("x");
        }
    }

    @Nested
    class SubAck {
        @ParameterizedTest
        @EnumSource
        void waits_for_the_commit(ProtocolVersion version) {
            TestClient client = f.durable(1, "d", version);
            f.store.hold();
            client.subscribe(1, 1, "a", "$share/g/b");
            f.node.settle();
            assertThat(client.count(PacketType.SUBACK)).isZero();
            f.release();
            assertThat(only(client, Packet.SubAck.class).codes())
                    .containsExactly((byte) 1, (byte) 1);
        }

        @ParameterizedTest
        @ValueSource(ints = {0, 1})
        void leaves_before_the_retained_replay_that_is_ready_while_it_waits(int shard) {
            f.node.client(0, "p").publish("a", 1, 1, true, "kept".getBytes(UTF_8));
            f.node.settle();
            TestClient client = f.durable(shard, "d", ProtocolVersion.MQTT_5);
            f.store.hold();
            client.subscribe(1, 1, "a");
            f.node.settle();
            assertThat(client.packets()).extracting(Packet::type).containsExactly(CONNACK);
            f.release();
            assertThat(client.packets())
                    .extracting(Packet::type)
                    .containsExactly(CONNACK, SUBACK, PUBLISH);
            assertThat(client.payloads()).containsExactly("kept");
        }

        @ParameterizedTest
        @EnumSource
        void refuses_when_the_commit_fails_and_the_subscription_is_gone(ProtocolVersion version) {
            TestClient client = f.durable(1, "d", version);
            f.store.hold();
            client.subscribe(1, 1, "a");
            f.node.settle();
            f.fail();
            assertThat(only(client, Packet.SubAck.class).codes())
                    .containsExactly((byte) (version.isV5() ? FAILED : 0x80));
            f.node.client(0, "p").publish("a", 1, 1, "x");
            f.node.settle();
            assertThat(client.payloads()).isEmpty();
        }

        @Test
        void hears_of_a_failure_that_came_before_the_index_answered() {
            TestClient client = f.durable(1, "d", ProtocolVersion.MQTT_5);
            f.store.hold();
            client.subscribe(1, 1, "a");
            f.node.loops[1].endTurn();
            f.store.fail();
            f.node.settle();
            assertThat(only(client, Packet.SubAck.class).codes()).containsExactly((byte) FAILED);
        }
    }

    @Nested
    class UnsubAck {
        private TestClient unsubscribing(ProtocolVersion version) {
            TestClient client = f.durable(1, "d", version);
            client.subscribe(1, 1, "a");
            f.node.settle();
            f.store.hold();
            client.send(new Packet.Unsubscribe(2, List.of(TopicFilter.of("a")), Properties.NONE));
            f.node.settle();
            assertThat(client.count(PacketType.UNSUBACK)).isZero();
            return client;
        }

        @ParameterizedTest
        @EnumSource
        void waits_for_the_commit(ProtocolVersion version) {
            TestClient client = unsubscribing(version);
            f.release();
            assertThat(only(client, Packet.UnsubAck.class).codes())
                    .isEqualTo(version.isV5() ? new byte[1] : new byte[0]);
        }

        @Test
        void says_so_when_the_commit_fails() {
            TestClient client = unsubscribing(ProtocolVersion.MQTT_5);
            f.fail();
            assertThat(only(client, Packet.UnsubAck.class).codes()).containsExactly((byte) FAILED);
            assertThat(client.wire.isClosed()).isFalse();
        }

        @Test
        void is_not_sent_to_an_older_client_when_the_commit_fails() {
            TestClient client = unsubscribing(ProtocolVersion.MQTT_3_1_1);
            f.fail();
            assertThat(client.count(PacketType.UNSUBACK)).isZero();
            assertClosedByFailure(client, ProtocolVersion.MQTT_3_1_1);
        }
    }
}
