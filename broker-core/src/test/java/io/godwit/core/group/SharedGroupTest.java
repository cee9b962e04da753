package io.godwit.core.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.queue.PartEntry;
import io.godwit.core.routing.TestMessage;
import io.godwit.core.routing.TestSession;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Members come, go, and acknowledge. */
class SharedGroupTest extends GroupOfThree {
    @Nested
    class Given_three_members_online {
        Given_three_members_online() {
            join(a, 2, 2);
            join(b, 2, 2);
            join(c, 2, 2);
        }

        @Test
        void round_robin_goes_around_and_passes_those_without_credit() {
            for (String p : List.of("1", "2", "3", "4", "5")) {
                publish(p, 1);
            }
            acked(b, entryOf("2"));
            assertThat(sent()).containsExactly("c1=1", "c2=2", "c3=3", "c1=4", "c2=5");

            publish("6", 1);
            publish("7", 1);
            publish("8", 1);
            assertThat(sent()).containsExactly("c3=6", "c2=7");
            assertThat(group.waitingMessages()).isEqualTo(1);
        }

        @Test
        void an_acknowledgement_pulls_the_message_that_waits_longest() {
            for (int i = 1; i <= 8; i++) {
                publish("" + i, 1);
            }
            long third = entryOf("3");
            assertThat(sent()).hasSize(6);
            acked(c, third);
            assertThat(sent()).containsExactly("c3=7");
            acked(c, third); // once more
            assertThat(sent()).isEmpty();
            assertThat(group.waitingMessages()).isEqualTo(1);
            assertThat(group.inFlight()).isEqualTo(6);
        }

        @Test
        void when_the_queue_is_full_then_the_newest_is_discarded_and_counted() {
            for (int i = 1; i <= 9; i++) {
                assertThat(publish("" + i, 1)).isTrue();
            }
            assertThat(publish("10", 2)).isFalse();

            assertThat(discarded).isEqualTo(Map.of(Metric.DROPPED_GROUP_FULL, List.of("10")));
            assertThat(group.waitingMessages()).isEqualTo(3);
            Message m = TestMessage.of("t/1", "1", 1, Message.NEVER, null);
            assertThat(group.waitingBytes()).isEqualTo(3L * (64 + m.accountedBytes()));
        }

        @Test
        void when_the_queue_is_full_of_expired_ones_then_these_go_first() {
            for (int i = 1; i <= 6; i++) {
                publish("" + i, 1);
            }
            publish("t/1", "7", 1, NOW + 1, null);
            publish("t/1", "8", 1, NOW + 5, null);
            publish("t/1", "9", 1, Message.NEVER, null);
            Message ten = TestMessage.of("t/1", "10", 1, Message.NEVER, null);

            nowMs = NOW + 2;
            assertThat(group.publish(ten, null, NOW + 2)).isTrue();
            assertThat(discarded).isEqualTo(Map.of(Metric.DROPPED_EXPIRED, List.of("7")));
            nowMs = NOW + 4;
            group.expire();
            assertThat(group.waitingMessages()).isEqualTo(3);
            nowMs = NOW + 5;
            group.expire();
            assertThat(group.waitingMessages()).isEqualTo(2);
        }

        @Test
        void an_expired_message_that_waited_is_not_sent() {
            for (int i = 1; i <= 6; i++) {
                publish("" + i, 1);
            }
            publish("t/1", "7", 1, NOW + 1, null);
            publish("8", 1);
            long first = entryOf("1");
            sent();
            nowMs = NOW + 1;
            group.acked(a, entry(first), NOW + 1);

            assertThat(sent()).containsExactly("c1=8");
            assertThat(discarded).isEqualTo(Map.of(Metric.DROPPED_EXPIRED, List.of("7")));
        }

        @Test
        void qos_0_needs_no_credit_and_no_acknowledgement() {
            for (int i = 1; i <= 6; i++) {
                publish("" + i, 1);
            }
            sent();
            publish("zero", 0);
            assertThat(entryOf("zero")).isEqualTo(0);
            assertThat(sent()).containsExactly("c1=zero");
            assertThat(group.inFlight()).isEqualTo(6);
        }

        @Test
        void what_was_sent_as_qos_1_to_a_lost_member_goes_to_others_in_order() {
            for (int i = 1; i <= 8; i++) {
                publish("" + i, 1);
            }
            long two = entryOf("2");
            long three = entryOf("3");
            sent();
            group.offline(a, NOW); // had 1 and 4
            assertThat(sent()).isEmpty();
            assertThat(group.waitingMessages()).isEqualTo(4);
            acked(b, two);
            acked(c, three);
            assertThat(sent()).containsExactly("c2=1", "c3=4");
            group.online(a, 2, 7, Integer.MAX_VALUE, NOW);
            assertThat(delivered).extracting(Delivery::attachment).containsOnly(7);
            assertThat(sent()).containsExactly("c1=7", "c1=8");
        }

        @Test
        void when_a_session_is_gone_at_once_then_its_qos_1_messages_go_to_others() {
            publish("1", 1);
            sent();
            group.gone(a, NOW);
            assertThat(sent()).containsExactly("c2=1");
            assertThat(discarded).isEmpty();
        }

        @Test
        void who_unsubscribes_gets_no_more_but_completes_what_is_in_flight() {
            publish("1", 1);
            long one = entryOf("1");
            group.leave(a, NOW);
            for (int i = 2; i <= 6; i++) {
                publish("" + i, 1);
            }
            assertThat(sent()).containsExactly("c1=1", "c2=2", "c3=3", "c2=4", "c3=5");
            assertThat(group.inFlight()).isEqualTo(5);
            acked(a, one);
            assertThat(group.inFlight()).isEqualTo(4);
            assertThat(sent()).isEmpty();
            assertThat(group.members()).isEqualTo(2);
        }

        @Test
        void when_one_that_left_loses_its_connection_then_the_others_get_its_messages() {
            publish("1", 1);
            group.leave(a, NOW);
            sent();
            group.offline(a, NOW);
            assertThat(sent()).containsExactly("c2=1");
        }

        @Test
        void who_left_and_subscribes_again_is_a_member_again() {
            publish("1", 1);
            group.leave(a, NOW);
            sent();
            group.join(a.to("$share/g/t/#", 1), true, 1, 1, Integer.MAX_VALUE, NOW);
            publish("2", 1);
            publish("3", 1);
            publish("4", 1);
            assertThat(sent()).contains("c1=4");
            assertThat(group.members()).isEqualTo(3);
        }

        @Test
        void who_subscribes_again_does_not_get_again_what_is_in_flight() {
            publish("1", 1);
            assertThat(sent()).containsExactly("c1=1");
            group.join(a.to("$share/g/t/#", 1), false, 0, 0, Integer.MAX_VALUE, NOW);
            group.online(a, 2, 1, Integer.MAX_VALUE, NOW);
            assertThat(sent()).isEmpty();
            group.leave(a, NOW);
            group.join(a.to("$share/g/t/#", 1), false, 0, 0, Integer.MAX_VALUE, NOW);
            group.online(a, 2, 1, Integer.MAX_VALUE, NOW);
            assertThat(sent()).isEmpty();
            for (int i = 2; i <= 8; i++) {
                publish("" + i, 1);
            }
            assertThat(sent()).filteredOn(each -> each.startsWith("c1=")).hasSize(1);
        }

        @Test
        void when_all_have_left_then_the_group_is_empty_and_what_waited_is_counted() {
            for (int i = 1; i <= 8; i++) {
                publish("" + i, 1);
            }
            group.leave(a, NOW);
            group.leave(b, NOW);
            assertThat(group.isEmpty()).isFalse();
            group.leave(c, NOW);
            assertThat(group.isEmpty()).isTrue();
            assertThat(group.waitingMessages()).isZero();
            assertThat(group.inFlight()).isZero();
            assertThat(discarded).isEqualTo(Map.of(Metric.DROPPED_SESSION_GONE, List.of("7", "8")));
        }

        @Test
        void when_the_last_session_is_gone_then_what_it_had_is_counted() {
            group.leave(b, NOW);
            group.leave(c, NOW);
            publish("1", 1);
            publish("2", 2);
            publish("3", 1);
            group.gone(a, NOW);
            assertThat(group.isEmpty()).isTrue();
            assertThat(group.isOver()).isFalse();
            group.notAppended(handedOver(entryOf("2")), NOW);
            assertThat(group.isOver()).isTrue();
            assertThat(discarded.get(Metric.DROPPED_SESSION_GONE))
                    .containsExactlyInAnyOrder("1", "2", "3");
        }

        @Test
        void an_expired_message_is_not_taken() {
            assertThat(publish("t/1", "1", 1, NOW, null)).isFalse();
            assertThat(discarded).isEqualTo(Map.of(Metric.DROPPED_EXPIRED, List.of("1")));
        }
    }

    @Nested
    class Given_transient_members_online {
        private final TestSession d = new TestSession("d", 4, false);
        private final TestSession e = new TestSession("e", 5, false);

        Given_transient_members_online() {
            join(d, 2, 2);
            join(e, 2, 2);
        }

        @Test
        void what_was_sent_as_qos_2_ends_with_the_session_of_its_member() {
            publish("1", 2);
            mark(group, d, entry(entryOf("1")), 1);
            assertThat(sent()).containsExactly("d=1");
            group.offline(d, NOW);
            assertThat(sent()).isEmpty();
            assertThat(group.inFlight()).isEqualTo(1);
            group.gone(d, NOW);
            assertThat(sent()).isEmpty();
            assertThat(discarded).isEqualTo(Map.of(Metric.DROPPED_SESSION_GONE, List.of("1")));
            assertThat(group.members()).isEqualTo(1);
        }

        @Test
        void what_was_on_its_way_at_qos_2_to_a_lost_member_goes_to_others() {
            publish("1", 2);
            sent();
            group.offline(d, NOW);
            assertThat(sent()).containsExactly("e=1");
        }

        @Test
        void a_message_that_a_member_could_not_send_goes_to_another_as_qos_2_too() {
            publish("1", 2);
            PartEntry one = entry(entryOf("1"));
            mark(group, d, one, 1);
            group.offline(d, NOW);
            sent();
            group.ends(d, one, false, NOW);
            assertThat(sent()).containsExactly("e=1");
            group.ends(d, one, false, NOW);
            assertThat(sent()).isEmpty();
        }
    }

    @Nested
    class Given_members_of_different_qos {
        @Test
        void each_gets_the_lower_of_both() {
            join(a, 0, 1);
            join(b, 1, 9);
            join(c, 2, 9);
            for (int i = 0; i < 3; i++) {
                publish("x", 2);
            }
            for (int i = 0; i < 3; i++) {
                publish("x", 1);
            }
            assertThat(delivered).extracting(Delivery::qos).containsExactly(0, 1, 2, 0, 1, 1);
            assertThat(group.inFlight()).isEqualTo(4);
            assertThat(delivered.getFirst().entryId()).isEqualTo(0);
        }

        @Test
        void what_was_sent_as_qos_1_of_a_qos_2_message_goes_to_another_when_lost() {
            join(a, 1, 1);
            publish("x", 2);
            join(b, 2, 1);
            sent();
            group.offline(a, NOW);
            assertThat(delivered).extracting(Delivery::qos).containsExactly(2);
        }
    }
}
