package io.godwit.core.node;

import static io.godwit.core.node.RestartFixture.filter;
import static io.godwit.core.node.RestartFixture.isPresent;
import static io.godwit.core.node.RestartFixture.subscribe;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.store.ExpiredRow;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The queue of a shared-subscription group through a restart. */
class GroupRestartTest {
    private static final String SHARED = "$share/g/a";

    private final RestartFixture f = new RestartFixture();

    private TestClient member(int shard, String clientId, int qos) {
        TestClient client = f.durable(shard, clientId);
        subscribe(client, qos, SHARED);
        f.node.settle();
        return client;
    }

    private TestClient publish(int qos, String... payloads) {
        TestClient publisher = f.node.client(0, "p");
        int id = 1;
        for (String payload : payloads) {
            publisher.publish("a", qos, id, payload);
            if (qos == 2) {
                f.node.settle();
                publisher.ack(PacketType.PUBREL, id);
            }
            id++;
        }
        f.node.settle();
        return publisher;
    }

    /** What stands in the group's queue, by text, in id order. */
    private List<String> groupRows() {
        List<Long> queues = f.state().group(filter(SHARED));
        assertThat(queues).isNotEmpty();
        return f.rows(queues);
    }

    private static List<Packet.Publish> publishes(TestClient client) {
        return client.packets().stream()
                .filter(Packet.Publish.class::isInstance)
                .map(Packet.Publish.class::cast)
                .toList();
    }

    private static void ackAll(TestClient client, PacketType type) {
        publishes(client).forEach(publish -> client.ack(type, publish.packetId()));
    }

    @Nested
    class What_waits {
        @ParameterizedTest
        @ValueSource(ints = {1, 2})
        void for_members_that_are_offline_goes_out_after_the_restart_in_order(int qos) {
            member(0, "m", qos).cut();
            f.node.settle();
            TestClient publisher = publish(qos, "1", "2", "3");
            assertThat(publisher.count(qos == 1 ? PacketType.PUBACK : PacketType.PUBREC))
                    .isEqualTo(3);
            assertThat(groupRows()).containsExactly("1", "2", "3");
            f.crash(0);
            publish(qos, "4");
            TestClient back = f.durable(1, "m");
            assertThat(isPresent(back)).isTrue();
            assertThat(back.payloads()).containsExactly("1", "2", "3", "4");
            ackAll(back, qos == 1 ? PacketType.PUBACK : PacketType.PUBREC);
            f.node.settle();
            assertThat(groupRows()).isEmpty();
            if (qos == 2) {
                ackAll(back, PacketType.PUBCOMP);
                f.node.settle();
            }
            assertThat(f.state().rows()).isZero();
        }

        @Test
        void is_acknowledged_to_its_publisher_after_the_commit_only() {
            member(1, "m", 1).cut();
            f.node.settle();
            f.store.hold();
            TestClient publisher = f.node.client(0, "p");
            publisher.publish("a", 1, 1, "x");
            f.node.settle();
            assertThat(publisher.acks(PacketType.PUBACK)).isEmpty();
            f.store.release();
            f.node.settle();
            assertThat(publisher.acks(PacketType.PUBACK)).containsExactly(1);
        }

        @Test
        void is_kept_from_the_moment_on_at_which_a_durable_member_joins() {
            TestClient first = f.node.open(0, ProtocolVersion.MQTT_5);
            first.connect("t", true, 0, 1);
            f.node.settle();
            subscribe(first, 1, SHARED);
            f.node.settle();
            publish(1, "1", "2"); // One in flight, one waits.
            assertThat(f.state().rows()).isZero();
            member(1, "m", 1);
            assertThat(groupRows().size()).isEqualTo(2);
            f.crash(0);
            TestClient back = f.durable(0, "m");
            assertThat(back.payloads()).containsExactly("1", "2");
        }

        @Test
        void is_the_stores_no_more_when_the_last_durable_member_has_left() {
            TestClient durable = member(1, "m", 1);
            TestClient other = f.node.client(0, "t");
            subscribe(other, 1, SHARED);
            f.node.settle();
            durable.cut();
            other.cut();
            f.node.settle();
            publish(1, "1");
            assertThat(f.state().rows()).isEqualTo(1);
            f.connect(1, "m", true, 0, null);
            assertThat(f.state().groups()).isZero();
            assertThat(f.state().rows()).isZero();
        }

        @Test
        void that_expires_leaves_the_store() {
            member(1, "m", 1).cut();
            f.node.settle();
            TestClient publisher = f.node.client(0, "p");
            publisher.send(
                    new Packet.Publish(
                            Topic.of("a"),
                            1,
                            false,
                            false,
                            1,
                            Properties.builder().add(Property.MESSAGE_EXPIRY_INTERVAL, 10).build(),
                            new byte[] {1}));
            f.node.settle();
            assertThat(f.state().rows()).isEqualTo(1);
            f.crash(9_000);
            assertThat(f.state().rows()).isEqualTo(1);
            f.node.tick(1_100);
            Long queue = f.state().group(filter(SHARED)).getFirst();
            var row = f.state().rows(queue).iterator().next();
            f.store
                    .listener()
                    .onExpired(
                            queue,
                            List.of(new ExpiredRow(row.id.clock(), row.id.server(), row.bytes())));
            f.node.settle();
            assertThat(f.state().rows()).isZero();
        }

        @Test
        void is_not_kept_without_anyone_left_to_get_it() {
            member(1, "m", 1).cut();
            f.node.settle();
            publish(1, "1");
            f.crash(3_600_000); // The member has expired.
            assertThat(f.state().groups()).isZero();
            assertThat(f.state().rows()).isZero();
            assertThat(f.node.context.index().groups()).isZero();
        }
    }

    @Nested
    class What_is_in_flight {
        @Test
        void at_qos_1_may_go_to_another_member() {
            member(0, "m", 1);
            publish(1, "x");
            f.crash(0);
            TestClient other = member(1, "n", 1);
            assertThat(other.payloads()).containsExactly("x");
        }

        @Test
        void at_qos_2_is_sent_again_to_its_member_under_its_packet_id_and_to_nobody_else() {
            TestClient first = member(0, "m", 2);
            publish(2, "x", "y");
            List<Packet.Publish> sent = publishes(first);
            assertThat(first.payloads()).containsExactly("x", "y");
            assertThat(groupRows()).isEmpty();
            assertThat(f.rows("m")).as("handed over to its own queue").hasSize(2);
            f.crash(0);
            TestClient other = member(1, "n", 2);
            assertThat(other.payloads()).isEmpty();
            TestClient back = f.durable(1, "m");
            List<Packet.Publish> again = publishes(back);
            assertThat(back.payloads()).containsExactly("x", "y");
            assertThat(again).allMatch(Packet.Publish::dup);
            assertThat(again.stream().map(Packet.Publish::packetId).toList())
                    .isEqualTo(sent.stream().map(Packet.Publish::packetId).toList());
            ackAll(back, PacketType.PUBREC);
            f.node.settle();
            assertThat(back.acks(PacketType.PUBREL)).hasSize(2);
            ackAll(back, PacketType.PUBCOMP);
            f.node.settle();
            assertThat(f.state().rows()).isZero();
            assertThat(other.payloads()).isEmpty();
            publish(2, "z", "w");
            assertThat(other.payloads().size() + back.payloads().size()).isEqualTo(4);
        }

        @Test
        void at_qos_2_leaves_when_its_row_is_committed() {
            TestClient member = member(1, "m", 2);
            TestClient publisher = f.node.client(0, "p");
            f.store.hold();
            publisher.publish("a", 2, 1, "x");
            f.node.settle();
            assertThat(member.payloads()).isEmpty();
            f.store.release();
            f.node.settle();
            assertThat(member.payloads()).containsExactly("x");
        }

        @Test
        void at_qos_2_and_received_is_released_when_that_is_committed() {
            TestClient member = member(1, "m", 2);
            publish(2, "x");
            f.store.hold();
            member.ack(PacketType.PUBREC, publishes(member).get(0).packetId());
            f.node.settle();
            assertThat(member.acks(PacketType.PUBREL)).isEmpty();
            f.store.release();
            f.node.settle();
            assertThat(member.acks(PacketType.PUBREL)).hasSize(1);
            assertThat(groupRows()).isEmpty();
        }

        @Test
        void it_is_sent_again_with_its_subscription_identifier_and_retain_flag() {
            TestClient first = f.durable(0, "m");
            first.send(
                    new Packet.Subscribe(
                            1,
                            List.of(
                                    new Packet.Subscription(
                                            TopicFilter.of(SHARED), 2, false, true, 0)),
                            Properties.builder().add(Property.SUBSCRIPTION_IDENTIFIER, 7).build()));
            f.node.settle();
            TestClient publisher = f.node.client(0, "p");
            publisher.publish("a", 2, 1, true, new byte[] {'x'});
            f.node.settle();
            Packet.Publish sent = publishes(first).getFirst();
            assertThat(sent.retain()).isTrue();
            assertThat(sent.properties().number(Property.SUBSCRIPTION_IDENTIFIER, 0)).isEqualTo(7);
            TestClient other = member(1, "n", 2);
            first.send(new Packet.Unsubscribe(2, List.of(filter(SHARED)), Properties.NONE));
            f.node.settle();
            f.crash(0);

            assertThat(other.payloads()).isEmpty();
            TestClient otherBack = f.durable(0, "n");
            TestClient back = f.durable(1, "m");
            Packet.Publish again = publishes(back).getFirst();
            assertThat(again.packetId()).isEqualTo(sent.packetId());
            assertThat(again.retain()).isTrue();
            assertThat(again.properties()).isEqualTo(sent.properties());
            back.ack(PacketType.PUBREC, again.packetId());
            f.node.settle();
            back.ack(PacketType.PUBCOMP, again.packetId());
            f.node.settle();
            assertThat(f.state().rows()).isZero();
            assertThat(otherBack.payloads())
                    .as("another member, while who has left still completes it")
                    .isEmpty();
        }

        @Test
        void at_qos_2_and_received_is_released_after_the_restart() {
            TestClient first = member(0, "m", 2);
            publish(2, "x");
            int packetId = publishes(first).get(0).packetId();
            first.ack(PacketType.PUBREC, packetId);
            f.node.settle();
            assertThat(groupRows()).isEmpty();
            assertThat(f.rows("m")).containsExactly("released");
            f.crash(0);
            TestClient other = member(1, "n", 2);
            TestClient back = f.durable(1, "m");
            assertThat(back.payloads()).isEmpty();
            assertThat(back.acks(PacketType.PUBREL)).containsExactly(packetId);
            back.ack(PacketType.PUBCOMP, packetId);
            f.node.settle();
            assertThat(f.state().rows()).isZero();
            assertThat(other.payloads()).isEmpty();
        }

        /** Has everything that was told so far kept, and what follows from that told. */
        private void keepNext() {
            f.store.end(f.store.outstanding());
            f.node.settle();
        }

        /** A member is handed a message, and its queue has not kept it yet. */
        private TestClient handOver() {
            TestClient member = member(0, "m", 2);
            TestClient publisher = f.node.client(0, "p");
            f.store.hold();
            publisher.publish("a", 2, 1, "x");
            f.node.settle();
            keepNext(); // The mark, with the entry.
            assertThat(groupRows()).hasSize(1);
            assertThat(f.rows("m")).isEmpty();
            assertThat(f.store.outstanding()).as("the append at the member").isPositive();
            assertThat(member.payloads()).isEmpty();
            return member;
        }

        @Test
        void at_qos_2_goes_to_another_member_when_the_queue_of_the_first_did_not_keep_it() {
            handOver();
            f.crash(0);
            TestClient other = member(1, "n", 2);
            assertThat(other.payloads()).containsExactly("x");
            assertThat(f.durable(0, "m").payloads()).isEmpty();
            assertThat(groupRows()).isEmpty();
        }

        @Test
        void at_qos_2_stays_with_its_member_when_the_group_did_not_keep_that_it_let_go() {
            TestClient first = handOver();
            keepNext();
            assertThat(first.payloads()).containsExactly("x");
            assertThat(groupRows()).as("its removal is not kept").hasSize(1);
            f.crash(0);
            assertThat(groupRows()).isEmpty();
            TestClient other = member(1, "n", 2);
            TestClient back = f.durable(0, "m");
            assertThat(back.payloads()).containsExactly("x");
            assertThat(other.payloads()).isEmpty();
            ackAll(back, PacketType.PUBREC);
            f.node.settle();
            ackAll(back, PacketType.PUBCOMP);
            f.node.settle();
            assertThat(f.state().rows()).isZero();
            assertThat(remembered()).as("they were told that it is over").isZero();
        }

        @Test
        void
                at_qos_2_goes_to_another_member_when_the_session_of_the_first_ends_before_it_is_sent() {
            TestClient other = member(1, "n", 1);
            other.cut();
            f.node.settle();
            handOver();
            f.node.client(1, "m"); // With Clean Start: the session ends with what it was handed.
            f.store.release();
            f.node.settle();
            assertThat(f.durable(1, "n").payloads()).containsExactly("x");
        }

        private long remembered() {
            long sum = 0;
            for (BrokerShard each : f.node.shards) {
                sum += each.load().queues().rememberedBytes();
            }
            return sum;
        }

        @Test
        void at_qos_2_ends_with_the_session_of_its_member() {
            TestClient first = member(0, "m", 2);
            TestClient other = member(1, "n", 2);
            publish(2, "x", "y");
            assertThat(first.payloads()).hasSize(1);
            first.send(
                    new Packet.Disconnect(
                            ReasonCode.SUCCESS,
                            Properties.builder()
                                    .add(Property.SESSION_EXPIRY_INTERVAL, 10)
                                    .build()));
            f.node.settle();
            f.crash(10_000);
            TestClient back = f.durable(1, "n");
            assertThat(back.payloads()).isEqualTo(other.payloads());
            assertThat(groupRows()).isEmpty();
            assertThat(f.state().rows(f.queueId("n"))).hasSize(1);
        }
    }
}
