package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Topic;
import io.godwit.core.queue.QueueEntry;
import io.godwit.core.session.Session;
import io.godwit.core.settings.QueuePolicy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A queue with a frozen predecessor, which has {@code p1}, {@code p2} and so on in rows. */
class QueuePredecessorTest extends QueueFixture {
    private static final long BEFORE = 999;

    /** Above those of the queue that comes after it: the order is not that of the ids alone. */
    private static final long ID_BASE = 1L << 60;

    private RowStore.Row row(int number, int qos, int packetId, boolean idle) {
        Message message =
                new Message(
                        Topic.of("t"),
                        ("p" + number).getBytes(StandardCharsets.UTF_8),
                        new byte[0],
                        qos,
                        false,
                        Message.NEVER,
                        null,
                        1,
                        number);
        return store.put(
                new QueueEntry(BEFORE, ID_BASE + number, message, qos, false, new int[0], null),
                packetId,
                idle);
    }

    private void waiting(int from, int to) {
        for (int number = from; number <= to; number++) {
            row(number, 1, 0, true);
        }
    }

    /** An offline session whose own queue has rows, if any, and gets the predecessor. */
    private Session preceded(int own) {
        Session session = offline();
        publish(own);
        rows();
        node.shards[1].sessions().remove(session);
        session.queue().precededBy(store.depth(BEFORE), List.of());
        node.shards[1].sessions().add(session);
        return session;
    }

    private static List<String> inOrder(int before, int own) {
        List<String> all = new ArrayList<>();
        for (int i = 1; i <= before; i++) {
            all.add("p" + i);
        }
        all.addAll(messages(1, own));
        return all;
    }

    private static List<Packet.Publish> publishes(TestClient client) {
        return client.packets().stream()
                .filter(Packet.Publish.class::isInstance)
                .map(Packet.Publish.class::cast)
                .toList();
    }

    private void assertGivenUp() {
        assertThat(store.forgotten).containsExactly(BEFORE);
        rows();
        assertThat(store.queue(BEFORE)).isEmpty();
        assertNothingIsLeft();
        assertThat(info().queued()).isZero();
        assertThat(info().inFlight()).isZero();
    }

    @Test
    void it_goes_first_while_live_messages_come_in() {
        waiting(1, 9);
        preceded(3);
        assertThat(info().queued()).isEqualTo(12);
        assertThat(node.keptMessages()).isEqualTo(12);
        TestClient back = connect(0, 2);
        assertThat(back.payloads()).containsExactly("p1", "p2");
        publish(2);
        acknowledgeAll(back);
        assertThat(back.payloads()).isEqualTo(inOrder(9, 5));
        assertGivenUp();
        publish(1);
        assertThat(back.payloads()).isEqualTo(inOrder(9, 6));
    }

    @Test
    void a_live_message_does_not_overtake_an_unread_page() {
        waiting(1, 6);
        preceded(0);
        store.holdReads();
        TestClient back = connect(0, 0);
        publish(1);
        assertThat(back.payloads()).isEmpty();
        store.answerAll();
        node.settle();
        assertThat(back.payloads()).isEqualTo(inOrder(6, 1));
        acknowledgeAll(back);
        assertGivenUp();
    }

    @Test
    void live_messages_go_on_while_its_last_is_not_acknowledged() {
        waiting(1, 1);
        preceded(0);
        TestClient back = connect(0, 0);
        publish(2);
        assertThat(back.payloads()).isEqualTo(inOrder(1, 2));
        assertThat(store.forgotten).isEmpty();
        acknowledgeAll(back);
        assertGivenUp();
    }

    @Test
    void a_qos_2_handshake_goes_on_after_a_reconnect() {
        row(1, 2, 0, true);
        row(2, 2, 0, true);
        row(3, 2, 0, true);
        preceded(1);
        TestClient first = connect(1, 2);
        assertThat(first.payloads()).containsExactly("p1", "p2");
        int released = publishes(first).get(0).packetId();
        int sent = publishes(first).get(1).packetId();
        first.ack(PacketType.PUBREC, released);
        node.settle();
        assertThat(first.acks(PacketType.PUBREL)).containsExactly(released);
        first.cut();
        node.settle();
        rows();

        TestClient second = connect(0, 2);
        assertThat(second.acks(PacketType.PUBREL)).containsExactly(released);
        assertThat(second.payloads()).containsExactly("p2");
        assertThat(publishes(second).getFirst().dup()).isTrue();
        assertThat(publishes(second).getFirst().packetId()).isEqualTo(sent);
        second.ack(PacketType.PUBCOMP, released);
        node.settle();
        assertThat(second.payloads()).containsExactly("p2", "p3");
        second.ack(PacketType.PUBREC, sent);
        second.ack(PacketType.PUBCOMP, sent);
        int last = publishes(second).get(1).packetId();
        second.ack(PacketType.PUBREC, last);
        second.ack(PacketType.PUBCOMP, last);
        node.settle();
        assertThat(second.payloads()).containsExactly("p2", "p3", "m1");
        second.ack(PacketType.PUBACK, publishes(second).get(2).packetId());
        node.settle();
        assertGivenUp();
    }

    /** A session of an earlier start with messages of its own in flight, the first of them m0. */
    private Session restoredInFlight(int... packetIds) {
        Session session = offline();
        long own = session.queueId();
        for (int i = 0; i < packetIds.length; i++) {
            Message message =
                    new Message(
                            Topic.of("t"),
                            ("m" + i).getBytes(StandardCharsets.UTF_8),
                            new byte[0],
                            1,
                            false,
                            Message.NEVER,
                            null,
                            1,
                            1);
            store.put(
                    new QueueEntry(own, 1 + i, message, 1, false, new int[0], null),
                    packetIds[i],
                    false);
        }
        node.shards[1].sessions().remove(session);
        session.queue().precededBy(store.depth(BEFORE), List.of());
        session.queue().restore(store.depth(own), 0, List.of());
        node.shards[1].sessions().add(session);
        return session;
    }

    @Test
    void what_it_has_in_flight_gives_way_to_the_same_packet_ids_of_the_later_session() {
        row(1, 2, 5, false).released = true;
        row(2, 2, 6, false);
        row(3, 1, 7, true);
        row(4, 2, 9, false);
        waiting(5, 5);
        restoredInFlight(5, 6, 7);
        store.holdReads();
        TestClient first = connect(1, 0);
        first.cut();
        node.settle();
        store.answerAll();
        TestClient back = connect(0, 0);
        assertThat(back.acks(PacketType.PUBREL)).isEmpty();
        assertThat(back.payloads()).containsExactly("p2", "p3", "p4", "m0", "m1", "m2", "p5");
        List<Integer> ids = publishes(back).stream().map(Packet.Publish::packetId).toList();
        assertThat(ids).doesNotHaveDuplicates();
        assertThat(ids.subList(2, 6)).containsExactly(9, 5, 6, 7);
        assertThat(store.queue(BEFORE).get(ID_BASE + 2).packetId).isEqualTo(ids.get(0));
        for (int i : new int[] {0, 2}) {
            back.ack(PacketType.PUBREC, ids.get(i));
            back.ack(PacketType.PUBCOMP, ids.get(i));
        }
        node.settle();
        acknowledgeAll(back);
        assertGivenUp();
    }

    @Test
    void the_new_packet_ids_are_waited_for_on_the_shard_that_the_session_has_come_to() {
        row(1, 2, 5, false);
        restoredInFlight(5);
        store.holdReads();
        TestClient first = connect(1, 0);
        store.holdCommits();
        store.answerAll();
        node.settle();
        assertThat(first.payloads()).as("its new packet id is not kept").isEmpty();
        TestClient second = connect(0, 0);
        store.confirm();
        node.settle();
        assertThat(first.payloads()).isEmpty();
        assertThat(second.payloads()).containsExactly("p1", "m0");
        int moved = publishes(second).getFirst().packetId();
        assertThat(moved).isNotEqualTo(5);
        second.ack(PacketType.PUBREC, moved);
        second.ack(PacketType.PUBCOMP, moved);
        second.ack(PacketType.PUBACK, 5);
        node.settle();
        assertGivenUp();
    }

    /** What it had in flight stands in the window of the queue that comes after it. */
    @Test
    void after_a_restart_in_the_middle_it_goes_on_where_it_was() {
        row(1, 2, 11, false).released = true;
        row(2, 2, 5, false);
        row(3, 1, 19, true);
        waiting(4, 8);
        restoredInFlight(23);
        assertThat(info().queued()).isEqualTo(5);
        assertThat(info().inFlight()).isEqualTo(4);
        assertThat(node.keptMessages()).isEqualTo(5);

        TestClient back = connect(0, 0);
        assertThat(back.acks(PacketType.PUBREL)).containsExactly(11);
        assertThat(back.payloads()).containsExactly("p2", "p3", "m0", "p4", "p5", "p6", "p7", "p8");
        assertThat(publishes(back).stream().limit(3).map(Packet.Publish::packetId))
                .containsExactly(5, 19, 23);
        assertThat(publishes(back).stream().map(Packet.Publish::packetId))
                .doesNotHaveDuplicates()
                .doesNotContain(11);
        publish(1);
        back.ack(PacketType.PUBCOMP, 11);
        back.ack(PacketType.PUBREC, 5);
        back.ack(PacketType.PUBCOMP, 5);
        node.settle();
        acknowledgeAll(back);
        assertThat(back.payloads().getLast()).isEqualTo("m1");
        assertGivenUp();
    }

    /** Its copies are elsewhere, so that its packet ids are confirmed later. */
    @Test
    void at_qos_2_nothing_overtakes_it_that_other_copies_confirm_earlier() {
        row(1, 2, 0, true);
        store.replicaSets.put(BEFORE, 1);
        Session session = offline();
        store.replicaSets.put(session.queueId(), 2);
        node.shards[1].sessions().remove(session);
        session.queue().precededBy(store.depth(BEFORE), List.of());
        node.shards[1].sessions().add(session);
        store.holdReads();
        TestClient back = node.open(1, ProtocolVersion.MQTT_5);
        back.connect("s", false, 0, 0); // What comes now is not kept, and waits for nothing else.
        node.settle();
        TestClient near = node.client(1, "near");
        store.holdCommits();
        store.answerAll();
        node.settle();
        assertThat(back.payloads()).isEmpty();
        near.publish("t", 2, 1, "m1");
        node.settle();
        assertThat(back.payloads()).isEmpty();
        store.confirm();
        node.settle();
        assertThat(back.payloads()).containsExactly("p1", "m1");
    }

    @Test
    void the_session_s_end_takes_both() {
        waiting(1, 6);
        Session session = preceded(3);
        TestClient back = connect(1, 2);
        back.cut();
        node.settle();
        assertThat(info().inFlight()).isEqualTo(2);
        TestClient other = node.open(0, ProtocolVersion.MQTT_5);
        other.connect("s", true, 0, 0);
        node.settle();
        assertThat(node.count(Metric.DROPPED_SESSION_GONE)).isEqualTo(7);
        assertThat(store.forgotten).containsExactlyInAnyOrder(BEFORE, session.queueId());
        assertThat(node.keptMessages()).isZero();
        assertThat(node.keptBytes()).isZero();
        assertThat(node.queuedMessages()).isZero();
        assertThat(node.queuedBytes()).isZero();
        rows();
        assertThat(store.queue(BEFORE)).isEmpty();
        assertThat(session.queue().isEmpty()).isTrue();
    }

    @Test
    void it_goes_along_to_another_shard() {
        waiting(1, 9);
        preceded(2);
        TestClient first = connect(1, 2);
        first.ack(PacketType.PUBACK, publishes(first).getFirst().packetId());
        node.settle();
        assertThat(first.payloads()).containsExactly("p1", "p2", "p3");
        store.holdReads();
        TestClient second = connect(0, 2);
        publish(1);
        store.answerAll();
        node.settle();
        assertThat(second.payloads()).containsExactly("p2", "p3");
        acknowledgeAll(second);
        assertThat(second.payloads()).isEqualTo(inOrder(9, 3).subList(1, 12));
        assertGivenUp();
    }

    @Test
    void what_was_read_goes_back_with_the_connection() {
        waiting(1, 9);
        preceded(0);
        TestClient first = connect(1, 1);
        assertThat(node.queuedMessages()).isPositive();
        first.cut();
        node.settle();
        assertThat(node.queuedMessages()).isZero();
        assertThat(node.queuedBytes()).isZero();
        assertThat(info().queuedOnDisk()).isEqualTo(8);
        TestClient second = connect(1, 1);
        acknowledgeAll(second);
        assertThat(second.payloads()).isEqualTo(inOrder(9, 0));
        assertGivenUp();
    }

    @Test
    void its_rows_expire() {
        waiting(1, 9);
        preceded(2);
        store.expire(BEFORE, ID_BASE + 2, ID_BASE + 9);
        node.settle();
        assertThat(info().queued()).isEqualTo(9);
        assertThat(info().drops().expired()).isEqualTo(2);
        TestClient back = connect(0, 0);
        acknowledgeAll(back);
        List<String> left = inOrder(9, 2);
        left.removeAll(List.of("p2", "p9"));
        assertThat(back.payloads()).isEqualTo(left);
        assertGivenUp();
    }

    @Test
    void it_is_given_up_when_all_of_it_has_expired() {
        waiting(1, 2);
        preceded(1);
        store.expire(BEFORE, ID_BASE + 1, ID_BASE + 2);
        node.settle();
        rows();
        TestClient back = connect(0, 0);
        assertThat(back.payloads()).isEqualTo(messages(1, 1));
        acknowledgeAll(back);
        assertGivenUp();
    }

    @Test
    void it_counts_for_the_limit_of_the_queue() {
        node(queues(5, QueuePolicy.DISCARD_NEWEST));
        waiting(1, 4);
        preceded(1);
        publish(1);
        assertThat(info().queued()).isEqualTo(5);
        assertThat(info().drops().queueFull()).isEqualTo(1);
        TestClient back = connect(0, 0);
        acknowledgeAll(back);
        assertThat(back.payloads()).isEqualTo(inOrder(4, 1));
        assertGivenUp();
    }

    @Test
    void its_oldest_are_discarded_first() {
        node(queues(5, QueuePolicy.DISCARD_OLDEST));
        waiting(1, 3);
        preceded(2);
        publish(2);
        assertThat(info().queued()).isEqualTo(5);
        assertThat(info().drops().queueFull()).isEqualTo(2);
        assertThat(store.operations)
                .filteredOn(operation -> operation.startsWith("removeRow"))
                .containsExactly("removeRow " + (ID_BASE + 1), "removeRow " + (ID_BASE + 2));
        TestClient back = connect(0, 0);
        acknowledgeAll(back);
        assertThat(back.payloads()).containsExactly("p3", "m1", "m2", "m3", "m4");
        assertGivenUp();
    }

    @Test
    void a_page_of_it_that_cannot_be_read_closes_the_client() {
        waiting(1, 3);
        preceded(1);
        store.holdReads();
        TestClient first = connect(1, 0);
        store.fail();
        node.settle();
        assertThat(first.wire.isClosed()).isTrue();
        store.answerAll();
        TestClient second = connect(1, 0);
        acknowledgeAll(second);
        assertThat(second.payloads()).isEqualTo(inOrder(3, 1));
        assertGivenUp();
    }

    @Test
    void the_age_is_that_of_the_oldest_of_both() {
        waiting(1, 1);
        preceded(1);
        node.time.advance(5_000);
        publish(1);
        assertThat(info().oldestAgeMs()).isEqualTo(5_000);
    }
}
