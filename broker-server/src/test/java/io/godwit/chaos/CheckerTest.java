package io.godwit.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A checker that never complains proves nothing: each kind of broken promise is planted here. */
class CheckerTest {
    private final Checker checker = new Checker(new History(7));
    private Target session;

    @BeforeEach
    void subscribed() {
        session = checker.target("session", Target.Order.KEPT);
        session.subscribing("t/+", 2);
        session.connectionChanged();
        session.subscribed("t/+");
    }

    private static Mark mark(int qos, int seq) {
        return new Mark(1, "t/a", qos, seq);
    }

    private void sent(int qos, int last) {
        for (int seq = 1; seq <= last; seq++) {
            checker.sent(mark(qos, seq));
        }
    }

    private void gets(int qos, int seq) {
        session.received("session", mark(qos, seq), qos, false, seq);
    }

    private void getsAgain(int qos, int seq) {
        session.received("session", mark(qos, seq), qos, true, seq);
    }

    private void finds(Violation.Kind... kinds) {
        checker.finish();
        assertThat(checker.violations()).extracting(Violation::kind).containsExactly(kinds);
        checker.violations()
                .forEach(each -> assertThat(each.toString()).contains("seed 7", "session", "t/a"));
    }

    @Test
    void all_is_well_when_everything_comes_once_in_order() {
        sent(1, 3);
        sent(2, 3);
        for (int seq = 1; seq <= 3; seq++) {
            checker.acked(mark(1, seq));
            checker.acked(mark(2, seq));
            gets(2, seq);
            gets(1, seq);
        }
        assertThat(checker.missing()).isZero();
        finds();
    }

    @Nested
    class Losses {
        @Test
        void an_acknowledged_message_that_never_comes_is_lost() {
            sent(2, 3);
            checker.acked(mark(2, 1));
            checker.acked(mark(2, 2));
            gets(2, 1);
            gets(2, 3);
            assertThat(checker.missing()).isOne();
            finds(Violation.Kind.LOST);
        }

        @Test
        void what_was_not_acknowledged_may_stay_away() {
            sent(1, 3);
            gets(1, 2);
            finds();
        }

        @Test
        void what_was_sent_before_suback_may_stay_away() {
            Target late = checker.target("late", Target.Order.KEPT);
            late.subscribing("t/a", 1);
            sent(1, 1);
            checker.acked(mark(1, 1));
            late.subscribed("t/a");
            gets(1, 1);
            finds();
        }

        @Test
        void what_waits_when_the_subscription_ends_may_stay_away() {
            sent(1, 2);
            checker.acked(mark(1, 1));
            checker.acked(mark(1, 2));
            gets(1, 1);
            session.unsubscribing("t/+");
            finds();
        }

        /** At node 0, the publisher at node 1, while node 0 and another one are cut off. */
        private Checker subscribedWhileCutOff(int other) {
            Checker several = new Checker(new History(7), 3);
            Target target = several.target("session", Target.Order.KEPT);
            several.leaders.found("session", 0);
            several.leaders.found(Client.name(1), 1);
            target.subscribing("t/early", 1);
            target.subscribed("t/early");
            several.apart.begin(0, other, several.history.nextTick());
            target.subscribing("t/a", 1);
            target.subscribed("t/a");
            return several;
        }

        private void isLost(Checker several, String topic, int seq, boolean is) {
            Mark mark = new Mark(1, topic, 1, seq);
            int before = several.missing();
            several.sent(mark);
            several.acked(mark);
            several.leadersFound();
            assertThat(several.missing() > before).isEqualTo(is);
        }

        @Test
        void what_a_node_that_is_cut_off_does_not_know_of_may_stay_away() {
            Checker several = subscribedWhileCutOff(1);
            isLost(several, "t/a", 1, false);
            assertThat(several.excused(true)).isOne();
            isLost(several, "t/early", 1, true);
            several.apart.end(0, 1);
            isLost(several, "t/a", 2, true);
        }

        @Test
        void what_comes_from_a_node_that_is_heard_is_lost() {
            isLost(subscribedWhileCutOff(2), "t/a", 1, true);
        }

        @Test
        void a_session_that_nobody_has_seen_yet_may_be_at_any_node() {
            Checker several = subscribedWhileCutOff(1);
            Target unseen = several.target("unseen", Target.Order.KEPT);
            unseen.subscribing("t/b", 1);
            unseen.subscribed("t/b");
            isLost(several, "t/b", 1, false);
            several.leaders.found("unseen", 2);
            isLost(several, "t/b", 2, true);
        }

        @Test
        void
                a_session_taken_over_by_the_other_side_of_a_cut_may_miss_what_its_former_leader_sent() {
            Checker several = subscribedWhileCutOff(1);
            several.leaders.lookAgain();
            several.leaders.found("session", 0);
            several.leaders.found(Client.name(1), 0);
            Mark mark = new Mark(1, "t/a", 1, 1);
            several.sent(mark);
            several.acked(mark);
            several.leaders.lookAgain();
            several.leaders.found("session", 0);
            several.leaders.found(Client.name(1), 1);

            several.leadersFound();

            assertThat(several.missing()).isZero();
            assertThat(several.excused(true)).isOne();
        }

        @Test
        void a_session_that_stayed_on_its_publishers_side_of_a_cut_misses_nothing() {
            Checker several = subscribedWhileCutOff(1);
            several.leaders.lookAgain();
            several.leaders.found("session", 2);
            several.leaders.found(Client.name(1), 1);
            several.leaders.lookAgain();
            several.leaders.found("session", 2);
            several.leaders.found(Client.name(1), 1);

            isLost(several, "t/a", 1, true);
        }

        @Test
        void what_waits_to_be_decided_is_given_up_with_the_subscription() {
            Checker several = subscribedWhileCutOff(2);
            Mark mark = new Mark(1, "t/a", 1, 1);
            several.sent(mark);
            several.acked(mark);
            several.target("session", Target.Order.KEPT).unsubscribing("t/a");

            several.leadersFound();

            assertThat(several.missing()).isZero();
            assertThat(several.excused(true)).isZero();
        }

        @Test
        void a_lost_disk_excuses_what_waited_for_groups_and_nothing_of_sessions() {
            Target group = checker.target("group", Target.Order.SHARED);
            group.subscribing("t/a", 2);
            group.subscribed("t/a");
            sent(2, 2);
            checker.acked(mark(2, 1));
            checker.acked(mark(2, 2));
            group.received("one", mark(2, 1), 2, false, 1);
            checker.diskLost();
            checker.sent(mark(2, 3));
            checker.acked(mark(2, 3));

            assertThat(checker.missedWithDisks()).isOne();
            assertThat(checker.missing()).isEqualTo(4);
            group.received("one", mark(2, 3), 2, false, 2);
            finds(Violation.Kind.LOST);
        }

        @Test
        void a_member_of_a_group_is_enough() {
            Target group = checker.target("group", Target.Order.SHARED);
            group.subscribing("t/a", 2);
            group.subscribed("t/a");
            sent(2, 2);
            checker.acked(mark(2, 1));
            checker.acked(mark(2, 2));
            gets(2, 1);
            gets(2, 2);
            group.received("one", mark(2, 2), 2, false, 1);
            group.received("other", mark(2, 1), 2, false, 1);
            finds();
        }
    }

    @Nested
    class TakeOvers {
        private final Checker several = new Checker(new History(7), 3);
        private final Target target = several.target("session", Target.Order.KEPT);

        @BeforeEach
        void subscribed() {
            target.subscribing("t/a", 2);
            target.subscribed("t/a");
            target.connectionChanged();
        }

        private void comesTwice(int qos) {
            target.received("session", mark(qos, 1), qos, false, 1);
            target.received("session", mark(qos, 1), qos, false, 2);
        }

        @Test
        void qos_1_may_come_twice_from_a_node_that_was_taken_over_from_while_it_slept() {
            several.unheard(true);
            several.sent(mark(1, 1));
            comesTwice(1);
            several.heard();
            comesTwice(1);
            assertThat(several.violations()).isEmpty();
        }

        @Test
        void qos_1_must_not_come_twice_when_a_node_slept_too_shortly_for_that() {
            several.unheard(false);
            several.sent(mark(1, 1));
            comesTwice(1);
            several.heard();
            assertThat(several.violations())
                    .extracting(Violation::kind)
                    .containsExactly(Violation.Kind.DOUBLE);
        }

        @Test
        void qos_1_must_not_come_twice_when_it_was_sent_after_the_take_over() {
            several.unheard(true);
            several.heard();
            several.sent(mark(1, 1));
            comesTwice(1);
            assertThat(several.violations())
                    .extracting(Violation::kind)
                    .containsExactly(Violation.Kind.DOUBLE);
        }

        @Test
        void qos_2_must_not_come_twice_whoever_takes_over() {
            several.unheard(true);
            several.sent(mark(2, 1));
            comesTwice(2);
            several.heard();
            assertThat(several.violations())
                    .extracting(Violation::kind)
                    .containsExactly(Violation.Kind.DOUBLE);
        }
    }

    @Nested
    class Doubles {
        @Test
        void twice_at_qos_2_is_one_too_many_even_after_a_kill() {
            sent(2, 1);
            gets(2, 1);
            checker.killed();
            session.connectionChanged();
            getsAgain(2, 1);
            finds(Violation.Kind.DOUBLE);
        }

        @Test
        void twice_for_two_members_of_a_group_at_qos_2() {
            Target group = checker.target("group of the session", Target.Order.SHARED);
            group.subscribing("t/a", 2);
            group.subscribed("t/a");
            sent(2, 1);
            group.received("one", mark(2, 1), 2, false, 1);
            group.connectionChanged();
            group.received("other", mark(2, 1), 2, true, 1);
            finds(Violation.Kind.DOUBLE);
        }

        @Test
        void twice_at_qos_1_on_one_connection() {
            sent(1, 1);
            gets(1, 1);
            getsAgain(1, 1);
            finds(Violation.Kind.DOUBLE);
        }

        @Test
        void without_dup_although_the_broker_lived_on() {
            sent(1, 1);
            gets(1, 1);
            session.connectionChanged();
            gets(1, 1);
            finds(Violation.Kind.DOUBLE);
        }

        @Test
        void with_dup_on_a_new_connection_or_without_after_a_kill_is_right() {
            sent(1, 1);
            gets(1, 1);
            session.connectionChanged();
            getsAgain(1, 1);
            checker.killed();
            session.connectionChanged();
            gets(1, 1);
            finds();
        }

        @Test
        void what_the_publisher_sent_twice_may_come_twice_at_qos_1_only() {
            sent(1, 1);
            sent(1, 1);
            gets(1, 1);
            gets(1, 1);
            finds();
            sent(2, 1);
            sent(2, 1);
            gets(2, 1);
            gets(2, 1);
            finds(Violation.Kind.DOUBLE);
        }

        @Test
        void dup_under_another_packet_id() {
            sent(1, 1);
            gets(1, 1);
            session.connectionChanged();
            session.received("session", mark(1, 1), 1, true, 9);
            finds(Violation.Kind.PACKET_ID);
        }

        @Test
        void dup_under_another_packet_id_at_once_after_a_kill() {
            sent(1, 1);
            session.connectionChanged();
            gets(1, 1);
            checker.killed();
            connectsAgain();
            session.received("session", mark(1, 1), 1, true, 9);
            finds(Violation.Kind.PACKET_ID);
        }

        @Test
        void dup_under_an_id_that_was_new_after_the_kill_is_right() {
            sent(1, 1);
            session.connectionChanged();
            gets(1, 1);
            checker.killed();
            connectsAgain(); // came with id 9, and did not arrive
            connectsAgain();
            session.received("session", mark(1, 1), 1, true, 9);
            finds();
        }

        /** The connection has ended, and another one began. */
        private void connectsAgain() {
            session.connectionChanged();
            session.connectionChanged();
        }
    }

    @Nested
    class Disorder {
        @Test
        void a_new_message_after_a_newer_one() {
            sent(2, 2);
            gets(2, 2);
            session.connectionChanged();
            gets(2, 1);
            finds(Violation.Kind.DISORDER);
        }

        @Test
        void messages_that_come_again_in_another_order() {
            sent(1, 2);
            gets(1, 1);
            gets(1, 2);
            session.connectionChanged();
            getsAgain(1, 2);
            getsAgain(1, 1);
            finds(Violation.Kind.DISORDER);
        }

        @Test
        void older_ones_again_before_new_ones_are_right() {
            sent(1, 4);
            gets(1, 1);
            gets(1, 2);
            session.connectionChanged();
            getsAgain(1, 1);
            getsAgain(1, 2);
            gets(1, 3);
            session.connectionChanged();
            getsAgain(1, 2);
            gets(1, 4);
            finds();
        }

        @ParameterizedTest
        @ValueSource(ints = {1, 2})
        void what_was_sent_again_is_new_to_one_who_subscribed_meanwhile(int qos) {
            Target late = checker.target("late", Target.Order.KEPT);
            sent(qos, 1);
            late.subscribing("t/a", qos);
            late.subscribed("t/a");
            checker.sent(mark(qos, 2));
            late.received("late", mark(qos, 2), qos, false, 1);
            if (qos == 2) {
                checker.killed();
            }
            checker.sent(mark(qos, 1));
            late.received("late", mark(qos, 1), qos, false, 2);
            finds();
        }

        @Test
        void at_qos2_only_when_the_broker_has_died_since() {
            Target late = checker.target("session2", Target.Order.KEPT);
            checker.killed();
            sent(2, 1);
            late.subscribing("t/a", 2);
            late.subscribed("t/a");
            checker.sent(mark(2, 2));
            late.received("session2", mark(2, 2), 2, false, 1);
            checker.sent(mark(2, 1));
            late.received("session2", mark(2, 1), 2, false, 2);
            finds(Violation.Kind.DISORDER);
        }

        @ParameterizedTest
        @ValueSource(ints = {1, 2})
        void what_was_sent_again_is_not_new_to_one_who_was_subscribed(int qos) {
            sent(qos, 2);
            gets(qos, 2);
            session.connectionChanged();
            checker.sent(mark(qos, 1));
            gets(qos, 1);
            finds(Violation.Kind.DISORDER);
        }

        @Test
        void streams_are_independent() {
            sent(1, 2);
            sent(2, 2);
            gets(1, 2);
            gets(2, 1);
            gets(2, 2);
            finds();
        }
    }

    @Nested
    class Wills {
        private final Mark will = new Mark(1, LastWill.TOPICS + "t/a", 1, 1);

        @BeforeEach
        void due() {
            session.subscribing(LastWill.TOPICS + "#", 1);
            session.subscribed(LastWill.TOPICS + "#");
            checker.sent(will);
        }

        private void getsWill() {
            session.received("session", will, 1, false, 1);
        }

        @Test
        void one_that_is_due_must_come() {
            checker.acked(will);
            finds(Violation.Kind.LOST);
        }

        @Test
        void one_of_qos_1_may_come_twice_after_a_kill() {
            getsWill();
            checker.killed();
            getsWill();
            getsWill();
            finds();
        }

        @Test
        void an_older_one_after_a_newer_one_is_told_apart() {
            Mark next = new Mark(1, LastWill.TOPICS + "t/a", 1, 2);
            checker.sent(next);
            session.received("session", next, 1, false, 1);
            session.connectionChanged();
            getsWill();
            finds(Violation.Kind.WILL_DISORDER);
        }

        @Test
        void without_one_it_must_not() {
            getsWill();
            session.connectionChanged();
            getsWill();
            finds(Violation.Kind.DOUBLE);
        }
    }

    @Nested
    class Subscribing {
        @Test
        void what_was_sent_after_unsuback_must_not_come() {
            session.unsubscribing("t/+");
            sent(1, 1);
            gets(1, 1);
            session.unsubscribed("t/+");
            checker.sent(mark(1, 2));
            assertThat(checker.violations()).isEmpty();
            gets(1, 2);
            finds(Violation.Kind.NOT_SUBSCRIBED);
        }

        @Test
        void another_qos_than_the_lower_of_both() {
            sent(2, 1);
            session.received("session", mark(2, 1), 1, false, 1);
            finds(Violation.Kind.PROTOCOL);
        }

        @Test
        void what_nobody_sent() {
            gets(1, 1);
            finds(Violation.Kind.PROTOCOL);
        }
    }
}
