package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Coverage;
import io.godwit.core.message.Message;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Topic;
import io.godwit.core.queue.Filling;
import io.godwit.core.session.Session;
import io.godwit.core.session.SessionRoomProbe;
import io.godwit.core.store.CopyPage;
import io.godwit.core.store.CopyPage.Status;
import io.godwit.core.store.SessionMoves;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What comes in pages from a former home goes before what is appended here. */
class QueueFillingTest extends QueueFixture {
    private static final int FORMER = 9;
    private static final HybridId MARK = id(100);

    private static HybridId id(long clock) {
        return new HybridId(clock, FORMER);
    }

    private static CopyPage.Entry entry(int number, int qos, Status status, int packetId) {
        boolean isMarker = status == Status.RELEASED;
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
        return new CopyPage.Entry(
                id(number),
                status,
                packetId,
                null,
                qos,
                false,
                new int[0],
                isMarker ? null : message,
                1,
                number);
    }

    private static CopyPage page(
            Session to, HybridId above, int upTo, boolean isLast, CopyPage.Entry... entries) {
        return new CopyPage(
                to.queueId(),
                1,
                above,
                id(upTo),
                new Coverage(),
                List.of(entries),
                List.of(),
                isLast);
    }

    /** An offline session whose queue comes from elsewhere. */
    private Session filling(int inFlightUpTo) {
        Session session = offline();
        node.shards[1].sessions().remove(session);
        SessionRoomProbe.cameFrom(session, FORMER);
        Filling.begin(
                session.queue(),
                null,
                new SessionMoves.Filling(
                        HybridId.NONE, MARK, inFlightUpTo == 0 ? HybridId.NONE : id(inFlightUpTo)));
        node.shards[1].sessions().add(session);
        return session;
    }

    private void idle(Session to, int from, int upTo, boolean isLast) {
        List<CopyPage.Entry> entries = new ArrayList<>();
        for (int number = from; number <= upTo; number++) {
            entries.add(entry(number, 1, Status.IDLE, 0));
        }
        HybridId above = Objects.requireNonNull(to.queue().progress()).upTo();
        onPage(to, page(to, above, upTo, isLast, entries.toArray(CopyPage.Entry[]::new)));
    }

    /** In a turn of its shard. */
    private void onPage(Session to, CopyPage page) {
        node.shards[to.owner()].execute(() -> assertThat(to.queue().onPage(page)).isTrue());
        node.settle();
    }

    private static List<String> inOrder(int arrived, int own) {
        List<String> all = new ArrayList<>();
        for (int i = 1; i <= arrived; i++) {
            all.add("p" + i);
        }
        all.addAll(messages(1, own));
        return all;
    }

    @Test
    void live_messages_wait_behind_the_last_page() {
        Session session = filling(0);
        publish(2);
        TestClient back = connect(1, 0);
        assertThat(back.payloads()).isEmpty();
        idle(session, 1, 3, false);
        assertThat(back.payloads()).isEqualTo(inOrder(3, 0));
        publish(1);
        idle(session, 4, 5, true);
        acknowledgeAll(back);
        assertThat(back.payloads()).isEqualTo(inOrder(5, 3));
        publish(1);
        acknowledgeAll(back);
        assertThat(back.payloads()).isEqualTo(inOrder(5, 4));
        assertThat(session.queue().progress()).isNull();
        assertNothingIsLeft();
    }

    @Test
    void what_was_in_flight_goes_first_with_its_packet_ids() {
        Session session = filling(3);
        TestClient back = connect(1, 0);
        onPage(
                session,
                page(
                        session,
                        HybridId.NONE,
                        2,
                        false,
                        entry(1, 2, Status.RELEASED, 7),
                        entry(2, 2, Status.IN_FLIGHT, 8)));
        assertThat(back.packets()).noneMatch(Packet.Publish.class::isInstance);
        onPage(
                session,
                page(
                        session,
                        id(2),
                        5,
                        true,
                        entry(3, 1, Status.IN_FLIGHT, 9),
                        entry(4, 2, Status.IDLE, 0)));
        node.settle();
        List<String> came =
                back.packets().stream()
                        .filter(p -> !(p instanceof Packet.ConnAck))
                        .map(QueueFillingTest::text)
                        .toList();
        assertThat(came).containsExactly("p2 8 dup", "p3 9 dup", "PUBREL 7", "p4 10");
        back.ack(PacketType.PUBCOMP, 7);
        back.ack(PacketType.PUBREC, 8);
        back.ack(PacketType.PUBACK, 9);
        back.ack(PacketType.PUBREC, 10);
        node.settle();
        back.ack(PacketType.PUBCOMP, 8);
        back.ack(PacketType.PUBCOMP, 10);
        node.settle();
        assertNothingIsLeft();
    }

    private static String text(Packet packet) {
        return switch (packet) {
            case Packet.Publish publish ->
                    new String(publish.payload(), StandardCharsets.UTF_8)
                            + " "
                            + publish.packetId()
                            + (publish.dup() ? " dup" : "");
            case Packet.Ack ack -> ack.type() + " " + ack.packetId();
            default -> packet.getClass().getSimpleName();
        };
    }

    @Test
    void pages_that_nobody_takes_leave_memory_when_they_are_rows() {
        Session session = filling(0);
        publish(3);
        idle(session, 1, 6, false);
        assertThat(node.queuedMessages()).isEqualTo(9);
        rows();
        assertThat(node.queuedMessages()).isZero();
        assertThat(node.keptMessages()).isEqualTo(9);
        TestClient back = connect(1, 0);
        assertThat(back.payloads()).isEqualTo(inOrder(6, 0));
        idle(session, 7, 9, true);
        acknowledgeAll(back);
        assertThat(back.payloads()).isEqualTo(inOrder(9, 3));
        assertNothingIsLeft();
    }

    /** Its entries say that they are rows when the store begins to write them. */
    @Test
    void what_a_page_has_brought_stays_in_memory_until_the_store_has_told_of_it() {
        Session session = filling(0);
        publish(1);
        rows();
        idle(session, 1, 3, false);
        store.beginRows();
        TestClient first = connect(1, 1);
        first.cut();
        node.settle();
        TestClient back = connect(1, 0);
        rows();
        idle(session, 4, 5, true);
        acknowledgeAll(back);
        assertThat(back.payloads()).isEqualTo(inOrder(5, 1));
        assertNothingIsLeft();
    }

    @Test
    void its_rows_of_both_parts_expire() {
        Session session = filling(0);
        publish(2);
        idle(session, 1, 6, true);
        rows();
        store.expire(session.queueId(), List.of(id(2), id(6)));
        node.settle();
        assertThat(info().queued()).isEqualTo(6);
        TestClient back = connect(1, 0);
        acknowledgeAll(back);
        List<String> left = inOrder(6, 2);
        left.removeAll(List.of("p2", "p6"));
        assertThat(back.payloads()).isEqualTo(left);
        assertNothingIsLeft();
    }

    @Test
    void it_goes_along_to_another_shard() {
        Session session = filling(0);
        publish(1);
        idle(session, 1, 2, false);
        TestClient back = connect(0, 0);
        assertThat(back.payloads()).isEqualTo(inOrder(2, 0));
        idle(session, 3, 4, true);
        acknowledgeAll(back);
        assertThat(back.payloads()).isEqualTo(inOrder(4, 1));
        assertNothingIsLeft();
    }

    @Test
    void the_session_s_end_takes_all_that_has_come() {
        Session session = filling(0);
        publish(1);
        idle(session, 1, 4, false);
        TestClient other = node.open(0, ProtocolVersion.MQTT_5);
        other.connect("s", true, 0, 0);
        node.settle();
        // Till then a former home could be taken for the session.
        assertThat(store.forgotten).isEmpty();
        node.shards[session.owner()].execute(
                () -> session.life().formerHomeDropped(new SessionMoves.Home(FORMER, 1)));
        node.settle();
        assertThat(store.forgotten).containsExactly(session.queueId());
        assertThat(node.queuedMessages()).isZero();
        assertThat(node.keptMessages()).isZero();
        assertThat(session.queue().onPage(page(session, id(4), 5, true))).isFalse();
    }
}
