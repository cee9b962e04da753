package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.HybridId;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.queue.QueueDrops;
import io.godwit.core.session.Session;
import io.godwit.core.settings.QueuePolicy;
import io.godwit.core.settings.QueueSettings;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** What a durable queue discards or refuses, on disk or in memory. */
class QueueLimitsTest extends QueueFixture {
    @Nested
    class Limits {
        @Test
        void count_what_is_on_disk_and_the_newest_goes() {
            node(queues(6, QueuePolicy.DISCARD_NEWEST));
            offline();
            publish(4);
            rows();
            publish(4);
            assertThat(publisher.acks(PacketType.PUBACK)).hasSize(8);
            assertThat(info().queued()).isEqualTo(6);
            assertThat(info().drops()).isEqualTo(new QueueDrops(2, 0, 0));
            assertThat(node.count(Metric.DROPPED_QUEUE_FULL)).isEqualTo(2);
            TestClient back = connect(0, 0);
            acknowledgeAll(back);
            assertThat(back.payloads()).isEqualTo(messages(1, 6));
        }

        @Test
        void of_bytes_count_what_is_on_disk() {
            node(new QueueSettings(100, 900, QueuePolicy.DISCARD_NEWEST, 1_000, 1 << 20, PAGE));
            offline();
            publish(3);
            rows();
            publish(20);
            long kept = info().queued();
            assertThat(kept).isBetween(4L, 9L);
            assertThat(info().queuedBytes()).isLessThanOrEqualTo(900 + 64);
            assertThat(info().drops().queueFull()).isEqualTo(23 - kept);
        }

        @Test
        void the_oldest_in_memory_goes() {
            node(queues(5, QueuePolicy.DISCARD_OLDEST));
            offline();
            publish(12);
            assertThat(info().queued()).isEqualTo(5);
            assertThat(info().drops().queueFull()).isEqualTo(7);
            rows();
            TestClient back = connect(0, 0);
            acknowledgeAll(back);
            assertThat(back.payloads()).isEqualTo(messages(8, 12));
            assertNothingIsLeft();
        }

        @Test
        void the_oldest_on_disk_goes_and_one_page_of_ids_is_read_for_it() {
            node(queues(10, QueuePolicy.DISCARD_OLDEST));
            offline();
            publish(10);
            rows();
            publish(PAGE);
            assertThat(store.readCount()).isEqualTo(1);
            assertThat(info().queued()).isEqualTo(10);
            assertThat(node.queuedMessages()).as("none of the page is kept").isEqualTo(PAGE);
            assertThat(store.operations).filteredOn(o -> o.startsWith("removeRow")).hasSize(PAGE);
            publish(1);
            assertThat(store.readCount()).isEqualTo(2);
            TestClient back = connect(0, 0);
            acknowledgeAll(back);
            assertThat(back.payloads()).isEqualTo(messages(6, 15));
            assertThat(info().drops()).isEqualTo(new QueueDrops(5, 0, 0));
            assertNothingIsLeft();
        }

        @Test
        void are_passed_by_a_page_at_most_while_the_oldest_is_read() {
            node(queues(10, QueuePolicy.DISCARD_OLDEST));
            offline();
            publish(10);
            rows();
            store.holdReads();
            publish(PAGE + 3);
            assertThat(info().queued()).isEqualTo(10 + PAGE);
            assertThat(info().drops().queueFull()).isEqualTo(3);
            store.answerAll();
            node.settle();
            assertThat(info().queued()).isEqualTo(10);
            TestClient back = connect(0, 0);
            acknowledgeAll(back);
            assertThat(back.payloads()).isEqualTo(messages(PAGE + 1, 10 + PAGE));
            assertNothingIsLeft();
        }

        @Test
        void a_client_that_comes_while_the_oldest_is_read_gets_what_is_left() {
            node(queues(10, QueuePolicy.DISCARD_OLDEST));
            offline();
            publish(10);
            rows();
            store.holdReads();
            publish(2);
            TestClient back = connect(0, 1);
            store.answerAll();
            node.settle();
            acknowledgeAll(back);
            assertThat(back.payloads().getLast()).isEqualTo("m12");
            assertThat(back.payloads()).isEqualTo(messages(3, 12));
            assertNothingIsLeft();
        }

        @Test
        void reject_tells_a_publisher_of_version_5_and_frees_its_packet_id() {
            node(queues(3, QueuePolicy.REJECT));
            Session session = offline();
            publish(3);
            publisher.publish("t", 1, 9, "no");
            publisher.publish("t", 2, 8, "no");
            node.settle();
            assertThat(
                            publisher.packets().stream()
                                    .filter(Packet.Ack.class::isInstance)
                                    .map(Packet.Ack.class::cast)
                                    .filter(ack -> ack.reason() == ReasonCode.QUOTA_EXCEEDED)
                                    .map(ack -> ack.type() + " " + ack.packetId()))
                    .containsExactly("PUBACK 9", "PUBREC 8");
            TestClient old = node.open(1, ProtocolVersion.MQTT_3_1_1);
            old.connect("old", true, 0, 0);
            old.publish("t", 1, 7, "no");
            node.settle();
            assertThat(old.acks(PacketType.PUBACK)).containsExactly(7);
            assertThat(info().drops().queueFull()).isEqualTo(3);

            acknowledgeAll(connect(1, 0));
            publisher.publish("t", 2, 8, "yes");
            node.settle();
            Packet.Ack last = (Packet.Ack) publisher.packets().getLast();
            assertThat(last.reason()).as("a message of its own").isEqualTo(ReasonCode.SUCCESS);
            assertThat(session.isEnded()).isFalse();
        }

        @Test
        void of_the_node_make_publishers_wait_and_nothing_is_discarded() {
            node(new QueueSettings(100, 1 << 20, QueuePolicy.DISCARD_NEWEST, 20, 1 << 20, PAGE));
            offline();
            publish(20);
            rows();
            node.tick(100);
            assertThat(node.context.load().isQueuesFull()).isTrue();
            publish(1);
            assertThat(publisher.wire.isRead()).isFalse();
            assertThat(info().queued()).as("what was read is taken in").isEqualTo(21);
            TestClient back = connect(1, 0);
            acknowledgeAll(back);
            node.tick(100);
            node.tick(100);
            assertThat(node.context.load().isQueuesFull()).isFalse();
            assertThat(publisher.wire.isRead()).isTrue();
            assertThat(back.payloads()).isEqualTo(messages(1, 21));
            assertThat(node.count(Metric.DROPPED_QUEUE_FULL)).isZero();
        }
    }

    @Nested
    class Expired_rows {
        private long[] ids() {
            return store.queue(node.session("s").queueId()).keySet().stream()
                    .mapToLong(HybridId::clock)
                    .toArray();
        }

        private void expire(long... ids) {
            store.expire(node.session("s").queueId(), ids);
            node.settle();
        }

        @Test
        void are_removed_unread_and_counted_once() {
            offline();
            publish(6);
            rows();
            long[] ids = ids();
            expire(ids[0], ids[3]);
            expire(ids[3], ids[0]);
            assertThat(store.operations)
                    .filteredOn(o -> o.startsWith("removeRow"))
                    .containsExactly("removeRow " + ids[0], "removeRow " + ids[3]);
            assertThat(info().queued()).isEqualTo(4);
            assertThat(info().drops()).isEqualTo(new QueueDrops(0, 2, 0));
            assertThat(node.count(Metric.DROPPED_EXPIRED)).isEqualTo(2);
            TestClient back = connect(0, 0);
            acknowledgeAll(back);
            assertThat(back.payloads()).containsExactly("m2", "m3", "m5", "m6");
            assertNothingIsLeft();
        }

        @Test
        void take_their_own_bytes_along_whatever_the_others_have() {
            offline();
            publisher.publish("t", 1, 1, false, new byte[10_000]);
            node.settle();
            publish(3);
            rows();
            long[] ids = ids();
            long before = info().queuedBytes();
            expire(ids[0]);
            long small = info().queuedBytes();
            assertThat(before - small).isBetween(10_000L, 10_200L);
            expire(ids[1]);
            assertThat(info().queuedBytes()).isEqualTo(small / 3 * 2);
            assertThat(node.keptBytes()).isEqualTo(small / 3 * 2);
            TestClient back = connect(0, 0);
            acknowledgeAll(back);
            assertThat(back.payloads()).containsExactly("m2", "m3");
            assertNothingIsLeft();
        }

        @Test
        void are_left_alone_once_they_were_read() {
            offline();
            publish(8);
            rows();
            long[] ids = ids();
            store.holdReads();
            TestClient back = connect(1, 1);
            answer();
            expire(ids[0], ids[1], ids[6]);
            assertThat(store.operations)
                    .filteredOn(o -> o.startsWith("removeRow"))
                    .containsExactly("removeRow " + ids[6]);
            store.answerAll();
            node.settle();
            acknowledgeAll(back);
            assertThat(back.payloads()).containsExactly("m1", "m2", "m3", "m4", "m5", "m6", "m8");
            assertNothingIsLeft();
        }

        @Test
        void of_a_page_under_way_are_not_sent() {
            offline();
            publish(3);
            rows();
            long[] ids = ids();
            store.holdReads();
            TestClient back = connect(1, 0);
            expire(ids[1]);
            store.answerAll();
            node.settle();
            acknowledgeAll(back);
            assertThat(back.payloads()).containsExactly("m1", "m3");
            assertNothingIsLeft();
        }

        @Test
        void read_back_are_dropped_when_their_turn_comes() {
            offline();
            publisher.send(
                    new Packet.Publish(
                            Topic.of("t"),
                            1,
                            false,
                            false,
                            1,
                            Properties.builder().add(Property.MESSAGE_EXPIRY_INTERVAL, 10).build(),
                            "old".getBytes(StandardCharsets.UTF_8)));
            node.settle();
            publish(1);
            rows();
            node.time.advance(11_000);
            TestClient back = connect(0, 0);
            acknowledgeAll(back);
            assertThat(back.payloads()).containsExactly("m1");
            assertThat(info().drops()).isEqualTo(new QueueDrops(0, 1, 0));
            assertNothingIsLeft();
        }

        @Test
        void are_found_on_the_shard_that_the_session_has_moved_to() {
            offline();
            publish(6);
            rows();
            long[] ids = ids();
            store.holdReads();
            connect(0, 0).cut();
            node.settle();
            expire(ids[5]);
            expire(ids[5]);
            assertThat(info().drops()).isEqualTo(new QueueDrops(0, 1, 0));
            assertThat(info().queued()).isEqualTo(5);
        }

        @Test
        void of_unknown_queues_are_nobody_s() {
            offline();
            store.expire(12345, 1, 2);
            node.settle();
            assertThat(store.operations).noneMatch(o -> o.startsWith("removeRow"));
        }
    }
}
