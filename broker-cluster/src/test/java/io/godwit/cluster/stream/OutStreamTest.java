package io.godwit.cluster.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.membership.MembershipSettings;
import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.shard.LoneShard;
import io.godwit.core.store.MemoryStore;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class OutStreamTest extends OutStreamFixture {
    /** Of each message, for what a link has to give back. */
    private static final int MESSAGE_BYTES = 100;

    /** Bytes of three that leave together behind a first one. */
    private int bytesOfThree(int protocol, boolean passing) {
        Wire wire = up(PEER, false, protocol);
        stream.flush();
        int before = wire.written;
        for (int i = 1; i <= 3; i++) {
            Message message = message("some/topic", 0, i * 10_000 + 20, 20);
            if (passing) {
                pass(message);
            } else {
                add(message);
            }
        }
        stream.flush();
        stream.onDown(wire);
        return wire.written - before;
    }

    @Test
    void what_follows_one_of_the_same_names_leaves_without_them() {
        int whole = 180; // With the names of all three.
        int names = "some/topic".length() + "of some/topic".length();
        int first = bytesOfThree(MembershipSettings.PROTOCOL, false);
        answer(3);
        assertThat(first).isLessThan(whole - 2 * names);
        assertThat(bytesOfThree(MembershipSettings.PROTOCOL, true)).isLessThan(whole - 2 * names);
    }

    @Test
    void an_acknowledgement_waits_for_the_answer_also_out_of_order() {
        up(PEER);
        Receipt first = add("a", 1);
        Receipt second = add("b", 1);
        stream.flush();
        answer(0, 2);
        assertThat(second.isDone()).isTrue();
        assertThat(first.isDone()).isFalse();
        answer(2);
        assertThat(first.isDone()).isTrue();
        assertThat(stream.room().usedBytes()).isZero();
    }

    @Test
    void a_task_waits_for_one_record_and_for_nothing_before_it() {
        up(PEER);
        add("a", 1);
        List<String> told = new ArrayList<>();
        long position = addEnd();
        stream.whenAnsweredAlone(position, () -> told.add("answered"));
        stream.flush();
        assertThat(told).isEmpty();
        answer(0, position);
        assertThat(told).containsExactly("answered");
        stream.whenAnsweredAlone(position, () -> told.add("at once"));
        assertThat(told).containsExactly("answered", "at once");
    }

    @Test
    void a_task_waits_for_one_record_until_the_node_is_away() {
        up(PEER);
        List<String> told = new ArrayList<>();
        stream.whenAnsweredAlone(addEnd(), () -> told.add("away"));
        stream.away();
        assertThat(told).containsExactly("away");
    }

    private long addEnd() {
        return stream.add(new StreamRecord.RedirectedEnd(), null, false, false, false);
    }

    @Test
    void a_refusal_comes_with_its_reason() {
        up(PEER);
        Receipt refused = add("a", 1);
        stream.flush();
        byte[] reasons = {(byte) ReasonCode.QUOTA_EXCEEDED.code()};
        stream.onAnswers(PEER, new Answers(1, 1, new long[] {1}, reasons, NONE, NONE));
        assertThat(refused.reason).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
    }

    private static final TopicFilter FIRST = TopicFilter.of("$share/g/a");
    private static final TopicFilter SECOND = TopicFilter.of("$share/h/a");

    private Receipt addForGroups(int qos, boolean sessions, TopicFilter... groups) {
        Receipt receipt = new Receipt(null, 1, qos);
        receipt.await();
        StreamRecord record =
                new StreamRecord.GroupPublish(message("a", qos, 0, 1), sessions, groups);
        stream.add(record, receipt, false, false, false);
        receipt.routed();
        stream.flush();
        return receipt;
    }

    private void givesBack(TopicFilter... groups) {
        List<Answers.GivenBack> back = new ArrayList<>();
        for (TopicFilter each : groups) {
            back.add(new Answers.GivenBack(1, 5, each));
        }
        stream.onAnswers(PEER, new Answers(1, 0, NONE, new byte[0], NONE, NONE, back));
    }

    @Test
    void a_message_that_a_group_gives_back_goes_to_the_node_that_has_its_queue_once() {
        up(PEER);
        Receipt receipt = addForGroups(2, false, FIRST);
        givesBack(FIRST);
        givesBack(FIRST);
        assertThat(given).containsExactly("a for [$share/g/a] to 5");
        assertThat(receipt.isDone()).as("nobody else at the node is to have it").isTrue();
    }

    @Test
    void a_message_of_qos_1_that_a_group_gives_back_goes_to_any_member() {
        up(PEER);
        addForGroups(1, false, FIRST);
        givesBack(FIRST);
        assertThat(given).containsExactly("a for [$share/g/a]");
    }

    @Test
    void a_message_that_one_group_gives_back_stays_with_the_others_and_sessions() {
        up(PEER);
        Receipt receipt = addForGroups(2, true, FIRST, SECOND);
        givesBack(SECOND);
        assertThat(given).containsExactly("a for [$share/h/a] to 5");
        givesBack(SECOND, FIRST);
        assertThat(given).hasSize(2).last().isEqualTo("a for [$share/g/a] to 5");
        assertThat(receipt.isDone()).as("sessions are to have it").isFalse();
        answer(1);
        assertThat(receipt.isDone()).isTrue();
    }

    @Test
    void new_start_of_a_node_whose_groups_were_taken_over_gets_only_what_came_later() {
        Wire before = up(PEER);
        Receipt first = addForGroups(2, false, FIRST, SECOND);
        Receipt second = addForGroups(2, true, FIRST);
        stream.groupsTaken(5);
        addForGroups(2, false, FIRST);
        stream.onDown(before);
        up(ANEW);
        assertThat(given)
                .containsExactly(
                        "a for [$share/g/a] to 5",
                        "a for [$share/h/a] to 5",
                        "a for [$share/g/a] to 5");
        assertThat(first.isDone()).as("that other node has it").isTrue();
        assertThat(second.isDone()).as("sessions are to have it").isFalse();
    }

    @Test
    void a_message_that_has_gone_elsewhere_is_not_taken_back() {
        Wire wire = up(PEER);
        addForGroups(2, false, FIRST);
        stream.onDown(wire);
        stream.giveGroups(each -> given.add("taken"));
        up(PEER);
        givesBack(FIRST);
        assertThat(given).containsExactly("taken");
    }

    @Test
    void a_new_link_to_the_same_start_gets_what_is_not_answered_by_position_and_unmarked() {
        Wire before = up(PEER);
        add("a", 1);
        add("b", 0);
        add("c", 2);
        stream.flush();
        answer(1);
        stream.onDown(before);
        add("d", 1);
        assertThat(up(PEER).records()).containsExactly("b", "c", "d");
    }

    @Test
    void a_new_start_gets_it_marked_and_what_was_to_come_once_not_at_all() {
        Wire before = up(PEER);
        Receipt once = add("a", 0);
        add("b", 1);
        stream.flush();
        stream.onDown(before);
        add("c", 1);
        assertThat(up(ANEW).records()).containsExactly("b*", "c");
        assertThat(once.isDone()).isTrue();
    }

    @Test
    void answers_of_an_earlier_start_are_nothing_to_the_new_one() {
        Wire before = up(PEER);
        Receipt waits = add("a", 1);
        stream.flush();
        stream.onDown(before);
        up(ANEW);
        answer(1);
        assertThat(waits.isDone()).isFalse();
    }

    @Test
    void what_is_held_keeps_everything_behind_it_from_leaving() {
        Wire wire = up(PEER);
        add("a", 1);
        add("b", 2);
        Runnable release = stream.hold();
        add("c", 1);
        stream.flush();
        assertThat(wire.records()).containsExactly("a");
        release.run();
        stream.flush();
        assertThat(wire.records()).containsExactly("a", "b", "c");
    }

    @Test
    void nobody_waits_in_vain_for_a_node_that_is_away_but_those_who_must() {
        up(PEER);
        Receipt must = add("a", 1);
        Receipt need = new Receipt(null, 1, 1);
        need.await();
        stream.add(new StreamRecord.RetainedEnd(), need, false, true, false);
        need.routed();
        List<String> told = new ArrayList<>();
        stream.whenAnswered(stream.last(), () -> told.add("then"));
        stream.away();
        assertThat(need.isDone()).isTrue();
        assertThat(must.isDone()).isFalse();
        assertThat(told).containsExactly("then");
    }

    @Test
    void without_room_nothing_leaves_until_there_is_some() {
        Wire wire = up(PEER);
        wire.room = false;
        add("a", 1);
        stream.flush();
        assertThat(wire.records()).isEmpty();
        assertThat(stream.room().isLeft()).isFalse();
        List<String> told = new ArrayList<>();
        stream.room().whenLeft(() -> told.add("room"));
        wire.room = true;
        stream.flush();
        stream.room().tell();
        assertThat(wire.records()).containsExactly("a");
        assertThat(told).containsExactly("room");
    }

    @Test
    void stream_begins_when_a_link_has_room_that_had_none_when_it_opened() {
        add("a", 1);
        Wire wire = new Wire(PEER);
        wire.room = false;
        wire.isOverfull = true;
        stream.onUp(wire);
        stream.flush();
        wire.isOverfull = false;
        stream.flush();
        assertThat(wire.sent).isEmpty();

        wire.room = true;
        stream.flush();
        assertThat(wire.sent.getFirst()).isInstanceOf(StreamOpen.class);
        assertThat(wire.records()).containsExactly("a");
    }

    @Test
    void what_is_kept_is_charged_until_it_is_answered() {
        Wire wire = up(PEER);
        add("a", 1);
        add("b", 1);
        stream.flush();
        assertThat(stream.room().usedBytes()).isPositive();
        // A whole chunk, of which little is used, and what two records cost beside it.
        assertThat(charged).isEqualTo((4 << 10) + 2 * 32).isGreaterThan(stream.room().usedBytes());
        stream.onDown(wire);
        stream.away();
        assertThat(charged).isEqualTo((4 << 10) + 2 * 32);
        Wire again = up(PEER);
        stream.onAnswers(PEER, new Arriving().takes(again));
        assertThat(charged).isZero();
    }

    @Test
    void above_what_may_be_kept_it_is_full_whatever_the_link_takes() {
        up(PEER);
        while (stream.room().usedBytes() < 10_000) {
            assertThat(stream.room().isFull()).isFalse();
            add("a", 1);
        }
        assertThat(stream.room().isFull()).isTrue();
        assertThat(stream.room().isLeft()).isFalse();
    }

    @Test
    void who_waits_no_more_is_forgotten() {
        Wire wire = up(PEER);
        wire.room = false;
        List<String> told = new ArrayList<>();
        Runnable task = () -> told.add("room");
        stream.room().whenLeft(task);
        stream.room().forget(task);
        wire.room = true;
        stream.room().tell();
        assertThat(told).isEmpty();
    }

    @Test
    void a_stream_goes_on_behind_what_only_an_earlier_start_was_to_get() {
        Wire before = up(PEER);
        add("a", 1);
        add("b", 0);
        stream.flush();
        stream.onDown(before);
        Arriving at = new Arriving();
        Wire anew = up(ANEW);
        stream.onAnswers(ANEW, at.takes(anew));
        stream.onDown(anew);
        add("c", 1);
        at.takes(up(ANEW));
        assertThat(at.topics).containsExactly("a", "c");
    }

    @Test
    void what_comes_while_there_is_no_room_waits_and_counts_as_not_taken() {
        Wire wire = up(PEER);
        add("a", 1);
        add("b", 1);
        stream.flush();
        Arriving at = new Arriving();
        at.isFull = true;
        at.takes(wire);
        assertThat(at.topics).isEmpty();
        assertThat(wire.taken).isEqualTo(MESSAGE_BYTES);
        at.isFull = false;
        at.shard.timers().advance(1_000);
        assertThat(at.topics).containsExactly("a", "b");
        assertThat(wire.taken).isEqualTo(wire.sent.size() * MESSAGE_BYTES);
    }

    private static BitSet slots(int... some) {
        BitSet slots = new BitSet();
        for (int each : some) {
            slots.set(each);
        }
        return slots;
    }

    private List<String> forSessions(int... slots) {
        List<String> all = new ArrayList<>();
        stream.showForSessions(
                slots(slots),
                each ->
                        all.add(
                                label(each.message())
                                        + (each.isAgain() ? "*" : "")
                                        + (each.isHeld() ? "!" : "")));
        return all;
    }

    private static StreamOpen open(Wire wire) {
        return (StreamOpen) wire.sent.getFirst();
    }

    @Test
    void what_is_not_answered_is_shown_in_order_however_it_is_kept() {
        Wire before = up(PEER);
        add("a", 1);
        add("a", 1);
        add("a", 0);
        add("b", 2);
        pass(message("c", 1, 0, 1));
        stream.flush();
        answer(0, 1);
        stream.onDown(before);
        up(ANEW);
        add("d", 1);
        stream.lastIsForTransient();
        add("e", 2);
        stream.hold();
        stream.add(
                new StreamRecord.PassedOn(message("f", 1, 0, 1), TopicFilter.of("$share/g/f")),
                null,
                false,
                false,
                false);
        assertThat(forSessions(1)).containsExactly("a*", "b*", "c*", "e!");
    }

    @Test
    void what_stands_before_a_record_that_enters_slots_is_not_for_these() {
        up(PEER);
        add("a", 1);
        enter(1, 3);
        add("b", 1);
        stream.add(
                new StreamRecord.Redirected(slots(3), message("c", 1, 0, 1)),
                null,
                false,
                false,
                false);
        assertThat(forSessions(3)).containsExactly("b", "c");
        assertThat(forSessions(4)).containsExactly("a", "b");
        assertThat(forSessions(3, 4)).containsExactly("a", "b", "c");
    }

    @Test
    void nobody_waits_for_what_was_for_sessions_of_a_node_that_leads_nothing() {
        up(PEER);
        Receipt written = add("a", 1);
        Receipt kept = add("b", 2);
        Receipt group = new Receipt(null, 1, 1);
        group.await();
        StreamRecord passed =
                new StreamRecord.PassedOn(message("c", 1, 0, 1), TopicFilter.of("$share/g/c"));
        stream.add(passed, group, false, false, false);
        group.routed();

        stream.settle();

        assertThat(written.isDone()).isTrue();
        assertThat(kept.isDone()).isTrue();
        assertThat(group.isDone()).isFalse();
        assertThat(stream.isAnswered(2)).isTrue();
        assertThat(stream.isAnswered(3)).isFalse();
    }

    @Test
    void a_new_start_is_told_what_is_entered_and_what_a_record_enters() {
        Wire before = up(PEER);
        enter(1, 3);
        add("a", 1);
        enter(2, 4);
        stream.flush();
        answer(1, 3);
        stream.onDown(before);

        Wire wire = up(ANEW);

        assertThat(open(wire).entered()).isEqualTo(slots(3));
        assertThat(open(wire).closed()).as("answered behind one that is not").isEqualTo(slots(4));
        StreamBatch batch = ((StreamBatch) wire.sent.getLast()).copy();
        batch.next();
        assertThat(batch.next()).isEqualTo(new StreamRecord.Enter(0, slots(4)));
    }

    @Test
    void slots_that_another_node_has_taken_over_are_not_entered_any_more() {
        up(PEER);
        enter(1, 3, 4);
        stream.flush();
        answer(1);
        enter(2, 5, 6);
        stream.leave(slots(3, 5));
        assertThat(open(up(ANEW)).entered()).isEqualTo(slots(4));
        assertThat(open(up(PEER)).closed()).isEqualTo(slots(6));
    }

    private void enter(int takeover, int... slots) {
        StreamRecord record = new StreamRecord.Enter(takeover, slots(slots));
        stream.add(record, null, false, false, false);
    }

    /** The other end of the stream. */
    private static final class Arriving {
        final List<String> topics = new ArrayList<>();
        final LoneShard shard = new LoneShard(new MemoryStore());
        boolean isFull;
        private final InStream stream =
                new InStream(
                        PEER,
                        StreamName.ofShard(0),
                        shard,
                        (from, record, again, arrival) -> {
                            topics.add(((StreamRecord.Publish) record).message().topic.toString());
                            return null;
                        },
                        List::of,
                        () -> isFull,
                        target -> false,
                        true,
                        () -> {});

        /** Returns its answers. */
        StreamMessage takes(Wire wire) {
            wire.sent.forEach(message -> stream.on(message, wire, MESSAGE_BYTES));
            return stream.answers();
        }
    }
}
