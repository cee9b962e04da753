package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.HybridId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Topic;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the broker tells when its store has failed, and what it does while its store is behind. */
class StoreFailureTest {
    private final HeldFixture f = new HeldFixture();

    @Nested
    class A_failure {
        private final List<Boolean> told = new ArrayList<>();

        private void change(BrokerShard shard) {
            shard.enter();
            shard.store().removeRetained(Topic.of("t"), new HybridId(1, 1));
        }

        @Test
        void stays_one_for_who_asks_later_whatever_came_behind_it() {
            BrokerShard shard = f.node.shards[0];
            f.store.hold();
            change(shard);
            f.node.settle();
            f.fail();
            shard.enter();
            shard.afterCommit(told::add);
            assertThat(told).containsExactly(false);
            change(shard);
            f.node.settle();
            shard.enter();
            shard.afterCommit(told::add);
            assertThat(told).containsExactly(false, false);
        }

        @Test
        void of_an_earlier_commit_is_not_made_good_by_one_that_is_open() {
            BrokerShard shard = f.node.shards[0];
            change(shard);
            long kept = shard.store().openCommit();
            f.node.settle();
            f.store.hold();
            change(shard);
            long failed = shard.store().openCommit();
            f.node.settle();
            f.fail();
            change(shard);
            shard.whenCommitted(kept, told::add);
            shard.whenCommitted(failed, told::add);
            f.node.settle();
            assertThat(told).containsExactly(true, false);
        }

        @ParameterizedTest
        @EnumSource
        void to_forget_a_session_leaves_no_connack_of_a_clean_start(ProtocolVersion version) {
            f.durable(1, "d", version).cut();
            f.node.settle();
            f.store.hold();
            TestClient clean = f.node.open(0, version);
            clean.connect("d", true, 0, 0);
            f.node.settle();
            f.fail();
            f.node.client(1, "other").publish("r", 1, 1, true, new byte[1]);
            f.node.settle();
            assertThat(clean.packets())
                    .noneMatch(p -> p instanceof Packet.ConnAck ack && ack.code() == 0);
        }
    }

    @Nested
    class A_store_that_is_behind {
        @Test
        void leaves_publishers_unread_until_it_has_caught_up() {
            TestClient subscriber = f.durable(1, "s", ProtocolVersion.MQTT_5);
            subscriber.subscribe(1, 1, "a");
            TestClient publisher = f.node.client(0, "p");
            publisher.publish("a", 1, 1, "x");
            f.node.settle();
            f.store.isBehind = true;
            publisher.publish("a", 1, 2, "y");
            subscriber.ack(PacketType.PUBACK, 1);
            f.node.settle();
            assertThat(publisher.wire.isRead()).isFalse();
            assertThat(subscriber.wire.isRead()).isTrue();
            assertThat(subscriber.payloads()).as("what was read").containsExactly("x", "y");
            f.node.tick(1_000);
            assertThat(publisher.wire.isRead()).isFalse();

            f.store.isBehind = false;
            f.node.tick(100);
            assertThat(publisher.wire.isRead()).isTrue();
            publisher.publish("a", 1, 3, "z");
            f.node.settle();
            assertThat(publisher.acks(PacketType.PUBACK)).containsExactly(1, 2, 3);
            assertThat(subscriber.payloads()).containsExactly("x", "y", "z");
        }

        @Test
        void leaves_those_alone_whose_messages_need_no_store() {
            TestClient kept = f.durable(1, "kept", ProtocolVersion.MQTT_5);
            kept.subscribe(1, 1, "kept");
            f.node.subscriber(1, "s", 1, "a");
            TestClient publisher = f.node.client(0, "p");
            for (int i = 1; i <= 64; i++) {
                publisher.publish("a", 1, i, "x");
                f.node.settle();
            }
            f.store.isBehind = true;
            publisher.publish("a", 1, 65, "y");
            f.node.settle();
            assertThat(publisher.wire.isRead()).isTrue();
            assertThat(publisher.acks(PacketType.PUBACK)).hasSize(65);

            publisher.publish("kept", 1, 66, "z");
            f.node.settle();
            assertThat(publisher.wire.isRead()).as("one for the store").isFalse();
        }

        @Test
        void holds_back_who_retains_at_qos_0() {
            f.node.subscriber(1, "s", 1, "a");
            TestClient publisher = f.node.client(0, "p");
            for (int i = 1; i <= 64; i++) {
                publisher.publish("a", 1, i, "x");
                f.node.settle();
            }
            f.store.isBehind = true;
            publisher.publish("r", 0, 0, true, new byte[] {1});
            f.node.settle();
            assertThat(publisher.wire.isRead()).isFalse();
        }

        @Test
        void parks_what_is_published_by_who_has_messages_in_flight() {
            TestClient both = f.node.client(0, "both");
            both.subscribe(1, 1, "b");
            TestClient subscriber = f.node.subscriber(1, "s", 1, "a");
            both.publish("b", 1, 1, "own");
            f.node.settle();
            f.store.isBehind = true;
            both.publish("a", 1, 2, "parked");
            f.node.settle();
            assertThat(both.wire.isRead()).isTrue();
            assertThat(subscriber.payloads()).isEmpty();
            f.store.isBehind = false;
            f.node.tick(100);
            assertThat(subscriber.payloads()).containsExactly("parked");
        }
    }
}
