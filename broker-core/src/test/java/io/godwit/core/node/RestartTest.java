package io.godwit.core.node;

import static io.godwit.core.node.RestartFixture.connAck;
import static io.godwit.core.node.RestartFixture.isPresent;
import static io.godwit.core.node.RestartFixture.subscribe;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.IdFloor;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.session.Session;
import io.godwit.core.takeover.Registrar;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a broker takes up when it starts again on its store: sessions, their queues, and ids. */
class RestartTest {
    private final RestartFixture f = new RestartFixture();

    @Nested
    class A_durable_session {
        @Test
        void comes_back_with_its_subscriptions_on_the_shard_of_its_registrar() {
            TestClient client = f.durable(0, "d");
            subscribe(client, 1, "a", "b/+");
            f.node.settle();
            f.crash(0);
            int registrarShard = Registrar.shardOf(ClientId.of("d"), RestartFixture.SHARDS);
            Session session = f.node.shards[registrarShard].registrar().find(ClientId.of("d"));
            assertThat(session).isNotNull();
            assertThat(session.owner()).isEqualTo(registrarShard);
            assertThat(session.subscriptionCount()).isEqualTo(2);
            assertThat(f.node.shards[registrarShard].load().subscriptions()).isEqualTo(2);
            TestClient publisher = f.node.client(0, "p");
            publisher.publish("a", 1, 1, "x");
            publisher.publish("b/c", 1, 2, "y");
            f.node.settle();
            assertThat(publisher.acks(PacketType.PUBACK)).containsExactly(1, 2);
            TestClient again = f.durable(1 - registrarShard, "d");
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
                                    .add(Property.SESSION_EXPIRY_INTERVAL, 10)
                                    .build()));
            f.node.settle();
            f.crash(9_000);
            assertThat(f.sessions()).isEqualTo(1);
            f.crash(1_000);
            assertThat(f.sessions()).isZero();
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

        private List<Packet.Publish> publishes(TestClient client) {
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
            List<Integer> ids = publishes(first).stream().map(Packet.Publish::packetId).toList();
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
    class Ids {
        @Test
        void of_a_later_start_are_new_ones() {
            f.durable(0, "a");
            f.durable(1, "b");
            long a = f.queueId("a");
            long generation =
                    Objects.requireNonNull(f.state().session(ClientId.of("b")))
                            .generation()
                            .clock();
            long ingress = f.node.shards[1].ids().nextIngressCounter();
            long earlier = f.node.shards[0].ids().nextIngressCounter();
            f.crash(-1_000_000); // The wall clock goes back, too.
            f.durable(0, "c");
            assertThat(f.queueId("c")).isGreaterThan(a);
            assertThat(
                            Objects.requireNonNull(f.state().session(ClientId.of("c")))
                                    .generation()
                                    .clock())
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
}
