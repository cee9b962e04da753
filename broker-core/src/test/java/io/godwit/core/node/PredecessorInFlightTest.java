package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Topic;
import io.godwit.core.queue.QueueEntry;
import io.godwit.core.session.Session;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * What a frozen predecessor has in flight stands in the window of the queue that comes after it.
 */
class PredecessorInFlightTest extends PredecessorFixture {
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
        node.change(
                session,
                queue -> {
                    queue.precededBy(store.depth(BEFORE), List.of());
                    queue.restore(store.depth(own), List.of());
                });
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
        assertThat(
                        Objects.requireNonNull(
                                        store.queue(BEFORE).get(new HybridId(ID_BASE + 2, 0)))
                                .packetId)
                .isEqualTo(ids.get(0));
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

    /** What the predecessor had in flight stands in the window of the queue that comes after it. */
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

    /** The predecessor has copies elsewhere, so that its packet ids are confirmed later. */
    @Test
    void at_qos_2_nothing_overtakes_it_that_other_copies_confirm_earlier() {
        row(1, 2, 0, true);
        store.copySets.put(BEFORE, 1);
        Session session = offline();
        store.copySets.put(session.queueId(), 2);
        node.change(session, queue -> queue.precededBy(store.depth(BEFORE), List.of()));
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
}
