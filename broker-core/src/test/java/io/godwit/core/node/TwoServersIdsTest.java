package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.queue.QueueEntry;
import io.godwit.core.session.Session;
import io.godwit.core.settings.QueuePolicy;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Two nodes that do not see each other may give one clock: their messages stay two messages. */
class TwoServersIdsTest {
    private static Message message(String payload, int qos) {
        return new Message(
                Topic.of("t"),
                payload.getBytes(StandardCharsets.UTF_8),
                new byte[0],
                qos,
                false,
                Message.NEVER,
                null,
                1,
                1);
    }

    private static List<Packet.Publish> publishes(TestClient client) {
        return client.packets().stream()
                .filter(Packet.Publish.class::isInstance)
                .map(Packet.Publish.class::cast)
                .toList();
    }

    @Nested
    class In_a_session_s_queue extends QueueFixture {
        @SuppressWarnings("NullAway.Init") // each test sets it
        private Session session;

        private void row(int clock, int server, int qos, int packetId) {
            String payload = clock + ":" + server;
            QueueEntry entry =
                    new QueueEntry(
                            session.queueId(),
                            clock,
                            message(payload, qos),
                            qos,
                            false,
                            new int[0],
                            null);
            entry.server = server;
            store.put(entry, packetId, packetId == 0);
        }

        private void restored() {
            node.change(
                    session,
                    queue -> {
                        queue.restore(store.depth(session.queueId()), List.of());
                    });
        }

        /** The ids at the border of the first page have one clock. */
        private void waiting() {
            session = offline();
            for (int clock = 1; clock < PAGE; clock++) {
                row(clock, 1, 1, 0);
            }
            row(PAGE, 1, 1, 0);
            row(PAGE, 2, 1, 0);
            row(PAGE + 1, 1, 1, 0);
            restored();
        }

        @Test
        void both_come_though_one_is_the_last_of_a_page() {
            waiting();
            TestClient back = connect(0, 0);
            acknowledgeAll(back);
            assertThat(back.payloads()).containsExactly("1:1", "2:1", "3:1", "4:1", "4:2", "5:1");
            assertNothingIsLeft();
        }

        @Test
        void what_was_read_goes_back_to_just_below_itself() {
            waiting();
            TestClient first = connect(1, PAGE);
            assertThat(first.payloads()).containsExactly("1:1", "2:1", "3:1", "4:1");
            assertThat(node.queuedMessages()).as("4:2 and 5:1 were read").isEqualTo(2);
            first.cut();
            node.settle();
            TestClient second = connect(0, 0);
            acknowledgeAll(second);
            assertThat(second.payloads()).containsExactly("1:1", "2:1", "3:1", "4:1", "4:2", "5:1");
            assertNothingIsLeft();
        }

        @Test
        void both_come_though_one_in_flight_is_the_last_of_a_page() {
            session = offline();
            for (int clock = 1; clock < PAGE; clock++) {
                row(clock, 1, 1, 10 + clock);
            }
            row(PAGE, 1, 1, 22);
            row(PAGE, 2, 1, 21);
            restored();
            TestClient back = connect(0, 0);
            assertThat(back.payloads())
                    .as("in the order of the whole ids")
                    .containsExactly("1:1", "2:1", "3:1", "4:1", "4:2");
            assertThat(publishes(back)).extracting(Packet.Publish::packetId).endsWith(22, 21);
            acknowledgeAll(back);
            assertNothingIsLeft();
        }

        @Test
        void one_waits_while_the_other_is_in_flight() {
            session = offline();
            row(1, 1, 1, 7);
            row(1, 2, 1, 0);
            restored();
            TestClient back = connect(0, 0);
            assertThat(back.payloads()).containsExactly("1:1", "1:2");
            acknowledgeAll(back);
            assertNothingIsLeft();
        }

        @Test
        void one_expires_and_the_other_does_not() {
            waiting();
            store.expire(session.queueId(), List.of(new HybridId(PAGE, 1)));
            node.settle();
            TestClient back = connect(0, 0);
            acknowledgeAll(back);
            assertThat(back.payloads()).containsExactly("1:1", "2:1", "3:1", "4:2", "5:1");
            assertNothingIsLeft();
        }

        @Test
        void both_are_discarded_unread() {
            node(queues(6, QueuePolicy.DISCARD_OLDEST));
            waiting();
            publish(5);
            assertThat(store.operations)
                    .filteredOn(operation -> operation.startsWith("removeRow"))
                    .containsExactly(
                            "removeRow 1:1",
                            "removeRow 1:2",
                            "removeRow 1:3",
                            "removeRow 1:4",
                            "removeRow 2:4");
            TestClient back = connect(0, 0);
            acknowledgeAll(back);
            assertThat(back.payloads()).containsExactly("5:1", "m1", "m2", "m3", "m4", "m5");
            assertNothingIsLeft();
        }
    }

    @Nested
    class In_a_part_of_a_group {
        private final RestartFixture f = new RestartFixture();

        private TestClient member(int qos) {
            TestClient member = f.durable(0, "m");
            member.subscribe(1, qos, "$share/g/t");
            f.node.settle();
            return member;
        }

        private void publish(int qos) {
            TestClient publisher = f.node.client(0, "p");
            publisher.publish("t", qos, 1, "one");
            f.node.settle();
        }

        /** Another copy of the part has a message of another server with the same clock. */
        private void restartWithOther() {
            Long part = f.state().group(TopicFilter.of("$share/g/t")).getFirst();
            long clock = f.state().rows(part).iterator().next().id.clock();
            f.state().copied(part, new HybridId(clock, 5), message("other", 2));
            f.crash(0);
        }

        @Test
        void both_come_again_below_the_cursor() {
            member(1).cut();
            f.node.settle();
            publish(1);
            restartWithOther();
            for (int connection = 0; connection < 3; connection++) {
                TestClient back = f.durable(connection & 1, "m");
                assertThat(back.payloads()).containsExactly("one", "other");
                back.cut();
                f.node.settle();
            }
            TestClient last = f.durable(0, "m");
            publishes(last).forEach(each -> last.ack(PacketType.PUBACK, each.packetId()));
            f.node.settle();
            assertThat(f.state().rows()).isZero();
        }

        @Test
        void one_that_was_to_be_handed_over_waits_again_beside_the_other() {
            TestClient member = member(2);
            f.store.hold();
            publish(2);
            f.store.end(f.store.outstanding()); // The mark, and not the append at the member.
            f.node.settle();
            assertThat(member.payloads()).isEmpty();
            restartWithOther();
            TestClient back = f.durable(1, "m");
            assertThat(back.payloads()).containsExactly("one", "other");
        }
    }
}
