package io.godwit.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.QueuePolicy;
import io.godwit.core.settings.QueueSettings;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** A durable queue whose messages become rows: out of memory, and back page by page. */
class QueueRowsTest {
    private static final int PAGE = 4;

    private RowStore store;
    private TestNode node;
    private TestClient publisher;
    private int published;

    private void node(QueueSettings queues) {
        store = new RowStore();
        node =
                new TestNode(
                        2,
                        MqttSettings.DEFAULTS,
                        LimitSettings.DEFAULTS,
                        queues,
                        OverloadSettings.DEFAULTS,
                        store);
        publisher = node.client(0, "p");
        published = 0;
    }

    private static QueueSettings queues(long messages, QueuePolicy policy) {
        return new QueueSettings(messages, 1 << 20, policy, 1_000, 1 << 20, PAGE);
    }

    @BeforeEach
    void aNode() {
        node(queues(1_000, QueuePolicy.DISCARD_NEWEST));
    }

    private TestClient connect(int shard, int receiveMaximum) {
        return node.client(shard, "s", 3600, receiveMaximum);
    }

    /** A durable subscriber that is offline. */
    private Session offline() {
        TestClient subscriber = connect(1, 0);
        subscriber.subscribe(1, 2, "t");
        node.settle();
        subscriber.cut();
        node.settle();
        return node.session("s");
    }

    private void publish(int count) {
        for (int i = 0; i < count; i++) {
            publisher.publish("t", 1, 1, "m" + ++published);
            node.settle();
        }
    }

    private void rows() {
        store.rows();
        node.settle();
    }

    private void answer() {
        store.answer();
        node.settle();
    }

    private static List<String> messages(int from, int to) {
        List<String> all = new ArrayList<>();
        for (int i = from; i <= to; i++) {
            all.add("m" + i);
        }
        return all;
    }

    /** Acknowledges whatever is in flight until nothing more comes. */
    private void acknowledgeAll(TestClient client) {
        int done = 0;
        while (true) {
            List<Packet.Publish> came =
                    client.packets().stream()
                            .filter(Packet.Publish.class::isInstance)
                            .map(Packet.Publish.class::cast)
                            .toList();
            if (done == came.size()) {
                return;
            }
            for (; done < came.size(); done++) {
                client.ack(PacketType.PUBACK, came.get(done).packetId());
            }
            node.settle();
        }
    }

    private void assertNothingIsLeft() {
        assertThat(node.queuedMessages()).isZero();
        assertThat(node.queuedBytes()).isZero();
        assertThat(node.keptMessages()).isZero();
        assertThat(node.keptBytes()).isZero();
        Session session = node.session("s");
        assertThat(session.inFlightBytes()).isZero();
        rows();
        assertThat(store.queue(session.queueId())).isEmpty();
        assertThat(session.queue().backlog().isEmpty()).isTrue();
    }

    private SessionInfo info() {
        return node.session("s").info(10);
    }

    @Nested
    class Out_of_memory {
        @Test
        void what_waits_leaves_with_the_window_and_comes_back_in_order() {
            offline();
            publish(10);
            assertThat(node.queuedMessages()).isEqualTo(10);
            long bytes = node.queuedBytes();
            assertThat(node.keptBytes()).isEqualTo(bytes);
            rows();
            assertThat(node.queuedMessages()).isZero();
            assertThat(node.queuedBytes()).isZero();
            assertThat(node.keptMessages()).isEqualTo(10);
            assertThat(node.keptBytes()).isEqualTo(bytes);
            assertThat(info().queued()).isEqualTo(10);
            assertThat(info().queuedBytes()).isEqualTo(bytes);
            assertThat(info().queuedOnDisk()).isEqualTo(10);

            publish(3);
            assertThat(info().queued()).isEqualTo(13);
            assertThat(info().queuedOnDisk()).isEqualTo(10);
            TestClient back = connect(0, 0);
            acknowledgeAll(back);
            assertThat(back.payloads()).isEqualTo(messages(1, 13));
            assertNothingIsLeft();
        }

        @Test
        void what_is_in_flight_stays_and_is_sent_again_first() {
            TestClient subscriber = connect(1, 3);
            subscriber.subscribe(1, 1, "t");
            node.settle();
            publish(8);
            rows();
            assertThat(subscriber.payloads()).isEqualTo(messages(1, 3));
            assertThat(info().inFlight()).isEqualTo(3);
            assertThat(info().queuedOnDisk()).isEqualTo(1);
            assertThat(node.queuedMessages()).as("the page that was read ahead").isEqualTo(4);
            subscriber.cut();
            node.settle();
            assertThat(node.queuedMessages()).isZero();
            assertThat(info().inFlight()).isEqualTo(3);
            assertThat(info().queuedOnDisk()).isEqualTo(5);

            TestClient back = connect(0, 3);
            assertThat(back.payloads()).isEqualTo(messages(1, 3));
            acknowledgeAll(back);
            assertThat(back.payloads()).isEqualTo(messages(1, 8));
            assertNothingIsLeft();
        }

        @Test
        void only_rows_leave() {
            offline();
            publish(2);
            rows();
            publish(2);
            assertThat(node.queuedMessages()).isEqualTo(2);
            assertThat(info().queuedOnDisk()).isEqualTo(2);
            rows();
            assertThat(node.queuedMessages()).isZero();
            assertThat(info().queuedOnDisk()).isEqualTo(4);
        }

        @Test
        void what_was_acknowledged_within_the_window_never_becomes_a_row() {
            TestClient subscriber = connect(1, 0);
            subscriber.subscribe(1, 1, "t");
            node.settle();
            publish(5);
            acknowledgeAll(subscriber);
            rows();
            assertThat(store.queue(node.session("s").queueId())).isEmpty();
            assertNothingIsLeft();
        }

        @Test
        void the_age_is_that_of_the_oldest() {
            offline();
            publish(1);
            node.time.advance(5_000);
            publish(1);
            assertThat(info().oldestAgeMs()).isEqualTo(5_000);
            rows();
            assertThat(info().oldestAgeMs()).isEqualTo(5_000);
            acknowledgeAll(connect(0, 0));
            assertThat(info().oldestAgeMs()).isZero();
        }

        @Test
        void the_session_s_end_takes_them_all() {
            offline();
            publish(6);
            rows();
            publish(2);
            TestClient other = node.open(0, ProtocolVersion.MQTT_5);
            other.connect("s", true, 0, 0);
            node.settle();
            assertThat(node.count(Metric.DROPPED_SESSION_GONE)).isEqualTo(8);
            assertThat(node.keptMessages()).isZero();
            assertThat(node.keptBytes()).isZero();
            assertThat(node.queuedBytes()).isZero();
            assertThat(store.operations).contains("removeSession s");
            store.rows();
            node.settle();
            assertThat(other.payloads()).isEmpty();
        }

        @Test
        void a_session_that_is_durable_no_more_still_gets_its_rows() {
            offline();
            publish(9);
            rows();
            store.holdReads();
            TestClient back = node.open(0, ProtocolVersion.MQTT_5);
            back.connect("s", false, 0, 2);
            node.settle();
            publish(2);
            assertThat(store.operations).doesNotContain("removeSession s");
            store.answerAll();
            node.settle();
            acknowledgeAll(back);
            assertThat(back.payloads()).isEqualTo(messages(1, 11));
            assertThat(store.operations).contains("removeSession s");
            assertThat(node.keptMessages()).isZero();
            assertThat(node.queuedBytes()).isZero();
        }
    }

    @Nested
    class Pages {
        @BeforeEach
        void held() {
            offline();
            publish(18);
            rows();
            store.holdReads();
        }

        @Test
        void are_asked_for_one_at_a_time_before_the_last_is_used_up() {
            TestClient back = connect(1, 1);
            assertThat(back.count(PacketType.CONNACK)).isEqualTo(1);
            assertThat(store.readsWaiting()).isEqualTo(1);
            publish(1);
            assertThat(back.payloads()).as("what is older comes first").isEmpty();
            answer();
            assertThat(back.payloads()).isEqualTo(messages(1, 1));
            assertThat(store.readsWaiting()).as("three are left").isZero();
            back.ack(PacketType.PUBACK, 1);
            node.settle();
            assertThat(back.payloads()).isEqualTo(messages(1, 2));
            assertThat(store.readsWaiting()).as("two are left").isEqualTo(1);
            back.ack(PacketType.PUBACK, 2);
            node.settle();
            assertThat(store.readsWaiting()).isEqualTo(1);
            assertThat(node.queuedMessages()).as("one of the page, one new").isEqualTo(2);
            store.answerAll();
            node.settle();
            assertThat(node.queuedMessages()).isLessThanOrEqualTo(2 * PAGE + 1);
            acknowledgeAll(back);
            assertThat(back.payloads()).isEqualTo(messages(1, 19));
            assertNothingIsLeft();
        }

        @Test
        void what_becomes_a_row_meanwhile_is_read_later() {
            TestClient back = connect(1, 0);
            publish(3);
            rows();
            assertThat(node.queuedMessages()).isZero();
            assertThat(info().queuedOnDisk()).isEqualTo(21);
            for (int i = 0; i < 10; i++) {
                assertThat(store.readsWaiting()).isEqualTo(1);
                answer();
                publish(1);
                rows();
            }
            store.answerAll();
            node.settle();
            acknowledgeAll(back);
            assertThat(back.payloads()).isEqualTo(messages(1, published));
            assertNothingIsLeft();
        }

        @Test
        void of_an_older_connection_are_ignored_and_what_was_read_goes_back() {
            TestClient back = connect(1, 2);
            answer();
            assertThat(store.readsWaiting()).isEqualTo(1);
            assertThat(node.queuedMessages()).isEqualTo(2);
            back.ack(PacketType.PUBACK, 1);
            node.settle();
            back.cut();
            node.settle();
            assertThat(node.queuedMessages()).isZero();
            assertThat(node.queuedBytes()).isZero();
            assertThat(info().queued()).isEqualTo(15);

            TestClient again = connect(1, 0);
            assertThat(again.payloads()).isEqualTo(messages(2, 3));
            answer();
            assertThat(again.payloads()).as("of the older connection").hasSize(2);
            store.answerAll();
            node.settle();
            acknowledgeAll(again);
            assertThat(again.payloads()).isEqualTo(messages(2, 18));
            assertNothingIsLeft();
        }

        @Test
        void come_too_late_for_a_session_that_has_moved() {
            connect(1, 0);
            TestClient moved = connect(0, 0);
            assertThat(store.readsWaiting()).isEqualTo(2);
            answer();
            assertThat(moved.payloads()).isEmpty();
            answer();
            assertThat(moved.payloads()).isEqualTo(messages(1, 4));
            store.answerAll();
            node.settle();
            acknowledgeAll(moved);
            assertThat(moved.payloads()).isEqualTo(messages(1, 18));
            assertNothingIsLeft();
        }

        @Test
        void that_cannot_be_read_close_the_client_and_the_rows_stay() {
            TestClient back = connect(1, 0);
            answer();
            store.fail();
            node.settle();
            assertThat(back.wire.isClosed()).isTrue();
            assertThat(back.packets().getLast())
                    .isInstanceOfSatisfying(
                            Packet.Disconnect.class,
                            d ->
                                    assertThat(d.reason())
                                            .isEqualTo(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR));
            assertThat(node.count(Metric.STORE_READ_FAILURES)).isEqualTo(1);
            assertThat(info().queued()).isEqualTo(14);
            store.answerAll();
            TestClient again = connect(0, 0);
            acknowledgeAll(again);
            assertThat(again.payloads()).isEqualTo(messages(1, 18));
            assertNothingIsLeft();
        }

        @Test
        void for_a_session_that_has_ended_are_nobody_s() {
            connect(1, 0);
            TestClient other = node.open(1, ProtocolVersion.MQTT_5);
            other.connect("s", true, 3600, 0);
            node.settle();
            store.answerAll();
            node.settle();
            assertThat(other.payloads()).isEmpty();
            assertThat(node.keptMessages()).isZero();
        }
    }

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
            assertThat(info().discards()).isEqualTo(new Discards(2, 0, 0));
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
            assertThat(info().discards().queueFull()).isEqualTo(23 - kept);
        }

        @Test
        void the_oldest_in_memory_goes() {
            node(queues(5, QueuePolicy.DISCARD_OLDEST));
            offline();
            publish(12);
            assertThat(info().queued()).isEqualTo(5);
            assertThat(info().discards().queueFull()).isEqualTo(7);
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
            assertThat(info().discards()).isEqualTo(new Discards(5, 0, 0));
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
            assertThat(info().discards().queueFull()).isEqualTo(3);
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
            assertThat(info().discards().queueFull()).isEqualTo(3);

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
            assertThat(node.context.isQueuesFull()).isTrue();
            publish(1);
            assertThat(publisher.wire.isRead()).isFalse();
            assertThat(info().queued()).as("what was read is taken in").isEqualTo(21);
            TestClient back = connect(1, 0);
            acknowledgeAll(back);
            node.tick(100);
            node.tick(100);
            assertThat(node.context.isQueuesFull()).isFalse();
            assertThat(publisher.wire.isRead()).isTrue();
            assertThat(back.payloads()).isEqualTo(messages(1, 21));
            assertThat(node.count(Metric.DROPPED_QUEUE_FULL)).isZero();
        }
    }

    @Nested
    class Expired_rows {
        private long[] ids() {
            return store.queue(node.session("s").queueId()).keySet().stream()
                    .mapToLong(Long::longValue)
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
            assertThat(info().discards()).isEqualTo(new Discards(0, 2, 0));
            assertThat(node.count(Metric.DROPPED_EXPIRED)).isEqualTo(2);
            TestClient back = connect(0, 0);
            acknowledgeAll(back);
            assertThat(back.payloads()).containsExactly("m2", "m3", "m5", "m6");
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
            assertThat(info().discards()).isEqualTo(new Discards(0, 1, 0));
            assertNothingIsLeft();
        }

        @Test
        void of_unknown_queues_are_nobody_s() {
            offline();
            store.expire(12345, 1, 2);
            node.settle();
            assertThat(store.operations).noneMatch(o -> o.startsWith("removeRow"));
        }
    }

    @Nested
    class After_a_restart {
        private final List<QueuedMessage> entries = new ArrayList<>();

        private Message message(String payload) {
            return new Message(
                    Topic.of("t"),
                    payload.getBytes(StandardCharsets.UTF_8),
                    new byte[0],
                    2,
                    false,
                    Message.NEVER,
                    null,
                    1,
                    1);
        }

        private RowStore.Row row(Session session, int id, int qos, int packetId, boolean idle) {
            QueueEntry entry =
                    new QueueEntry(
                            session.queueId(), id, message("m" + id), qos, false, new int[0], null);
            entries.add(entry);
            return store.put(entry, packetId, idle);
        }

        /** What is in flight: 1, 2 and 4 sent, 3 released; 4 has an idle row still. 5 to 9 wait. */
        private Session restored() {
            Session session = offline();
            row(session, 1, 1, 65_535, false);
            row(session, 2, 2, 3, false);
            row(session, 3, 2, 11, false).released = true;
            row(session, 4, 1, 19, true);
            for (int id = 5; id <= 9; id++) {
                row(session, id, 1, 0, true);
            }
            node.shards[1].detach(session);
            session.queue().restore(store.depth(session.queueId()));
            node.shards[1].adopt(session);
            return session;
        }

        @Test
        void what_is_in_flight_is_read_before_anything_is_sent_and_nothing_comes_twice() {
            restored();
            assertThat(info().queued()).isEqualTo(5);
            assertThat(info().inFlight()).isEqualTo(4);
            assertThat(node.keptMessages()).isEqualTo(5);
            assertThat(node.queuedBytes()).isZero();
            store.holdReads();
            TestClient back = connect(0, 0);
            assertThat(back.count(PacketType.CONNACK)).isEqualTo(1);
            publisher.publish("t", 1, 1, "m10");
            node.settle();
            assertThat(back.payloads()).isEmpty();
            answer();
            List<Packet.Publish> again =
                    back.packets().stream()
                            .filter(Packet.Publish.class::isInstance)
                            .map(Packet.Publish.class::cast)
                            .toList();
            assertThat(back.payloads()).containsExactly("m1", "m2", "m4");
            assertThat(again).allMatch(Packet.Publish::dup);
            assertThat(again.stream().map(Packet.Publish::packetId)).containsExactly(65_535, 3, 19);
            assertThat(back.acks(PacketType.PUBREL)).containsExactly(11);

            back.ack(PacketType.PUBACK, 65_535);
            back.ack(PacketType.PUBACK, 19);
            node.settle();
            store.answerAll();
            node.settle();
            assertThat(back.payloads())
                    .containsExactly("m1", "m2", "m4", "m5", "m6", "m7", "m8", "m9", "m10");
            back.ack(PacketType.PUBREC, 3);
            node.settle();
            back.ack(PacketType.PUBCOMP, 3);
            back.ack(PacketType.PUBCOMP, 11);
            node.settle();
            for (int id = 20; id <= 25; id++) {
                back.ack(PacketType.PUBACK, id);
            }
            node.settle();
            assertNothingIsLeft();
        }

        @Test
        void packet_ids_in_flight_are_not_given_again() {
            restored();
            TestClient back = connect(0, 0);
            List<Integer> ids =
                    back.packets().stream()
                            .filter(Packet.Publish.class::isInstance)
                            .map(packet -> ((Packet.Publish) packet).packetId())
                            .toList();
            assertThat(ids).hasSize(8).doesNotHaveDuplicates().doesNotContain(11);
        }

        @Test
        void a_connection_lost_while_they_are_read_begins_anew() {
            restored();
            store.holdReads();
            TestClient first = connect(1, 0);
            first.cut();
            node.settle();
            TestClient second = connect(0, 0);
            store.answerAll();
            node.settle();
            assertThat(second.payloads())
                    .isEqualTo(List.of("m1", "m2", "m4", "m5", "m6", "m7", "m8", "m9"));
            assertThat(first.payloads()).isEmpty();
        }

        @Test
        void a_page_that_cannot_be_read_closes_the_client() {
            restored();
            store.holdReads();
            TestClient first = connect(1, 0);
            store.fail();
            node.settle();
            assertThat(first.wire.isClosed()).isTrue();
            store.answerAll();
            TestClient second = connect(1, 0);
            assertThat(second.payloads()).hasSize(8);
        }

        @Test
        void ids_go_on_above_those_of_the_rows() {
            Session session = restored();
            TestClient back = connect(0, 0);
            publisher.publish("t", 1, 1, "m10");
            node.settle();
            assertThat(back.payloads().getLast()).isEqualTo("m10");
            for (QueueEntry entry : session.inFlightEntries()) {
                assertThat(entry.note)
                        .isEqualTo(entry.messageId < 10 ? "note " + entry.messageId : null);
            }
        }

        @Test
        void expired_rows_wait_until_it_is_known_what_is_in_flight() {
            Session session = restored();
            store.expire(session.queueId(), 4, 6);
            node.settle();
            assertThat(store.operations).noneMatch(o -> o.startsWith("removeRow"));
            store.expire(session.queueId(), 4, 6);
            node.settle();
            assertThat(store.operations).contains("removeRow 6").doesNotContain("removeRow 4");
            assertThat(connect(0, 0).payloads())
                    .containsExactly("m1", "m2", "m4", "m5", "m7", "m8", "m9");
        }
    }

    @Nested
    class The_store_is_told {
        @Test
        void to_end_its_window_when_memory_is_half_full_once_a_second() {
            offline();
            publish(10);
            store.windowBytes = 1;
            node.tick(100);
            assertThat(store.windowsEnded).isZero();
            node.transportBytes = OverloadSettings.DEFAULTS.memoryBytes() / 2 + 1;
            node.tick(100);
            assertThat(store.windowsEnded).isEqualTo(1);
            assertThat(node.queuedMessages()).isZero();
            node.tick(100);
            assertThat(store.windowsEnded).isEqualTo(1);
            node.tick(1_000);
            assertThat(store.windowsEnded).isEqualTo(2);
        }

        @Test
        void and_what_its_window_holds_beside_the_queues_counts_as_memory() {
            offline();
            publish(10);
            long queued = node.queuedBytes();
            store.windowBytes = queued;
            node.tick(100);
            assertThat(node.context.accountedBytes()).isEqualTo(queued);
            store.windowBytes = queued + 5_000;
            node.tick(100);
            assertThat(node.context.accountedBytes()).isEqualTo(queued + 5_000);
        }

        @Test
        void and_tells_when_its_disk_is_nearly_full_and_publishers_wait() {
            offline();
            store.diskAlarm(true);
            publish(1);
            assertThat(publisher.wire.isRead()).isFalse();
            store.diskAlarm(false);
            node.tick(100);
            assertThat(publisher.wire.isRead()).isTrue();
        }
    }
}
