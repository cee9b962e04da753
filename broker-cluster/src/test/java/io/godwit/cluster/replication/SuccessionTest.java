package io.godwit.cluster.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.cluster.transport.LinkState;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.Outgoing;
import io.godwit.cluster.transport.TestLink;
import io.godwit.core.store.CopySets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Checks when a follower takes over from a leader that is away. */
class SuccessionTest {
    private static final int SELF = 2;
    private static final int LEADER = 7;
    private static final int THIRD = 3;
    private static final int SET = 1;
    private static final int SLOT = 8;

    /** Of the same copy set. */
    private static final int OTHER_SLOT = 16;

    private static final class Link extends TestLink {
        final int server;
        final List<Outgoing> sent = new ArrayList<>();
        LinkState state = LinkState.UP;

        Link(int server) {
            this.server = server;
        }

        @Override
        public NodeStart peer() {
            return new NodeStart(server, 1);
        }

        @Override
        public LinkState state() {
            return state;
        }

        @Override
        public boolean offer(Outgoing message) {
            return sent.add(message);
        }

        long question() {
            return ((CopyMessages.AskAbout) sent.getLast()).question();
        }
    }

    private final BitSet led = new BitSet();

    /** Copy sets for which the third node counts, as it answers. */
    private BitSet fresh = set(SET);

    private final List<String> done = new ArrayList<>();
    private final Link leader = new Link(LEADER);
    private final Link third = new Link(THIRD);
    private boolean knowsTables = true;
    private Runnable whenShown = () -> {};
    private Runnable whenTaken = () -> {};
    private long nowMs;
    private SimulatedRecordsFile file;
    private CopyRecords records;
    private Succession succession;

    @BeforeEach
    void this_node_is_whole_and_all_are_live() {
        begin(CopyRules.ALL, this::learnOfLeader);
    }

    /**
     * @param learn has this node learn the leader's record
     */
    private void begin(CopyRules rules, Runnable learn) {
        file = new SimulatedRecordsFile(new SplittableRandom(1), () -> 0);
        records = new CopyRecords(SELF, file, rules);
        succession =
                new Succession(
                        SELF,
                        new SuccessionTimes(6_000),
                        rules,
                        records,
                        () -> knowsTables,
                        new Succession.OwnSets() {
                            @Override
                            public void demote(BitSet copySets, Runnable then) {
                                done.add("demote " + copySets);
                                whenShown = then;
                            }

                            @Override
                            public void refill(BitSet copySets) {
                                if (!copySets.isEmpty()) {
                                    done.add("refill " + copySets);
                                }
                            }
                        },
                        (from, copySets) -> {
                            done.add("take " + copySets + " of " + from);
                            whenTaken.run();
                        });
        records.attach(Runnable::run);
        led.set(SLOT);
        records.claims().attach(server -> server == LEADER ? (BitSet) led.clone() : new BitSet());
        learn.run();
        succession.onUp(leader);
        succession.onUp(third);
        pass(2_000);
    }

    private void learnOfLeader() {
        show(record(1, SELF));
    }

    private static BitSet set(int copySet) {
        BitSet one = new BitSet();
        one.set(copySet);
        return one;
    }

    /** The leader shows a record by a link. */
    private void show(CopyRecord record) {
        records.onShow(leader, record.change(), new BitSet(), List.of(record));
        file.finish();
        leader.sent.clear();
    }

    /** This node and the third one are two of three members; the leader is away, and runs. */
    private void countThree() {
        records.quorum().members(Set.of(SELF, THIRD, LEADER));
        records.quorum().onUp(third);
        lose(leader);
    }

    /** A node is not heard any more: its link is silent, and ends later. */
    private void lose(Link lost) {
        lost.state = LinkState.SILENT;
        succession.tick(nowMs);
        lost.state = LinkState.DOWN;
        succession.onDown(lost);
    }

    private static CopyRecord record(long change, Integer... whole) {
        return new CopyRecord(LEADER, SET, 1, change, Arrays.asList(whole), List.of());
    }

    private void know(long change, Integer... whole) {
        records.learn(LEADER, List.of(record(change, whole)), () -> {});
        file.finish();
    }

    private void pass(long ms) {
        for (long gone = 0; gone < ms; gone += 100) {
            nowMs += 100;
            succession.tick(nowMs);
        }
    }

    private void answer(boolean hears, CopyRecord... known) {
        succession.onAbout(
                third,
                new CopyMessages.About(third.question(), hears, fresh, Arrays.asList(known)));
        file.finish();
    }

    /** The third node accepts what this one proposes, once that is on the disk here. */
    private void accept() {
        file.finish();
        CopyMessages.AskAbout asked = (CopyMessages.AskAbout) third.sent.getLast();
        assertThat(asked.proposed()).isNotEmpty();
        succession.onAbout(
                third, new CopyMessages.About(asked.question(), false, fresh, asked.proposed()));
        file.finish();
    }

    @Test
    void follower_takes_over_when_another_node_does_not_hear_the_leader_either() {
        leader.state = LinkState.SILENT;
        pass(900);
        assertThat(third.sent).isEmpty();
        pass(200);
        assertThat(third.sent).hasSize(1);
        answer(false, record(1, SELF));
        accept();
        assertThat(done).containsExactly("demote {1}");
        whenShown.run();
        assertThat(done).containsExactly("demote {1}", "take {1} of 7");
        pass(5_000);
        assertThat(done).as("once").hasSize(2);
    }

    /** Others do not count it any more if it ends within the next seconds. */
    @Test
    void leader_whose_connection_was_closed_has_the_whole_time_to_come_back() {
        leader.state = LinkState.DOWN;
        succession.onDown(leader);
        pass(5_800);
        assertThat(third.sent).isEmpty();
        pass(400);
        assertThat(third.sent).hasSize(1);
    }

    @Test
    void nothing_happens_while_one_live_node_has_not_answered() {
        lose(leader);
        pass(20_000);
        file.finish();
        assertThat(third.sent).hasSize(1);
        assertThat(done).isEmpty();
        third.state = LinkState.SILENT;
        pass(100);
        file.finish();
        pass(100);
        assertThat(done).as("nobody else is live, for longer than the time-out").hasSize(1);
    }

    @Test
    void node_that_hears_the_leader_stops_it_and_is_asked_again() {
        lose(leader);
        pass(1_000);
        answer(true, record(1, SELF));
        assertThat(done).isEmpty();
        pass(1_000);
        assertThat(third.sent).hasSize(2);
        answer(false, record(1, SELF));
        accept();
        assertThat(done).containsExactly("demote {1}");
    }

    @Test
    void answer_to_an_earlier_question_does_not_count() {
        lose(leader);
        pass(1_000);
        long first = third.question();
        answer(true);
        pass(1_000);
        succession.onAbout(third, new CopyMessages.About(first, false, fresh, List.of()));
        assertThat(done).isEmpty();
    }

    @Test
    void higher_record_of_another_node_decides_and_is_on_the_disk_first() {
        lose(leader);
        pass(1_000);
        succession.onAbout(
                third,
                new CopyMessages.About(third.question(), false, fresh, List.of(record(2, SELF))));
        assertThat(third.sent).hasSize(1);
        file.finish();
        assertThat(file.records()).containsExactly(record(2, SELF));
        accept();
        assertThat(done).containsExactly("demote {1}");
        assertThat(file.records()).containsExactly(record(2, SELF).taken(SELF));
    }

    @Test
    void node_that_the_highest_record_does_not_call_whole_takes_nothing_over() {
        lose(leader);
        pass(1_000);
        answer(false, record(2, THIRD));
        assertThat(done).isEmpty();
    }

    @Test
    void first_live_node_of_the_order_takes_over() {
        know(2, SELF, THIRD);
        boolean isFirst = CopyOrder.order(LEADER, SET, Set.of(SELF, THIRD)).getFirst() == SELF;
        lose(leader);
        pass(1_000);
        answer(false, record(2, SELF, THIRD));
        assertThat(file.isDue()).isEqualTo(isFirst);
        third.state = LinkState.SILENT;
        file.finish();
        pass(8_000);
        file.finish();
        pass(100);
        assertThat(done).containsExactly("demote {1}");
    }

    @Test
    void node_that_is_alone_waits_for_the_time_out() {
        succession.onDown(third);
        lose(leader);
        pass(5_900);
        assertThat(file.isDue()).isFalse();
        pass(100);
        file.finish();
        assertThat(done).containsExactly("demote {1}");
    }

    @Test
    void leader_that_is_heard_while_this_node_is_demoted_stays_and_the_sets_are_refilled() {
        leader.state = LinkState.SILENT;
        pass(1_000);
        answer(false, record(1, SELF));
        accept();
        leader.state = LinkState.UP;
        whenShown.run();
        assertThat(done).containsExactly("demote {1}", "refill {1}");
    }

    @Test
    void node_that_was_paused_asks_anew() {
        lose(leader);
        pass(1_000);
        answer(false, record(1, SELF));
        accept();
        nowMs += 3_000;
        succession.tick(nowMs);
        whenShown.run();
        assertThat(done).containsExactly("demote {1}");
        assertThat(third.sent).hasSize(3);
        answer(false, record(1, SELF));
        accept();
        assertThat(done).containsExactly("demote {1}", "take {1} of 7");
    }

    @Test
    void pause_of_this_node_counts_little_for_the_leader() {
        lose(leader);
        nowMs += 60_000;
        succession.tick(nowMs);
        assertThat(third.sent).isEmpty();
    }

    @Test
    void member_that_comes_meanwhile_is_asked_too() {
        lose(leader);
        pass(1_000);
        Link fourth = new Link(4);
        succession.onUp(fourth);
        answer(false, record(1, SELF));
        assertThat(file.isDue()).isFalse();
        succession.onAbout(
                fourth, new CopyMessages.About(fourth.question(), false, fresh, List.of()));
        accept();
        assertThat(done).isEmpty();
        CopyMessages.AskAbout asked = (CopyMessages.AskAbout) fourth.sent.getLast();
        succession.onAbout(
                fourth, new CopyMessages.About(asked.question(), false, fresh, asked.proposed()));
        assertThat(done).containsExactly("demote {1}");
    }

    @Test
    void leader_without_slots_is_left_alone() {
        led.clear();
        lose(leader);
        pass(20_000);
        assertThat(third.sent).isEmpty();
    }

    @Test
    void node_that_does_not_know_all_tables_waits() {
        knowsTables = false;
        lose(leader);
        pass(20_000);
        assertThat(third.sent).isEmpty();
        knowsTables = true;
        pass(100);
        assertThat(third.sent).hasSize(1);
    }

    @Test
    void slots_that_were_taken_over_end_it_and_those_led_again_begin_it_anew() {
        lose(leader);
        pass(1_000);
        answer(false, record(1, SELF));
        accept();
        whenShown.run();
        led.clear();
        pass(2_000);
        assertThat(succession.state(LEADER)).isEqualTo("FOLLOWING");
        assertThat(done).as("the new leader ends the demotion itself").hasSize(2);
        led.set(SLOT);
        pass(100);
        assertThat(third.sent).hasSize(3);
    }

    @Test
    void node_takes_nothing_over_without_more_than_half_of_the_members() {
        records.quorum().members(Set.of(SELF, THIRD, LEADER, 4, 5));
        lose(leader);
        pass(1_000);
        answer(false, record(1, SELF));
        pass(20_000);
        file.finish();
        assertThat(done).isEmpty();
        assertThat(records.of(LEADER)).containsExactly(record(1, SELF));
    }

    /** The leader may know that it had ended, and have given this node up without it. */
    @Test
    void member_that_has_not_heard_the_leader_since_its_start_does_not_count() {
        countThree();
        fresh.clear();
        pass(1_000);
        answer(false, record(1, SELF));
        assertThat(done).isEmpty();
        assertThat(records.of(LEADER)).as("nothing is proposed").containsExactly(record(1, SELF));
        fresh.set(SET);
        pass(1_000);
        answer(false, record(1, SELF));
        accept();
        assertThat(done).containsExactly("demote {1}");
    }

    @Test
    void node_that_has_not_heard_the_leader_since_its_start_does_not_count_itself() {
        startAgain();
        countThree();
        pass(1_000);
        answer(false, record(1, SELF));
        assertThat(done).isEmpty();
        show(record(1, SELF));
        pass(1_000);
        answer(false, record(1, SELF));
        accept();
        assertThat(done).containsExactly("demote {1}");
    }

    /** The others are more than half of those that count, and know what the leader decided. */
    @Test
    void node_that_has_just_started_takes_over_with_a_majority_of_others() {
        startAgain();
        countThree();
        Link fourth = new Link(4);
        Link fifth = new Link(5);
        records.quorum().members(Set.of(SELF, THIRD, LEADER, 4, 5));
        for (Link each : List.of(fourth, fifth)) {
            records.quorum().onUp(each);
            succession.onUp(each);
        }
        pass(1_000);
        for (Link each : List.of(fourth, fifth, third)) {
            answerTo(each, false, record(1, SELF));
        }
        CopyRecord taken = record(1, SELF).taken(SELF);
        for (Link each : List.of(fourth, fifth, third)) {
            answerTo(each, false, taken);
        }
        assertThat(done).containsExactly("demote {1}");
    }

    /** It runs alone, as the leader may do that knew of its end. */
    @Test
    void member_that_has_just_started_does_not_stop_a_take_over_from_a_leader_that_has_ended() {
        records.quorum().members(Set.of(SELF, THIRD, LEADER));
        records.quorum().attach(server -> server == LEADER);
        records.quorum().onUp(third);
        records.quorum().onUp(leader);
        records.quorum().tick(0);
        records.quorum().tick(900);
        records.quorum().tick(1_000);
        records.quorum().onDown(leader);
        records.quorum().tick(1_100);
        lose(leader);
        fresh.clear();
        pass(1_000);
        answer(false, record(1, SELF));
        accept();
        assertThat(done).containsExactly("demote {1}");
    }

    /** Begins anew, so that it does not know what the leader has decided. */
    @Test
    void record_that_is_refused_for_a_take_over_does_not_make_this_node_count() {
        startAgain();
        CopyRecord taken = record(2, THIRD).taken(THIRD);
        leader.state = LinkState.SILENT;
        succession.onAsk(third, new CopyMessages.AskAbout(9, LEADER, List.of(taken)));
        file.finish();
        leader.state = LinkState.UP;
        show(record(8));
        assertThat(records.fresh(LEADER)).isEqualTo(new BitSet());
        succession.onAbout(
                third, new CopyMessages.About(0, false, new BitSet(), List.of(taken.withdrawn())));
        show(record(8));
        assertThat(records.fresh(LEADER)).isEqualTo(set(SET));
    }

    /** It decides nothing any more, and whoever has its sessions knows them from the disk. */
    @Test
    void forgotten_leader_is_taken_over_from_by_nodes_that_have_not_heard_it() {
        startAgain();
        countThree();
        fresh.clear();
        pass(1_000);
        answer(false, record(1, SELF));
        assertThat(done).isEmpty();
        records.forgotten(Set.of(LEADER));
        succession.forgotten(Set.of(LEADER));
        records.quorum().members(Set.of(SELF, THIRD));
        pass(1_000);
        answer(false, record(1, SELF));
        accept();
        assertThat(done).containsExactly("demote {1}");
        assertThat(succession.isLost(LEADER, SET)).as("it is here").isFalse();
    }

    @Test
    void sessions_of_a_forgotten_leader_are_lost_when_no_member_has_a_whole_copy() {
        begin(CopyRules.ALL, () -> {});
        countThree();
        records.forgotten(Set.of(LEADER));
        succession.forgotten(Set.of(LEADER));
        records.quorum().members(Set.of(SELF, THIRD, 4));
        pass(1_000);
        assertThat(succession.isLost(LEADER, SET)).as("the third has not answered").isFalse();
        answer(false, record(1, 4));
        assertThat(succession.isLost(LEADER, SET)).as("node 4 may come back").isFalse();
        assertThat(succession.isLost(LEADER, SET + 1)).isTrue();
        records.quorum().members(Set.of(SELF, THIRD));
        pass(1_000);
        answer(false, record(1, 4));
        assertThat(succession.isLost(LEADER, SET)).isTrue();
        assertThat(done).isEmpty();
        succession.forgotten(Set.of());
        assertThat(succession.isLost(LEADER, SET)).isFalse();
    }

    @Test
    void copy_sets_of_a_leader_that_too_few_have_heard_are_known_to_wait_until_it_is_forgotten() {
        startAgain();
        countThree();
        fresh.clear();
        pass(1_000);
        answer(false, record(1, SELF));
        assertThat(succession.unheard()).as("it may start soon").isEmpty();
        pass(6_000);
        answer(false, record(1, SELF));
        assertThat(succession.unheard()).isEqualTo(Map.of(LEADER, set(SET)));
        pass(1_000);
        assertThat(succession.unheard()).as("asked again").isEqualTo(Map.of(LEADER, set(SET)));
        records.forgotten(Set.of(LEADER));
        succession.forgotten(Set.of(LEADER));
        records.quorum().members(Set.of(SELF, THIRD));
        answer(false, record(1, SELF));
        assertThat(succession.unheard()).isEmpty();
        accept();
        assertThat(done).containsExactly("demote {1}");
    }

    @Test
    void node_without_copies_knows_too_that_copy_sets_of_others_wait() {
        begin(CopyRules.ALL, () -> know(1, THIRD));
        countThree();
        pass(7_000);
        answer(false, record(1, THIRD));
        assertThat(succession.unheard()).isEqualTo(Map.of(LEADER, set(SET)));
        leader.state = LinkState.UP;
        succession.onUp(leader);
        pass(100);
        assertThat(succession.unheard()).as("it is back").isEmpty();
    }

    @Test
    void copy_sets_do_not_wait_for_their_leader_where_another_node_hears_it_or_takes_them_over() {
        startAgain();
        countThree();
        pass(7_000);
        answer(false, record(1, SELF));
        assertThat(succession.unheard()).isNotEmpty();
        pass(1_000);
        answer(true, record(1, SELF));
        assertThat(succession.unheard()).as("heard").isEmpty();
        pass(1_000);
        answer(false, record(2, THIRD).taken(THIRD));
        assertThat(succession.unheard()).as("taken over").isEmpty();
    }

    @Test
    void copy_sets_without_a_live_copy_or_enough_live_nodes_do_not_wait_for_their_leader_alone() {
        startAgain();
        countThree();
        pass(7_000);
        answer(false, record(2, 4));
        assertThat(succession.unheard()).as("nobody here could take it over").isEmpty();
        records.quorum().members(Set.of(SELF, THIRD, LEADER, 4, 5));
        pass(1_000);
        answer(false, record(3, SELF));
        assertThat(succession.unheard()).as("too few are here").isEmpty();
    }

    @Test
    void copy_sets_of_which_no_other_member_has_a_whole_copy_are_lost_with_their_leader() {
        begin(CopyRules.ALL, () -> know(1, THIRD));
        countThree();
        assertThat(succession.lostWith(LEADER)).as("the third has one").isEqualTo(new BitSet());
        records.quorum().members(Set.of(SELF, LEADER));
        assertThat(succession.lostWith(LEADER)).as("it is forgotten").isEqualTo(set(SET));
        led.clear();
        assertThat(succession.lostWith(LEADER)).as("others lead all").isEqualTo(new BitSet());
    }

    /** This node knows its records from its disk alone. */
    private void startAgain() {
        begin(CopyRules.ALL, () -> know(1, SELF));
    }

    @Test
    void records_are_withdrawn_when_a_member_refuses_them() {
        lose(leader);
        pass(1_000);
        answer(false, record(1, SELF));
        assertThat(records.of(LEADER)).containsExactly(record(1, SELF).taken(SELF));
        answer(false, record(1, SELF));
        assertThat(done).isEmpty();
        assertThat(records.of(LEADER)).containsExactly(record(3, SELF));
    }

    @Test
    void member_that_has_accepted_refuses_what_the_leader_shows_until_the_follower_withdraws() {
        led.clear();
        CopyRecord taken = record(2, THIRD).taken(THIRD);
        leader.state = LinkState.SILENT;
        succession.onAsk(third, new CopyMessages.AskAbout(9, LEADER, List.of(taken)));
        file.finish();
        assertThat(third.sent.getLast())
                .isEqualTo(new CopyMessages.About(9, false, set(SET), List.of(taken)));
        leader.state = LinkState.UP;
        CopyRecord later = record(8, THIRD);
        records.onShow(leader, 8, new BitSet(), List.of(later));
        assertThat(leader.sent.getFirst())
                .isEqualTo(new CopyMessages.ShowRefused(8, List.of(taken)));
        assertThat(third.sent.getLast()).isEqualTo(new CopyMessages.AskAbout(0, LEADER, List.of()));
        CopyRecord withdrawn = taken.withdrawn();
        records.learn(4, List.of(withdrawn), () -> {});
        assertThat(records.of(LEADER)).as("another one says so").containsExactly(taken);
        succession.onAbout(
                third, new CopyMessages.About(0, false, new BitSet(), List.of(withdrawn)));
        records.onShow(leader, 8, new BitSet(), List.of(later));
        assertThat(records.of(LEADER)).containsExactly(later);
    }

    @Test
    void member_that_has_accepted_accepts_nothing_of_the_leader() {
        led.clear();
        CopyRecord taken = record(2, THIRD).taken(THIRD);
        leader.state = LinkState.SILENT;
        succession.onAsk(third, new CopyMessages.AskAbout(9, LEADER, List.of(taken)));
        file.finish();
        leader.state = LinkState.UP;
        records.onShow(leader, 8, new BitSet(), List.of(record(8)));
        assertThat(records.of(LEADER))
                .as("the leader can't do without the one that takes over")
                .containsExactly(taken);
    }

    @Test
    void member_that_hears_the_leader_accepts_nothing() {
        CopyRecord taken = record(2, THIRD).taken(THIRD);
        succession.onAsk(third, new CopyMessages.AskAbout(9, LEADER, List.of(taken)));
        file.finish();
        assertThat(third.sent.getLast())
                .isEqualTo(new CopyMessages.About(9, true, set(SET), List.of(record(1, SELF))));
    }

    @Test
    void node_answers_whether_it_hears_the_leader_and_what_it_knows() {
        succession.onAsk(third, new CopyMessages.AskAbout(5, LEADER, List.of()));
        leader.state = LinkState.SILENT;
        succession.onAsk(third, new CopyMessages.AskAbout(6, LEADER, List.of()));
        succession.onAsk(third, new CopyMessages.AskAbout(7, SELF, List.of()));
        assertThat(third.sent)
                .containsExactly(
                        new CopyMessages.About(5, true, set(SET), List.of(record(1, SELF))),
                        new CopyMessages.About(6, false, set(SET), List.of(record(1, SELF))),
                        new CopyMessages.About(7, true, new BitSet(), List.of()));
    }

    @ParameterizedTest
    @EnumSource(names = {"ASK_ALL", "REFUSE_WHILE_HEARD", "TAKEN_IS_FINAL"})
    void each_rule_is_needed(CopyRule rule) {
        begin(CopyRules.without(rule), this::learnOfLeader);
        ThrowingCallable test =
                switch (rule) {
                    case ASK_ALL -> this::nothing_happens_while_one_live_node_has_not_answered;
                    case REFUSE_WHILE_HEARD -> this::member_that_hears_the_leader_accepts_nothing;
                    default -> this::member_that_has_accepted_accepts_nothing_of_the_leader;
                };
        assertThatThrownBy(test).isInstanceOf(AssertionError.class);
    }

    /** Its table gives it slots without sessions at once, in the same copy set. */
    @Test
    void take_over_is_complete_though_the_former_leader_is_given_other_slots() {
        whenTaken = led::clear;
        leader.state = LinkState.SILENT;
        pass(1_100);
        answer(false, record(1, SELF));
        accept();
        whenShown.run();
        led.set(OTHER_SLOT);
        pass(1_000);
        CopyRecord taken = record(1, SELF).taken(SELF);
        assertThat(records.of(LEADER)).as("not withdrawn").containsExactly(taken);

        leader.state = LinkState.UP;
        records.onShow(leader, 8, led, List.of(record(3, THIRD)));
        assertThat(records.of(LEADER)).containsExactly(record(3, THIRD));
    }

    /** It dies before it makes a record: whatever it acknowledged of them is here. */
    @Test
    void slots_that_a_former_leader_is_given_are_taken_over_when_it_is_gone_again() {
        whenTaken = led::clear;
        leader.state = LinkState.SILENT;
        pass(1_100);
        answer(false, record(1, SELF));
        accept();
        whenShown.run();
        done.clear();
        led.set(OTHER_SLOT);
        pass(1_000);
        CopyRecord taken = record(1, SELF).taken(SELF);
        answer(false, taken.released());
        assertThat(records.of(LEADER)).containsExactly(taken.released().taken(SELF));
        accept();
        whenShown.run();
        assertThat(done).containsExactly("demote {1}", "take {1} of 7");
    }

    /** Nobody else knows that the first take-over is complete. */
    @Test
    void second_take_over_that_is_refused_leaves_nobody_whole_but_this_node() {
        whenTaken = led::clear;
        leader.state = LinkState.SILENT;
        pass(1_100);
        know(2, SELF, 4);
        answer(false, record(2, SELF, 4));
        accept();
        whenShown.run();
        led.set(OTHER_SLOT);
        pass(1_000);
        CopyRecord taken = record(2, SELF, 4).taken(SELF);
        answer(false, taken);
        file.finish();
        answer(true, taken);
        assertThat(records.of(LEADER))
                .as("node 4 lacks what is here")
                .containsExactly(taken.released().taken(SELF).withdrawn());
    }

    /** It had made its next record before it heard of the take-over. */
    @Test
    void record_with_the_version_of_a_take_over_that_has_ended_is_refused() {
        whenTaken = led::clear;
        leader.state = LinkState.SILENT;
        pass(1_100);
        answer(false, record(1, SELF));
        accept();
        whenShown.run();
        leader.state = LinkState.UP;
        leader.sent.clear();
        records.onShow(leader, 2, led, List.of(record(2, THIRD)));
        CopyRecord released = record(1, SELF).taken(SELF).released();
        assertThat(leader.sent.getFirst())
                .isEqualTo(new CopyMessages.ShowRefused(2, List.of(released)));
        assertThat(records.of(LEADER)).containsExactly(released);
        records.onShow(leader, 3, led, List.of(record(3, THIRD)));
        assertThat(records.of(LEADER)).containsExactly(record(3, THIRD));
    }

    private CopyRecord takeGroups() {
        led.clear();
        CopyRecord groups = new CopyRecord(LEADER, CopySets.GROUPS, 1, 1, List.of(SELF), List.of());
        show(groups);
        fresh.set(CopySets.GROUPS);
        lose(leader);
        pass(1_000);
        answer(false, groups);
        accept();
        whenShown.run();
        assertThat(done).as("it is not on the disk").containsExactly("demote {9}");
        file.finish();
        return groups.taken(SELF).decided();
    }

    private static CopyRecord later(CopyRecord.Version givenUp) {
        return new CopyRecord(
                LEADER, CopySets.GROUPS, 2, 1, List.of(), List.of(), CopyRecord.NOBODY, givenUp);
    }

    @Test
    void queues_of_groups_are_taken_over_for_good_though_their_leader_has_no_slots() {
        CopyRecord decided = takeGroups();
        assertThat(done).containsExactly("demote {9}", "take {9} of 7");
        pass(5_000);
        assertThat(records.ofGroups(LEADER)).isEqualTo(decided);
        assertThat(succession.state(LEADER)).isEqualTo("FOLLOWING");
        assertThat(records.groupsToAdopt()).containsExactly(LEADER);
        records.forgotten(Set.of(SELF));
        assertThat(records.ofGroups(LEADER)).as("it is final").isEqualTo(decided);
    }

    @Test
    void leader_counts_again_when_it_has_given_up_its_groups_and_their_taker_has_them() {
        CopyRecord decided = takeGroups();
        records.onShow(leader, 5, new BitSet(), List.of(later(CopyRecord.Version.NONE)));
        assertThat(leader.sent.getFirst())
                .isEqualTo(new CopyMessages.ShowRefused(5, List.of(decided)));
        CopyRecord given = later(decided.version());
        records.onShow(leader, 6, new BitSet(), List.of(given));
        assertThat(records.ofGroups(LEADER)).as("they are not adopted").isEqualTo(decided);
        records.adopted(LEADER);
        records.onShow(leader, 7, new BitSet(), List.of(given));
        assertThat(records.ofGroups(LEADER)).isEqualTo(given);
    }

    @Test
    void other_nodes_learn_that_a_take_over_of_groups_is_final() {
        CopyRecord taken =
                new CopyRecord(LEADER, CopySets.GROUPS, 1, 1, List.of(THIRD), List.of())
                        .taken(THIRD);
        leader.state = LinkState.SILENT;
        succession.onAsk(third, new CopyMessages.AskAbout(9, LEADER, List.of(taken)));
        records.onGroupsTaken(LEADER, SELF);
        assertThat(records.ofGroups(LEADER)).as("by another node").isEqualTo(taken);
        records.onGroupsTaken(LEADER, THIRD);
        records.learn(THIRD, List.of(taken.withdrawn()), () -> {});
        pass(2_000);
        assertThat(records.ofGroups(LEADER)).isEqualTo(taken.decided());
    }

    /** The leader shows that it gives its copy set to this node. */
    private CopyRecord give() {
        CopyRecord given = record(1, SELF).taken(SELF);
        records.onShow(leader, 2, new BitSet(), List.of(given));
        file.finish();
        third.sent.clear();
        leader.sent.clear();
        pass(100);
        return given;
    }

    private void answerTo(Link from, boolean hears, CopyRecord known) {
        succession.onAbout(
                from, new CopyMessages.About(from.question(), hears, fresh, List.of(known)));
        file.finish();
    }

    @Test
    void follower_takes_over_at_once_what_the_leader_gives() {
        CopyRecord given = give();
        assertThat(((CopyMessages.AskAbout) leader.sent.getLast()).proposed())
                .containsExactly(given);
        answerTo(third, true, given);
        assertThat(done).as("the leader has not said so").isEmpty();
        answerTo(leader, true, given);
        assertThat(done).containsExactly("demote {1}");
        whenShown.run();
        assertThat(done).containsExactly("demote {1}", "take {1} of 7");
    }

    @Test
    void member_that_has_not_heard_of_the_gift_is_asked_again() {
        CopyRecord given = give();
        answerTo(leader, true, given);
        answerTo(third, true, record(1, SELF));
        assertThat(done).isEmpty();
        assertThat(third.sent).hasSize(1);
        pass(100);
        assertThat(third.sent).hasSize(2);
        answerTo(third, true, given);
        assertThat(done).containsExactly("demote {1}");
    }

    @Test
    void follower_withdraws_when_the_leader_does_not_give_any_more() {
        CopyRecord given = give();
        answerTo(third, true, given);
        answerTo(leader, true, record(1, SELF));
        assertThat(done).isEmpty();
        assertThat(records.of(LEADER)).containsExactly(given.withdrawn());
        pass(5_000);
        assertThat(done).isEmpty();
    }

    @Test
    void follower_withdraws_when_some_member_does_not_hear_of_the_gift_in_time() {
        CopyRecord given = give();
        answerTo(leader, true, given);
        for (int i = 0; i < 120; i++) {
            answerTo(third, true, record(1, SELF));
            pass(100);
        }
        assertThat(records.of(LEADER)).containsExactly(given.withdrawn());
        answerTo(third, true, given);
        assertThat(done).isEmpty();
    }

    @Test
    void leader_that_is_lost_while_it_gives_is_taken_over_from_as_ever() {
        CopyRecord given = give();
        answerTo(leader, true, given);
        leader.state = LinkState.SILENT;
        pass(100);
        file.finish();
        assertThat(records.of(LEADER)).containsExactly(given.withdrawn());
        pass(1_100);
        answer(false, given);
        accept();
        assertThat(done).containsExactly("demote {1}");
    }

    @Test
    void giver_asks_the_follower_whether_it_has_withdrawn() {
        CopyRecord own =
                new CopyRecord(
                        SELF, SET, 1, 4, List.of(THIRD), List.of(), THIRD, CopyRecord.Version.NONE);
        records.put(List.of(own), () -> {});
        file.finish();
        records.claims().attach(server -> server == SELF ? (BitSet) led.clone() : new BitSet());
        pass(100);
        assertThat(third.sent).last().isEqualTo(new CopyMessages.AskAbout(0, SELF, List.of()));
        records.put(List.of(new CopyRecord(SELF, SET, 1, 5, List.of(), List.of())), () -> {});
        assertThat(records.of(SELF)).as("it makes none itself").containsExactly(own);
        succession.onAbout(
                leader, new CopyMessages.About(0, false, new BitSet(), List.of(own.withdrawn())));
        assertThat(records.of(SELF)).as("another one says so").containsExactly(own);
        succession.onAbout(
                third, new CopyMessages.About(0, false, new BitSet(), List.of(own.withdrawn())));
        assertThat(records.of(SELF)).containsExactly(own.withdrawn());
    }

    @Test
    void gift_is_over_when_its_slots_are_led_elsewhere() {
        CopyRecord own =
                new CopyRecord(
                        SELF, SET, 1, 4, List.of(THIRD), List.of(), THIRD, CopyRecord.Version.NONE);
        records.put(List.of(own), () -> {});
        pass(100);
        assertThat(records.of(SELF)).containsExactly(own.released());
    }

    @Test
    void slots_that_the_leader_gets_after_its_gift_are_not_taken() {
        CopyRecord given = give();
        answerTo(third, true, given);
        answerTo(leader, true, given);
        whenShown.run();
        led.clear();
        succession.onLeaders();
        led.set(SLOT + 8);
        pass(20_000);
        assertThat(done).containsExactly("demote {1}", "take {1} of 7");
        assertThat(records.of(LEADER)).containsExactly(given);
        CopyRecord next = record(9, SELF);
        records.onShow(leader, 9, new BitSet(), List.of(next));
        assertThat(records.of(LEADER)).containsExactly(next);
    }

    @Test
    void gift_is_over_when_all_slots_were_led_elsewhere_one_after_the_other() {
        BitSet own = new BitSet();
        own.set(8);
        own.set(16);
        records.claims().attach(server -> server == SELF ? (BitSet) own.clone() : new BitSet());
        CopyRecord given =
                new CopyRecord(
                        SELF, SET, 1, 4, List.of(THIRD), List.of(), THIRD, CopyRecord.Version.NONE);
        records.put(List.of(given), () -> {});
        succession.onLeaders();
        own.clear(8);
        succession.onLeaders();
        own.set(8);
        own.set(24);
        succession.onLeaders();
        assertThat(records.of(SELF)).containsExactly(given);
        own.clear(16);
        succession.onLeaders();
        assertThat(records.of(SELF)).containsExactly(given.released());
    }
}
