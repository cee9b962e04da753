package io.godwit.core.node;

import static io.godwit.core.node.RestartFixture.connAck;
import static io.godwit.core.node.RestartFixture.disconnect;
import static io.godwit.core.node.RestartFixture.isPresent;
import static io.godwit.core.node.RestartFixture.subscribe;
import static io.godwit.core.node.RestartFixture.will;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.IdFloor;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.session.Session;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.store.SessionRecord;
import io.godwit.core.takeover.Registrar;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a broker takes up when it starts again on its store. */
class RestartTest {
    private final RestartFixture f = new RestartFixture();

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Nested
    class A_durable_session {
        @Test
        void comes_back_with_its_subscriptions_on_the_shard_of_its_registrar() {
            TestClient client = f.durable(0, "d");
            subscribe(client, 1, "a", "b/+");
            f.node.settle();
            f.crash(0);
            int home = Registrar.shardOf(ClientId.of("d"), RestartFixture.SHARDS);
            Session session = f.node.shards[home].registrar().find(ClientId.of("d"));
            assertThat(session).isNotNull();
            assertThat(session.owner()).isEqualTo(home);
            assertThat(session.subscriptionCount()).isEqualTo(2);
            assertThat(f.node.shards[home].load().subscriptions()).isEqualTo(2);
            TestClient publisher = f.node.client(0, "p");
            publisher.publish("a", 1, 1, "x");
            publisher.publish("b/c", 1, 2, "y");
            f.node.settle();
            assertThat(publisher.acks(PacketType.PUBACK)).containsExactly(1, 2);
            TestClient again = f.durable(1 - home, "d");
            assertThat(isPresent(again)).isTrue();
            assertThat(again.payloads()).containsExactly("x", "y");
        }

        @Test
        void that_was_not_committed_is_not_there() {
            f.store.hold();
            TestClient client = f.durable(0, "d");
            assertThat(client.packets()).isEmpty();
            f.crash(0);
            assertThat(isPresent(f.durable(0, "d"))).isFalse();
        }

        @Test
        void ends_at_start_when_its_expiry_passed_while_the_broker_was_down() {
            TestClient client = f.durable(0, "d");
            subscribe(client, 1, "a", "$share/g/b");
            f.node.settle();
            client.cut();
            f.node.settle();
            f.crash(3_600_000);
            assertThat(f.sessions()).isZero();
            assertThat(f.registered()).isZero();
            assertThat(f.isKept("d")).isFalse();
            assertThat(f.node.context.index().size()).isZero();
            assertThat(f.node.context.index().groups()).isZero();
            assertThat(f.node.count(Metric.SESSIONS_EXPIRED)).isEqualTo(1);
            assertThat(isPresent(f.durable(0, "d"))).isFalse();
        }

        @Test
        void expires_when_its_time_has_passed_the_downtime_included() {
            TestClient client = f.durable(0, "d");
            client.cut();
            f.node.settle();
            f.crash(3_599_000);
            assertThat(f.sessions()).isEqualTo(1);
            f.node.tick(999);
            assertThat(f.sessions()).isEqualTo(1);
            f.node.tick(200);
            assertThat(f.sessions()).isZero();
            assertThat(f.isKept("d")).isFalse();
        }

        @Test
        void that_was_connected_at_the_crash_counts_from_the_start_on_also_at_the_next_one() {
            f.durable(0, "d");
            f.crash(10_000_000);
            assertThat(f.sessions()).isEqualTo(1);
            f.crash(3_000_000);
            assertThat(f.sessions()).isEqualTo(1);
            f.crash(600_000);
            assertThat(f.sessions()).isZero();
        }

        @Test
        void is_forgotten_by_a_clean_start_before_the_new_one_is_promised() {
            TestClient client = f.durable(0, "d");
            client.cut();
            f.node.settle();
            f.store.hold();
            TestClient fresh = f.connect(0, "d", true, 0, null);
            assertThat(fresh.packets()).isEmpty();
            f.store.release();
            f.node.settle();
            assertThat(connAck(fresh).code()).isZero();
            assertThat(f.isKept("d")).isFalse();
        }

        @Test
        void that_becomes_transient_is_forgotten_before_that_is_promised() {
            f.durable(0, "d").cut();
            f.node.settle();
            f.store.hold();
            TestClient now = f.connect(0, "d", false, 0, null);
            assertThat(now.packets()).isEmpty();
            f.store.release();
            f.node.settle();
            assertThat(isPresent(now)).isTrue();
            assertThat(f.isKept("d")).isFalse();
        }

        @Test
        void has_the_expiry_of_its_disconnect() {
            TestClient client = f.durable(0, "d");
            client.send(
                    new Packet.Disconnect(
                            ReasonCode.SUCCESS,
                            Properties.builder()
                                    .add(io.godwit.core.packet.Property.SESSION_EXPIRY_INTERVAL, 10)
                                    .build()));
            f.node.settle();
            f.crash(9_000);
            assertThat(f.sessions()).isEqualTo(1);
            f.crash(1_000);
            assertThat(f.sessions()).isZero();
        }
    }

    @Nested
    class A_will {
        private TestClient witness;

        private void watch(int qos) {
            witness = f.durable(1, "w");
            subscribe(witness, qos, "will");
            f.node.settle();
        }

        private java.util.List<String> witnessed() {
            witness = f.durable(1, "w");
            return witness.payloads();
        }

        @ParameterizedTest
        @ValueSource(ints = {0, 1, 2})
        void of_a_transient_session_is_published_after_a_crash_and_forgotten(int qos) {
            watch(qos);
            TestClient client = f.connect(0, "t", true, 0, will(qos, true, 0));
            assertThat(connAck(client).code()).isZero();
            assertThat(f.state().session(ClientId.of("t")).expirySeconds()).isZero();
            f.crash(1_000);
            assertThat(f.node.count(Metric.WILLS_PUBLISHED)).isEqualTo(1);
            assertThat(f.isKept("t")).isFalse();
            assertThat(f.registered()).isEqualTo(1);
            assertThat(f.state().retained(Topic.of("will"))).isNotNull();
            assertThat(witnessed()).hasSize(qos == 0 ? 0 : 1);
            f.crash(0);
            assertThat(f.node.count(Metric.WILLS_PUBLISHED)).isZero();
        }

        @Test
        void is_promised_by_conn_ack_after_the_commit_only() {
            f.store.hold();
            TestClient client = f.connect(0, "t", true, 0, will(1, false, 0));
            assertThat(client.packets()).isEmpty();
            f.store.release();
            f.node.settle();
            assertThat(connAck(client).code()).isZero();
        }

        @ParameterizedTest
        @ValueSource(longs = {0, 3600})
        void is_given_up_by_disconnect(long expirySeconds) {
            TestClient client = f.connect(0, "t", true, expirySeconds, will(1, false, 0));
            disconnect(client, ReasonCode.SUCCESS);
            f.node.settle();
            f.crash(0);
            assertThat(f.node.count(Metric.WILLS_PUBLISHED)).isZero();
            assertThat(f.isKept("t")).isEqualTo(expirySeconds > 0);
        }

        @Test
        void stays_in_the_record_until_everyone_has_it() {
            watch(1);
            TestClient client = f.connect(0, "t", true, 0, will(1, false, 0));
            f.store.hold();
            client.cut();
            f.node.settle();
            f.store.end(1);
            f.node.settle();
            assertThat(f.isKept("t")).isTrue();
            f.store.release();
            f.node.settle();
            assertThat(f.isKept("t")).isFalse();
            assertThat(f.registered()).isEqualTo(1);
        }

        @Test
        void that_was_being_published_at_the_crash_reaches_each_once_at_qos_2() {
            watch(2);
            TestClient other = f.durable(0, "x");
            subscribe(other, 2, "will");
            f.node.settle();
            f.connect(0, "t", true, 0, will(2, false, 0));
            f.crash(0); // The witness is offline from here on.
            assertThat(f.rows("w")).containsExactly("gone");
            long queue = f.queueId("w");
            TestClient client = f.connect(0, "u", true, 0, will(2, false, 0));
            f.store.hold();
            client.cut();
            f.node.settle();
            f.store.end(1); // The first of two shards.
            int both = f.rows("w").size() + f.rows("x").size();
            assertThat(both).isEqualTo(3);
            f.crash(0);
            assertThat(f.rows(queue)).containsExactly("gone", "gone");
            assertThat(f.rows("x")).containsExactly("gone", "gone");
            assertThat(f.isKept("u")).isFalse();
        }

        @Test
        void waits_for_its_delay_across_a_crash() {
            watch(1);
            TestClient client = f.connect(0, "d", false, 3600, will(1, false, 60));
            client.cut();
            f.node.settle();
            f.crash(50_000);
            assertThat(f.node.count(Metric.WILLS_PUBLISHED)).isZero();
            f.node.tick(10_100);
            assertThat(f.node.count(Metric.WILLS_PUBLISHED)).isEqualTo(1);
            assertThat(witnessed()).containsExactly("gone");
            f.crash(0);
            assertThat(f.node.count(Metric.WILLS_PUBLISHED)).isZero();
        }

        @Test
        void of_a_session_that_expired_while_down_is_published_first() {
            TestClient client = f.connect(0, "d", false, 100, will(1, true, 3000));
            client.cut();
            f.node.settle();
            f.crash(100_000);
            assertThat(f.node.count(Metric.WILLS_PUBLISHED)).isEqualTo(1);
            assertThat(f.sessions()).isZero();
            assertThat(f.state().sessions()).isZero();
        }

        @Test
        void of_a_durable_session_waits_at_a_stop_and_is_dropped_when_the_client_is_back() {
            f.connect(0, "d", false, 3600, will(1, true, 60));
            f.connect(1, "t", true, 0, will(1, true, 0));
            f.stop();
            assertThat(f.node.count(Metric.WILLS_PUBLISHED)).isEqualTo(1);
            assertThat(f.isKept("t")).isFalse();
            SessionRecord record = f.state().session(ClientId.of("d"));
            assertThat(record.disconnectedAtMs()).isEqualTo(f.time.wallMs());
            assertThat(record.will()).isNotNull();
            f.crash(59_000);
            TestClient back = f.connect(0, "d", false, 3600, null);
            assertThat(isPresent(back)).isTrue();
            f.node.tick(10_000);
            assertThat(f.node.count(Metric.WILLS_PUBLISHED)).isZero();
            f.crash(10_000);
            assertThat(f.node.count(Metric.WILLS_PUBLISHED)).isZero();
        }

        @ParameterizedTest
        @ValueSource(ints = {0, 1, 2})
        void of_a_transient_session_that_was_published_at_a_stop_is_not_published_again(int qos) {
            f.connect(1, "t", true, 0, will(qos, false, 0));
            f.stop();
            assertThat(f.node.count(Metric.WILLS_PUBLISHED)).isEqualTo(1);
            assertThat(f.isKept("t")).isFalse();
            f.crash(1_000);
            assertThat(f.node.count(Metric.WILLS_PUBLISHED)).isZero();
        }

        @Test
        void that_is_due_in_the_middle_of_a_stop_is_waited_for() {
            watch(1);
            TestClient client = f.connect(0, "d", false, 3600, will(1, false, 0));
            f.store.hold();
            boolean[] stopped = {false};
            f.node.broker.stop(() -> stopped[0] = true);
            f.node.settle();
            int before = f.store.outstanding();
            assertThat(before).isPositive();
            client.cut();
            f.node.settle();
            assertThat(f.node.count(Metric.WILLS_PUBLISHED)).isEqualTo(1);
            f.store.end(before);
            f.node.settle();
            assertThat(stopped[0]).isFalse();
            f.store.release();
            f.node.settle();
            assertThat(stopped[0]).isTrue();
            f.crash(1_000);
            assertThat(f.node.count(Metric.WILLS_PUBLISHED)).isZero();
            assertThat(witnessed()).containsExactly("gone");
        }

        @Test
        void that_waited_at_a_stop_is_published_when_the_client_stays_away() {
            f.connect(0, "d", false, 3600, will(1, true, 60));
            f.stop();
            f.crash(60_000);
            assertThat(f.node.count(Metric.WILLS_PUBLISHED)).isEqualTo(1);
            assertThat(f.sessions()).isEqualTo(1);
        }
    }

    @Nested
    class Qos_2_from_the_client {
        private TestClient repeat(String clientId, int packetId, String payload) {
            TestClient client = f.durable(0, clientId);
            client.send(
                    new Packet.Publish(
                            Topic.of("a"),
                            2,
                            true,
                            false,
                            packetId,
                            Properties.NONE,
                            bytes(payload)));
            f.node.settle();
            return client;
        }

        @Test
        void that_was_acknowledged_is_acknowledged_again_and_not_routed() {
            TestClient subscriber = f.durable(1, "s");
            subscribe(subscriber, 2, "a");
            subscriber.cut();
            TestClient publisher = f.durable(0, "p");
            publisher.publish("a", 2, 7, "x");
            f.node.settle();
            assertThat(publisher.acks(PacketType.PUBREC)).containsExactly(7);
            f.crash(0);
            TestClient again = repeat("p", 7, "x");
            assertThat(again.acks(PacketType.PUBREC)).containsExactly(7);
            assertThat(f.rows("s")).containsExactly("x");
            again.ack(PacketType.PUBREL, 7);
            f.node.settle();
            assertThat(again.acks(PacketType.PUBCOMP)).containsExactly(7);
            assertThat(f.state().inbound(f.queueId("p"))).isEmpty();
        }

        @Test
        void goes_to_those_only_that_had_not_got_it() {
            TestClient first = f.durable(0, "first");
            subscribe(first, 2, "a");
            TestClient second = f.durable(1, "second");
            subscribe(second, 2, "a");
            TestClient atQos0 = f.durable(0, "zero");
            subscribe(atQos0, 0, "a");
            TestClient publisher = f.durable(0, "p");
            f.node.settle();
            f.store.hold();
            publisher.publish("a", 2, 7, "x");
            f.node.settle();
            assertThat(f.store.outstanding()).isEqualTo(2);
            f.store.end(1);
            assertThat(f.rows("first")).containsExactly("x");
            assertThat(f.rows("second")).isEmpty();
            f.crash(0);
            TestClient zero = f.durable(1, "zero");
            TestClient again = repeat("p", 7, "x");
            assertThat(again.acks(PacketType.PUBREC)).containsExactly(7);
            assertThat(f.rows("first")).containsExactly("x");
            assertThat(f.rows("second")).containsExactly("x");
            assertThat(zero.payloads()).isEmpty();
            f.crash(0);
            repeat("p", 7, "x");
            assertThat(f.rows("first")).containsExactly("x");
            assertThat(f.rows("second")).containsExactly("x");
        }

        @Test
        void is_not_retained_again_over_a_newer_one() {
            TestClient publisher = f.durable(0, "p");
            f.store.hold();
            publisher.publish("a", 2, 7, true, bytes("old"));
            f.node.settle();
            f.store.end(1);
            assertThat(f.state().retained(Topic.of("a"))).isNotNull();
            f.crash(0);
            f.node.client(0, "q").publish("a", 0, 0, true, bytes("new"));
            f.node.settle();
            TestClient again = f.durable(0, "p");
            again.publish("a", 2, 7, true, bytes("old"));
            f.node.settle();
            assertThat(again.acks(PacketType.PUBREC)).containsExactly(7);
            assertThat(f.state().retained(Topic.of("a")).payload).isEqualTo(bytes("new"));
        }

        @Test
        void is_taken_although_its_client_has_gone_meanwhile() {
            TestClient subscriber = f.durable(1, "s");
            subscribe(subscriber, 2, "a");
            f.node.settle();
            TestClient publisher = f.durable(0, "p");
            f.store.hold();
            publisher.publish("a", 2, 7, "x");
            f.node.settle();
            publisher.cut();
            f.node.settle();
            f.store.release();
            f.node.settle();
            f.crash(0);
            repeat("p", 7, "x");
            assertThat(f.rows("s")).containsExactly("x");
        }
    }

    @Nested
    class A_queue {
        private TestClient subscribed(int qos) {
            TestClient client = f.durable(1, "s");
            subscribe(client, qos, "a");
            f.node.settle();
            return client;
        }

        private void publish(int qos, String... payloads) {
            TestClient publisher = f.node.client(0, "p");
            int id = 1;
            for (String payload : payloads) {
                publisher.publish("a", qos, id, payload);
                f.node.settle();
                if (qos == 2) {
                    publisher.ack(PacketType.PUBREL, id);
                }
                id++;
            }
            f.node.settle();
            publisher.cut();
            f.node.settle();
        }

        private java.util.List<Packet.Publish> publishes(TestClient client) {
            return client.packets().stream()
                    .filter(Packet.Publish.class::isInstance)
                    .map(Packet.Publish.class::cast)
                    .toList();
        }

        @ParameterizedTest
        @ValueSource(ints = {1, 2})
        void that_waited_goes_out_in_order_before_what_came_after_the_restart(int qos) {
            subscribed(qos).cut();
            f.node.settle();
            publish(qos, "1", "2", "3");
            f.crash(0);
            publish(qos, "4");
            f.crash(0);
            publish(qos, "5");
            TestClient back = f.durable(0, "s");
            assertThat(back.payloads()).containsExactly("1", "2", "3", "4", "5");
        }

        @ParameterizedTest
        @ValueSource(ints = {1, 2})
        void in_flight_is_sent_again_under_the_same_packet_ids(int qos) {
            TestClient first = subscribed(qos);
            publish(qos, "1", "2", "3");
            java.util.List<Integer> ids =
                    publishes(first).stream().map(Packet.Publish::packetId).toList();
            assertThat(ids).hasSize(3);
            f.crash(0);
            publish(qos, "4");
            TestClient back = f.durable(0, "s");
            assertThat(back.payloads()).containsExactly("1", "2", "3", "4");
            assertThat(publishes(back).stream().map(Packet.Publish::packetId).toList())
                    .startsWith(ids.toArray(new Integer[0]))
                    .doesNotHaveDuplicates();
            assertThat(publishes(back).stream().map(Packet.Publish::dup))
                    .containsExactly(true, true, true, false);
        }

        @Test
        void at_qos_2_goes_on_with_pub_rel() {
            TestClient first = subscribed(2);
            publish(2, "1");
            int packetId = publishes(first).get(0).packetId();
            first.ack(PacketType.PUBREC, packetId);
            f.node.settle();
            f.crash(0);
            TestClient back = f.durable(0, "s");
            assertThat(back.payloads()).isEmpty();
            assertThat(back.acks(PacketType.PUBREL)).containsExactly(packetId);
            back.ack(PacketType.PUBCOMP, packetId);
            f.node.settle();
            assertThat(f.state().rows()).isZero();
        }

        @Test
        void at_qos_2_sends_only_what_is_kept_under_its_packet_id() {
            TestClient first = subscribed(2);
            TestClient publisher = f.node.client(0, "p");
            f.store.hold();
            publisher.publish("a", 2, 1, "x");
            f.node.settle();
            while (f.store.outstanding() > 0 && first.payloads().isEmpty()) {
                f.store.end(1);
                f.node.settle();
            }
            assertThat(first.payloads()).containsExactly("x");
            int packetId = publishes(first).get(0).packetId();
            f.crash(0); // What is still outstanding is lost.
            TestClient back = f.durable(0, "s");
            assertThat(publishes(back).get(0).packetId()).isEqualTo(packetId);
        }
    }

    @Nested
    class Retained_messages {
        @Test
        void come_back_also_those_of_qos_0_and_no_sys_topics() {
            f.node.client(0, "p").publish("a", 0, 0, true, bytes("x"));
            f.node.shards[0].startSysTopics(f.node.shards, 1_000, "1");
            f.node.settle();
            f.node.tick(1_000);
            assertThat(f.state().retained()).isEqualTo(1);
            f.crash(0);
            TestClient client = f.durable(1, "s");
            subscribe(client, 1, "a");
            f.node.settle();
            assertThat(client.payloads()).containsExactly("x");
        }

        @Test
        void that_expire_leave_the_store_too() {
            TestClient publisher = f.node.client(1, "p");
            publisher.send(expiring("a", 10));
            publisher.send(expiring("b", 100));
            f.node.settle();
            assertThat(f.state().retained()).isEqualTo(2);
            f.node.tick(10_000);
            assertThat(f.state().retained()).isEqualTo(1);
            f.crash(90_000);
            assertThat(f.state().retained()).isZero();
        }

        private Packet.Publish expiring(String topic, long seconds) {
            return new Packet.Publish(
                    Topic.of(topic),
                    0,
                    false,
                    true,
                    0,
                    Properties.builder()
                            .add(io.godwit.core.packet.Property.MESSAGE_EXPIRY_INTERVAL, seconds)
                            .build(),
                    bytes("x"));
        }

        @Test
        void stay_when_the_limits_have_no_room_for_them_any_more() {
            TestClient publisher = f.node.client(0, "p");
            for (String topic : new String[] {"a", "b", "c"}) {
                publisher.publish(topic, 0, 0, true, bytes("x"));
            }
            f.node.settle();
            f.limits = LimitsOf.retained(2);
            f.crash(0);
            f.crash(0);
            assertThat(f.state().retained()).isEqualTo(3);
            assertThat(f.node.count(Metric.DROPPED_RETAINED_LIMIT)).isZero();

            TestClient again = f.node.client(0, "p");
            again.publish("d", 0, 0, true, bytes("x"));
            again.publish("a", 0, 0, true, bytes("y"));
            f.node.settle();
            assertThat(f.node.count(Metric.DROPPED_RETAINED_LIMIT)).as("what is new").isEqualTo(1);
            assertThat(f.state().retained()).isEqualTo(3);
            assertThat(f.state().retained(Topic.of("a")).payload).isEqualTo(bytes("y"));
            assertThat(f.state().retained(Topic.of("d"))).isNull();
        }
    }

    @Nested
    class Ids {
        @Test
        void of_a_later_start_are_new_ones() {
            f.durable(0, "a");
            f.durable(1, "b");
            long a = f.queueId("a");
            long generation = f.state().session(ClientId.of("b")).generation().clock();
            long ingress = f.node.shards[1].ids().nextIngressCounter();
            long earlier = f.node.shards[0].ids().nextIngressCounter();
            f.crash(-1_000_000); // The wall clock goes back, too.
            f.durable(0, "c");
            assertThat(f.queueId("c")).isGreaterThan(a);
            assertThat(f.state().session(ClientId.of("c")).generation().clock())
                    .isGreaterThan(generation);
            assertThat(f.node.shards[0].ids().nextIngressCounter())
                    .isGreaterThan(Math.max(ingress, earlier));
            assertThat(f.node.shards[0].ids().nextIngressCounter())
                    .isNotEqualTo(f.node.shards[1].ids().nextIngressCounter());
        }

        @Test
        void of_queues_are_given_in_blocks_that_the_store_has_kept() {
            long first = f.node.shards[0].ids().nextQueueId();
            long second = f.node.shards[1].ids().nextQueueId();
            assertThat(second).isEqualTo(first + 1);
            f.store.hold();
            long last = second;
            for (long next = second; next != 0; next = f.node.shards[0].ids().nextQueueId()) {
                last = next;
            }
            assertThat(last - first).isLessThan(IdFloor.QUEUE_BLOCK);
            TestClient durable = f.durable(0, "d");
            assertThat(connAck(durable).code()).isEqualTo(ReasonCode.SERVER_UNAVAILABLE.code());
            assertThat(f.registered()).isZero();
            f.store.release();
            f.node.settle();
            assertThat(connAck(f.durable(1, "d")).code()).isZero();
            assertThat(f.queueId("d")).isEqualTo(last + 1);
        }
    }

    /** Limits of which one is other than usual. */
    private static final class LimitsOf {
        static LimitSettings retained(int messages) {
            LimitSettings d = LimitSettings.DEFAULTS;
            return new LimitSettings(
                    d.connections(),
                    d.connectRate(),
                    d.connectTimeoutMs(),
                    d.topicLevels(),
                    d.subscriptionsPerClient(),
                    d.queueMessages(),
                    d.queueBytes(),
                    messages,
                    d.retainedBytes(),
                    d.partialBytes());
        }
    }
}
