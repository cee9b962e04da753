package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.HybridId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.QueuePolicy;
import io.godwit.core.settings.QueueSettings;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What waits for the store, and what a failure of the store does to each. */
class WaitForStoreTest {
    private static final int FAILED = ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR.code();

    private final HeldStore store = new HeldStore();

    /** Two shards: subscribers live on the second, publishers on the first. */
    private final TestNode node = new TestNode(2, store);

    private TestClient durable(int shard, String clientId, ProtocolVersion version) {
        TestClient client = node.open(shard, version);
        client.connect(clientId, false, 3600, 0);
        node.settle();
        return client;
    }

    private void release() {
        store.release();
        node.settle();
    }

    private void fail() {
        assertThat(store.outstanding()).isPositive();
        store.fail();
        node.settle();
    }

    private static <T extends Packet> T only(TestClient client, Class<T> type) {
        List<T> found = client.packets().stream().filter(type::isInstance).map(type::cast).toList();
        assertThat(found).hasSize(1);
        return found.get(0);
    }

    /** As bytes on the wire say that the broker's store failed: 5.0 is told, 3.x only closed. */
    private static void assertClosedByFailure(TestClient client, ProtocolVersion version) {
        if (version.isV5()) {
            assertThat(only(client, Packet.Disconnect.class).reason())
                    .isEqualTo(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR);
        } else {
            assertThat(client.count(PacketType.DISCONNECT)).isZero();
        }
        assertThat(client.wire.isClosed()).isTrue();
    }

    @Nested
    class ConnAck {
        @ParameterizedTest
        @EnumSource
        void of_a_durable_session_waits_for_the_commit(ProtocolVersion version) {
            store.hold();
            TestClient client = durable(0, "d", version);
            assertThat(client.packets()).isEmpty();
            release();
            assertThat(only(client, Packet.ConnAck.class).code()).isZero();
        }

        @Test
        void of_a_transient_session_does_not_wait() {
            store.hold();
            TestClient client = node.client(0, "t");
            assertThat(only(client, Packet.ConnAck.class).code()).isZero();
        }

        @ParameterizedTest
        @EnumSource
        void says_that_the_server_is_unavailable_when_the_commit_fails(ProtocolVersion version) {
            store.hold();
            TestClient client = durable(0, "d", version);
            fail();
            Packet.ConnAck connAck = only(client, Packet.ConnAck.class);
            assertThat(connAck.code())
                    .isEqualTo(version.isV5() ? ReasonCode.SERVER_UNAVAILABLE.code() : 3);
            assertThat(connAck.sessionPresent()).isFalse();
            assertThat(client.wire.isClosed()).isTrue();
            client.cut();
            TestClient next = durable(1, "d", version);
            assertThat(only(next, Packet.ConnAck.class).code()).isZero();
            assertThat(only(next, Packet.ConnAck.class).sessionPresent()).isFalse();
        }

        @Test
        void nothing_overtakes_it_while_it_waits() {
            TestClient before = durable(1, "d", ProtocolVersion.MQTT_5);
            before.subscribe(1, 1, "a");
            node.settle();
            before.cut();
            store.hold();
            TestClient client = durable(1, "d", ProtocolVersion.MQTT_5);
            node.client(0, "p").publish("a", 0, 0, "x");
            node.settle();
            assertThat(client.packets()).isEmpty();
            release();
            assertThat(client.packets().get(0)).isInstanceOf(Packet.ConnAck.class);
            assertThat(client.payloads()).containsExactly("x");
        }
    }

    @Nested
    class SubAck {
        @ParameterizedTest
        @EnumSource
        void waits_for_the_commit(ProtocolVersion version) {
            TestClient client = durable(1, "d", version);
            store.hold();
            client.subscribe(1, 1, "a", "$share/g/b");
            node.settle();
            assertThat(client.count(PacketType.SUBACK)).isZero();
            release();
            assertThat(only(client, Packet.SubAck.class).codes())
                    .containsExactly((byte) 1, (byte) 1);
        }

        @ParameterizedTest
        @EnumSource
        void refuses_when_the_commit_fails_and_the_subscription_is_gone(ProtocolVersion version) {
            TestClient client = durable(1, "d", version);
            store.hold();
            client.subscribe(1, 1, "a");
            node.settle();
            fail();
            assertThat(only(client, Packet.SubAck.class).codes())
                    .containsExactly((byte) (version.isV5() ? FAILED : 0x80));
            node.client(0, "p").publish("a", 1, 1, "x");
            node.settle();
            assertThat(client.payloads()).isEmpty();
        }

        @Test
        void hears_of_a_failure_that_came_before_the_index_answered() {
            TestClient client = durable(1, "d", ProtocolVersion.MQTT_5);
            store.hold();
            client.subscribe(1, 1, "a");
            node.loops[1].endTurn();
            store.fail();
            node.settle();
            assertThat(only(client, Packet.SubAck.class).codes()).containsExactly((byte) FAILED);
        }
    }

    @Nested
    class UnsubAck {
        private TestClient unsubscribing(ProtocolVersion version) {
            TestClient client = durable(1, "d", version);
            client.subscribe(1, 1, "a");
            node.settle();
            store.hold();
            client.send(new Packet.Unsubscribe(2, List.of(TopicFilter.of("a")), Properties.NONE));
            node.settle();
            assertThat(client.count(PacketType.UNSUBACK)).isZero();
            return client;
        }

        @ParameterizedTest
        @EnumSource
        void waits_for_the_commit(ProtocolVersion version) {
            TestClient client = unsubscribing(version);
            release();
            assertThat(only(client, Packet.UnsubAck.class).codes())
                    .isEqualTo(version.isV5() ? new byte[1] : new byte[0]);
        }

        @Test
        void says_so_when_the_commit_fails() {
            TestClient client = unsubscribing(ProtocolVersion.MQTT_5);
            fail();
            assertThat(only(client, Packet.UnsubAck.class).codes()).containsExactly((byte) FAILED);
            assertThat(client.wire.isClosed()).isFalse();
        }

        @Test
        void is_not_sent_to_an_older_client_when_the_commit_fails() {
            TestClient client = unsubscribing(ProtocolVersion.MQTT_3_1_1);
            fail();
            assertThat(client.count(PacketType.UNSUBACK)).isZero();
            assertClosedByFailure(client, ProtocolVersion.MQTT_3_1_1);
        }
    }

    @Nested
    class PubAck {
        private TestClient subscriber;

        private TestClient publishing(ProtocolVersion version, int qos) {
            subscriber = durable(1, "s", ProtocolVersion.MQTT_5);
            subscriber.subscribe(1, 2, "a");
            TestClient publisher = node.open(0, version);
            publisher.connect("p", false, 3600, 0);
            node.settle();
            store.hold();
            publisher.publish("a", qos, 7, "x");
            node.settle();
            return publisher;
        }

        @ParameterizedTest
        @EnumSource
        void waits_for_the_append_though_the_message_is_out_already(ProtocolVersion version) {
            TestClient publisher = publishing(version, 1);
            assertThat(publisher.acks(PacketType.PUBACK)).isEmpty();
            assertThat(subscriber.payloads()).containsExactly("x");
            release();
            assertThat(publisher.acks(PacketType.PUBACK)).containsExactly(7);
        }

        @Test
        void comes_without_the_commit_once_the_subscriber_has_acknowledged() {
            TestClient publisher = publishing(ProtocolVersion.MQTT_5, 1);
            Packet.Publish came = only(subscriber, Packet.Publish.class);
            subscriber.ack(PacketType.PUBACK, came.packetId());
            node.settle();
            assertThat(store.outstanding()).isPositive();
            assertThat(publisher.acks(PacketType.PUBACK)).containsExactly(7);
        }

        @Test
        void waits_for_a_session_that_is_offline() {
            TestClient publisher = publishing(ProtocolVersion.MQTT_5, 1);
            subscriber.cut();
            node.settle();
            assertThat(publisher.acks(PacketType.PUBACK)).isEmpty();
            release();
            assertThat(publisher.acks(PacketType.PUBACK)).containsExactly(7);
        }

        @Test
        void of_a_retained_message_waits_though_nobody_has_subscribed() {
            TestClient publisher = node.client(0, "p");
            store.hold();
            publisher.publish("r", 1, 3, true, "x".getBytes(StandardCharsets.UTF_8));
            node.settle();
            assertThat(publisher.acks(PacketType.PUBACK)).isEmpty();
            release();
            assertThat(publisher.acks(PacketType.PUBACK)).containsExactly(3);
        }

        /** Else the message that another has just removed would be back after a crash. */
        @Test
        void of_a_removal_that_finds_nothing_retained_waits_for_the_one_before_it() {
            TestClient first = node.client(0, "p");
            TestClient second = node.client(1, "q");
            first.publish("r", 1, 3, true, "x".getBytes(StandardCharsets.UTF_8));
            node.settle();
            store.hold();
            first.publish("r", 1, 4, true, new byte[0]);
            node.settle();
            second.publish("r", 1, 5, true, new byte[0]);
            node.settle();
            assertThat(second.acks(PacketType.PUBACK)).isEmpty();
            release();
            assertThat(first.acks(PacketType.PUBACK)).containsExactly(3, 4);
            assertThat(second.acks(PacketType.PUBACK)).containsExactly(5);
        }

        @Test
        void does_not_wait_for_a_transient_subscriber() {
            node.subscriber(1, "t", 1, "a");
            TestClient publisher = node.client(0, "p");
            store.hold();
            publisher.publish("a", 1, 5, "x");
            node.settle();
            assertThat(publisher.acks(PacketType.PUBACK)).containsExactly(5);
        }

        @ParameterizedTest
        @EnumSource
        void never_comes_when_the_commit_fails_and_the_message_may_come_again(
                ProtocolVersion version) {
            TestClient publisher = publishing(version, 1);
            fail();
            assertThat(publisher.acks(PacketType.PUBACK)).isEmpty();
            assertClosedByFailure(publisher, version);
            publisher.cut();
            TestClient again = durable(0, "p", version);
            again.publish("a", 1, 7, "x");
            node.settle();
            assertThat(again.acks(PacketType.PUBACK)).containsExactly(7);
            assertThat(subscriber.payloads()).contains("x");
        }

        @Test
        void keeps_the_order_of_the_publishes_when_one_of_them_waits() {
            TestClient publisher = publishing(ProtocolVersion.MQTT_5, 1);
            publisher.publish("nobody", 1, 8, "y");
            node.settle();
            assertThat(publisher.acks(PacketType.PUBACK)).isEmpty();
            release();
            assertThat(publisher.acks(PacketType.PUBACK)).containsExactly(7, 8);
        }

        @ParameterizedTest
        @EnumSource
        void pubRec_waits_and_the_message_leaves_only_after_the_commit(ProtocolVersion version) {
            TestClient publisher = publishing(version, 2);
            assertThat(publisher.acks(PacketType.PUBREC)).isEmpty();
            assertThat(subscriber.payloads()).isEmpty();
            release();
            assertThat(publisher.acks(PacketType.PUBREC)).containsExactly(7);
            assertThat(subscriber.payloads()).containsExactly("x");
        }

        @ParameterizedTest
        @EnumSource
        void pubRec_never_comes_when_the_commit_fails_and_once_when_sent_again(
                ProtocolVersion version) {
            TestClient publisher = publishing(version, 2);
            fail();
            assertThat(publisher.acks(PacketType.PUBREC)).isEmpty();
            assertClosedByFailure(publisher, version);
            assertThat(subscriber.payloads()).isEmpty();
            publisher.cut();
            TestClient again = durable(0, "p", version);
            again.send(
                    new Packet.Publish(
                            Topic.of("a"),
                            2,
                            true,
                            false,
                            7,
                            Properties.NONE,
                            "x".getBytes(StandardCharsets.UTF_8)));
            node.settle();
            assertThat(again.acks(PacketType.PUBREC)).containsExactly(7);
            assertThat(durable(1, "s", ProtocolVersion.MQTT_5).payloads()).containsExactly("x");
        }

        @Test
        void pubRel_waits_for_the_commit_of_pubRec() {
            publishing(ProtocolVersion.MQTT_5, 2);
            release();
            store.hold();
            int packetId = only(subscriber, Packet.Publish.class).packetId();
            subscriber.ack(PacketType.PUBREC, packetId);
            node.settle();
            assertThat(subscriber.acks(PacketType.PUBREL)).isEmpty();
            release();
            assertThat(subscriber.acks(PacketType.PUBREL)).containsExactly(packetId);
        }
    }

    @Nested
    class A_failure {
        private final List<Boolean> told = new ArrayList<>();

        private void change(BrokerShard shard) {
            shard.enter();
            shard.store().removeRetained(Topic.of("t"), new HybridId(1, 1));
        }

        @Test
        void stays_one_for_who_asks_later_whatever_came_behind_it() {
            BrokerShard shard = node.shards[0];
            store.hold();
            change(shard);
            node.settle();
            fail();
            shard.enter();
            shard.afterCommit(told::add);
            assertThat(told).containsExactly(false);
            change(shard);
            node.settle();
            shard.enter();
            shard.afterCommit(told::add);
            assertThat(told).containsExactly(false, false);
        }

        @Test
        void of_an_earlier_commit_is_not_made_good_by_one_that_is_open() {
            BrokerShard shard = node.shards[0];
            change(shard);
            long kept = shard.store().openCommit();
            node.settle();
            store.hold();
            change(shard);
            long failed = shard.store().openCommit();
            node.settle();
            fail();
            change(shard);
            shard.whenCommitted(kept, told::add);
            shard.whenCommitted(failed, told::add);
            node.settle();
            assertThat(told).containsExactly(true, false);
        }

        @ParameterizedTest
        @EnumSource
        void to_forget_a_session_leaves_no_connack_of_a_clean_start(ProtocolVersion version) {
            durable(1, "d", version).cut();
            node.settle();
            store.hold();
            TestClient clean = node.open(0, version);
            clean.connect("d", true, 0, 0);
            node.settle();
            fail();
            node.client(1, "other").publish("r", 1, 1, true, new byte[1]);
            node.settle();
            assertThat(clean.packets())
                    .noneMatch(p -> p instanceof Packet.ConnAck ack && ack.code() == 0);
        }
    }

    @Nested
    class A_store_that_is_behind {
        @Test
        void leaves_publishers_unread_until_it_has_caught_up() {
            TestClient subscriber = durable(1, "s", ProtocolVersion.MQTT_5);
            subscriber.subscribe(1, 1, "a");
            TestClient publisher = node.client(0, "p");
            publisher.publish("a", 1, 1, "x");
            node.settle();
            store.isBehind = true;
            publisher.publish("a", 1, 2, "y");
            subscriber.ack(PacketType.PUBACK, 1);
            node.settle();
            assertThat(publisher.wire.isRead()).isFalse();
            assertThat(subscriber.wire.isRead()).isTrue();
            assertThat(subscriber.payloads()).as("what was read").containsExactly("x", "y");
            node.tick(1_000);
            assertThat(publisher.wire.isRead()).isFalse();

            store.isBehind = false;
            node.tick(100);
            assertThat(publisher.wire.isRead()).isTrue();
            publisher.publish("a", 1, 3, "z");
            node.settle();
            assertThat(publisher.acks(PacketType.PUBACK)).containsExactly(1, 2, 3);
            assertThat(subscriber.payloads()).containsExactly("x", "y", "z");
        }

        @Test
        void parks_what_is_published_by_who_has_messages_in_flight() {
            TestClient both = node.client(0, "both");
            both.subscribe(1, 1, "b");
            TestClient subscriber = node.subscriber(1, "s", 1, "a");
            both.publish("b", 1, 1, "own");
            node.settle();
            store.isBehind = true;
            both.publish("a", 1, 2, "parked");
            node.settle();
            assertThat(both.wire.isRead()).isTrue();
            assertThat(subscriber.payloads()).isEmpty();
            store.isBehind = false;
            node.tick(100);
            assertThat(subscriber.payloads()).containsExactly("parked");
        }
    }

    /** What is given up for something else is answered when that is kept. */
    @Nested
    class A_discard {
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

    @Test
    void several_commits_that_end_at_once_acknowledge_everything_in_order() {
        TestClient subscriber = durable(1, "s", ProtocolVersion.MQTT_5);
        subscriber.subscribe(1, 2, "a");
        TestClient publisher = node.client(0, "p");
        node.settle();
        store.hold();
        for (int id = 1; id <= 5; id++) {
            publisher.publish("a", 1, id, "m" + id);
            node.settle();
        }
        assertThat(store.outstanding()).isGreaterThanOrEqualTo(5);
        release();
        assertThat(publisher.acks(PacketType.PUBACK)).containsExactly(1, 2, 3, 4, 5);
    }
}
