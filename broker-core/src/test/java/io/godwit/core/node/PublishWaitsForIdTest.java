package io.godwit.core.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Topic;
import io.godwit.core.session.Session;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.Rules;
import io.godwit.core.store.CopySets;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Where queues have copies, nothing of a QoS 2 PUBLISH of a durable session is routed before its
 * ingress id is kept by the followers of the session's copy set.
 */
class PublishWaitsForIdTest {
    private static final int PARKED = 2_000;

    private final HeldStore store = new HeldStore();
    private final Set<Integer> unconfirmed = new HashSet<>();
    private final TestNode node = node();

    @SuppressWarnings("NullAway.Init") // set by begin()
    private TestClient subscriber;

    private TestNode node() {
        store.hasCopies = true;
        FarNodes cluster = new FarNodes((method, arguments) -> null);
        cluster.confirmations = (copySet, position) -> !unconfirmed.contains(copySet);
        return TestNode.of(
                cluster,
                1,
                2,
                store,
                new SettableTime(),
                Rules.ALL,
                LimitSettings.DEFAULTS,
                new OverloadSettings(200, 1 << 20, 1 << 18, 50_000, 1 << 30, PARKED, 1000));
    }

    @BeforeEach
    void begin() {
        subscriber = durable("s");
        subscriber.subscribe(1, 2, "t");
        node.settle();
        assertThat(setOf("s")).isNotEqualTo(setOf("p"));
    }

    private TestClient durable(String clientId) {
        TestClient client = node.open(0, ProtocolVersion.MQTT_5);
        client.connect(clientId, false, 3600, 0);
        node.settle();
        return client;
    }

    private static int setOf(String clientId) {
        return CopySets.of(ClientId.of(clientId));
    }

    private void hold(String clientId) {
        unconfirmed.add(setOf(clientId));
    }

    private void confirm(String clientId) {
        unconfirmed.remove(setOf(clientId));
        for (BrokerShard shard : node.shards) {
            shard.onConfirmed();
        }
        node.settle();
    }

    /** Encodes PUBLISHes of QoS 2, with packet ids from 1 on. */
    private static ByteBuf several(TestClient of, int count, byte[] payload) {
        ByteBuf all = Unpooled.buffer();
        for (int id = 1; id <= count; id++) {
            all.writeBytes(
                    of.encode(
                            new Packet.Publish(
                                    Topic.of("t"), 2, false, false, id, Properties.NONE, payload)));
        }
        return all;
    }

    @Test
    void it_is_routed_when_the_followers_of_its_own_set_have_the_id() {
        TestClient publisher = durable("p");
        hold("p");
        publisher.publish("t", 2, 1, "m");
        node.settle();
        assertThat(subscriber.payloads()).isEmpty();
        assertThat(publisher.count(PacketType.PUBREC)).isZero();

        confirm("p");

        assertThat(subscriber.payloads()).containsExactly("m");
        assertThat(publisher.acks(PacketType.PUBREC)).containsExactly(1);
        assertThat(node.parkedBytes()).isZero();
    }

    @Test
    void it_is_not_acknowledged_before_the_followers_of_a_subscriber_have_it() {
        TestClient publisher = durable("p");
        hold("s");
        publisher.publish("t", 2, 1, "m");
        node.settle();
        assertThat(publisher.count(PacketType.PUBREC)).isZero();
        confirm("s");
        assertThat(publisher.acks(PacketType.PUBREC)).containsExactly(1);
    }

    @Test
    void what_is_published_behind_it_follows_in_order() {
        TestClient publisher = durable("p");
        TestClient second = node.subscriber(1, "live", 2, "#");
        hold("p");
        publisher.publish("t", 1, 1, "before");
        node.settle();
        publisher.publish("t", 2, 2, "1");
        publisher.publish("t", 1, 3, "2");
        publisher.publish("t", 0, 0, "3");
        publisher.publish("t", 2, 4, true, "4".getBytes(UTF_8));
        node.settle();
        publisher.publish("t", 1, 5, "5");
        publisher.publish("u", 0, 0, "6");
        node.settle();
        assertThat(second.payloads()).containsExactly("before");

        confirm("p");

        assertThat(second.payloads()).containsExactly("before", "1", "2", "3", "4", "5", "6");
        assertThat(subscriber.payloads())
                .containsExactlyInAnyOrder("before", "1", "2", "3", "4", "5")
                .containsSubsequence("before", "2", "5")
                .containsSubsequence("1", "4");
        assertThat(
                        publisher.packets().stream()
                                .filter(Packet.Ack.class::isInstance)
                                .map(each -> ((Packet.Ack) each).packetId()))
                .containsExactly(1, 2, 3, 4, 5);
    }

    @Test
    void those_of_qos_0_and_1_and_of_transient_sessions_do_not_wait() {
        TestClient publisher = durable("p");
        TestClient transientOne = node.client(0, "p2");
        TestClient live = node.subscriber(1, "live", 2, "#");
        hold("p");
        hold("p2");
        publisher.publish("t", 0, 0, "0");
        publisher.publish("t", 1, 1, "1");
        transientOne.publish("u", 2, 1, "2");
        node.settle();
        assertThat(live.payloads()).containsExactlyInAnyOrder("0", "1", "2");
        assertThat(subscriber.payloads()).containsExactly("0", "1");
        assertThat(transientOne.acks(PacketType.PUBREC)).containsExactly(1);
    }

    @Test
    void many_in_flight_share_a_commit() {
        TestClient publisher = durable("p");
        int before = store.closed;
        publisher.bytes(several(publisher, 100, "m".getBytes(UTF_8)));
        node.settle();
        assertThat(publisher.acks(PacketType.PUBREC))
                .containsExactlyElementsOf(IntStream.rangeClosed(1, 100).boxed().toList());
        assertThat(store.closed - before).isLessThan(10);
    }

    @Test
    void one_that_comes_again_while_it_waits_is_the_same() {
        TestClient publisher = durable("p");
        hold("p");
        publisher.publish("t", 2, 1, "m");
        node.settle();
        publisher.publishAgain("t", 2, 1, "m");
        node.settle();
        confirm("p");
        assertThat(subscriber.payloads()).containsExactly("m");
        assertThat(publisher.acks(PacketType.PUBREC)).containsExactly(1);
    }

    @Test
    void what_a_client_has_left_behind_is_routed_before_its_next_connection_goes_on() {
        TestClient live = node.subscriber(1, "live", 2, "#");
        TestClient publisher = durable("p");
        hold("p");
        publisher.publish("t", 2, 1, "1");
        publisher.publish("t", 1, 2, "2");
        publisher.cut();
        node.settle();
        TestClient again = durable("p");
        assertThat(again.packets()).isEmpty();
        assertThat(subscriber.payloads()).isEmpty();

        confirm("p");
        assertThat(subscriber.payloads()).containsExactlyInAnyOrder("1", "2");
        again.publishAgain("t", 2, 1, "1");
        again.publish("t", 1, 3, "3");
        node.settle();

        assertThat(subscriber.payloads())
                .containsExactlyInAnyOrder("1", "2", "3")
                .containsSubsequence("2", "3");
        assertThat(live.payloads()).containsExactly("1", "2", "3");
        assertThat(again.acks(PacketType.PUBREC)).containsExactly(1);
    }

    @Test
    void socket_is_not_read_beyond_what_may_be_parked_and_what_was_read_counts() {
        TestClient publisher = durable("p");
        hold("p");
        byte[] payload = new byte[500];
        publisher.bytes(several(publisher, 20, payload));
        node.settle();
        assertThat(node.parkedBytes()).isBetween((long) PARKED, 2L * PARKED);
        publisher.bytes(Unpooled.wrappedBuffer(new byte[] {0x30}, new byte[] {(byte) 0x80}));
        publisher.bytes(Unpooled.buffer().writeByte(0x80).writeByte(4).writeZero(64 << 10));
        assertThat(publisher.isRead()).isFalse();
        publisher.cut();
        node.settle();

        confirm("p");
        node.settle();

        assertThat(subscriber.payloads()).hasSize(20);
        assertThat(node.parkedBytes()).isZero();
    }

    @Test
    void nothing_is_routed_when_the_store_fails() {
        TestClient publisher = durable("p");
        store.hold();
        publisher.publish("t", 2, 1, "1");
        publisher.publish("t", 1, 2, "2");
        node.settle();
        store.fail();
        node.settle();
        assertThat(publisher.isClosed()).isTrue();
        assertThat(publisher.count(PacketType.PUBREC)).isZero();
        assertThat(subscriber.payloads()).isEmpty();
        assertThat(node.parkedBytes()).isZero();
    }

    @Test
    void nothing_is_routed_of_a_session_that_is_set_aside() {
        TestClient publisher = durable("p");
        hold("p");
        publisher.publish("t", 2, 1, "1");
        publisher.publish("t", 1, 2, "2");
        node.settle();
        Session session = node.session("p");
        node.execute(session.owner(), () -> node.shards[0].takeover().setAside(session));
        confirm("p");
        assertThat(subscriber.payloads()).isEmpty();
        assertThat(node.parkedBytes()).isZero();
    }

    /** Else it would come before what only the former leader has, and what is sent again. */
    @Test
    void nothing_is_routed_of_a_client_that_is_closed_since_another_node_has_taken_over() {
        TestClient connected = durable("p");
        TestClient gone = durable("gone");
        hold("p");
        hold("gone");
        for (TestClient each : List.of(connected, gone)) {
            each.publish("t", 2, 1, "1");
            each.publish("t", 1, 2, "2");
        }
        gone.cut();
        node.settle();
        TestClient waits = durable("gone");
        assertThat(waits.packets()).isEmpty();

        node.broker.closeClients(new BitSet());
        node.settle();
        assertThat(connected.isClosed()).isTrue();
        assertThat(waits.isClosed()).isTrue();
        assertThat(node.parkedBytes()).isZero();
        confirm("p");
        confirm("gone");

        TestClient reader = durable("s");
        assertThat(reader.payloads()).isEmpty();
        for (String clientId : List.of("p", "gone")) {
            TestClient again = durable(clientId);
            again.publishAgain("t", 2, 1, clientId + "1");
            again.publishAgain("t", 1, 2, clientId + "2");
            node.settle();
            assertThat(again.acks(PacketType.PUBREC)).containsExactly(1);
            assertThat(again.acks(PacketType.PUBACK)).containsExactly(2);
        }
        assertThat(reader.payloads()).containsExactlyInAnyOrder("p1", "p2", "gone1", "gone2");
    }

    @Test
    void one_of_a_client_that_leaves_for_good_is_routed() {
        TestClient publisher = durable("p");
        hold("p");
        publisher.publish("t", 2, 1, "1");
        node.settle();
        TestClient again = node.open(1, ProtocolVersion.MQTT_5);
        again.connect("p", true, 0, 0);
        node.settle();
        confirm("p");
        assertThat(subscriber.payloads()).isEqualTo(List.of("1"));
    }
}
