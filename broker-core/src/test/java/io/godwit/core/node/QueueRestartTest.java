package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Topic;
import io.godwit.core.queue.QueueEntry;
import io.godwit.core.session.Session;
import io.godwit.core.settings.QueuePolicy;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** A durable queue that an earlier start has left. */
class QueueRestartTest extends QueueFixture {
    @Nested
    class After_a_restart {
        /** That gave the message ids of the rows. */
        private int server;

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
            entry.server = server;
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
            node.change(
                    session,
                    queue -> {
                        queue.restore(store.depth(session.queueId()), List.of());
                    });
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
            for (QueueEntry entry : session.queue().inFlightEntries()) {
                assertThat(entry.note)
                        .isEqualTo(entry.messageId < 10 ? "note " + entry.messageId : null);
            }
        }

        @Test
        void rows_that_expire_go_under_the_server_id_of_their_message_ids() {
            server = 5;
            Session session = restored();
            store.expire(session.queueId(), List.of(new HybridId(6, 5)));
            node.settle();
            store.expire(session.queueId(), List.of(new HybridId(6, 5)));
            node.settle();
            assertThat(store.operations).contains("removeRow 5:6");
        }

        @Test
        void rows_that_are_discarded_unread_go_under_it_too() {
            node(queues(5, QueuePolicy.DISCARD_OLDEST));
            server = 5;
            restored();
            publisher.publish("t", 1, 1, "m10");
            node.settle();
            assertThat(store.operations)
                    .filteredOn(o -> o.startsWith("removeRow"))
                    .containsExactly("removeRow 5:5");
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
}
