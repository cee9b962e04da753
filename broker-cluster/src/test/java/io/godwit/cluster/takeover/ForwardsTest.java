package io.godwit.cluster.takeover;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.takeover.Forwarded;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What goes after sessions that were given: how much of it, in which order, and how often. */
class ForwardsTest {
    private static final ClientId ID = ClientId.of("s");

    /** What links have taken: server and number. */
    private final List<String> sent = new ArrayList<>();

    private final List<Long> taken = new ArrayList<>();
    private boolean hasRoom = true;
    private long charged;
    private final ForwardRoom room = new ForwardRoom(change -> charged += change, () -> 1 << 20);
    private final Forwards forwards =
            new Forwards(
                    (server, forward) -> {
                        if (hasRoom) {
                            sent.add(server + ":" + forward.number());
                        }
                        return hasRoom;
                    },
                    room);

    private void send(ClientId clientId, int payloadBytes, int count) {
        for (int i = 0; i < count; i++) {
            long number = 1L + forwards.size() + taken.size();
            Message message =
                    new Message(
                            Topic.of("t"),
                            new byte[payloadBytes],
                            new byte[0],
                            1,
                            false,
                            Message.NEVER,
                            null,
                            1,
                            number);
            Forwarded what = new Forwarded(clientId, message, 1, false, new int[0]);
            forwards.send(2, 7, false, what, null, isTaken -> taken.add(number));
        }
    }

    private static List<String> numbers(int server, long from, long to) {
        return LongStream.rangeClosed(from, to).mapToObj(each -> server + ":" + each).toList();
    }

    @Test
    void no_more_is_under_way_after_a_session_than_its_new_home_keeps() {
        int most = Forwarded.UNANSWERED_MAX;
        send(ID, 0, most + 3);
        assertThat(sent).isEqualTo(numbers(2, 1, most));

        forwards.forwarded(2, true);
        forwards.forwarded(1, true);

        assertThat(sent).isEqualTo(numbers(2, 1, most + 2));
        assertThat(taken).containsExactly(2L, 1L);
    }

    @Test
    void nor_more_bytes_and_another_session_does_not_wait() {
        send(ID, 200 << 10, 3);
        send(ClientId.of("other"), 0, 1);
        assertThat(sent).containsExactly("2:1", "2:2", "2:4");

        forwards.forwarded(1, true);

        assertThat(sent).containsExactly("2:1", "2:2", "2:4", "2:3");
    }

    @Test
    void over_a_new_link_all_of_it_goes_again_in_order() {
        send(ID, 200 << 10, 4);
        forwards.forwarded(1, true);
        sent.clear();

        forwards.linked(2);
        assertThat(sent).containsExactly("2:2", "2:3");
        forwards.forwarded(4, true); // Over the link before.
        forwards.forwarded(2, true);
        forwards.forwarded(3, true);

        assertThat(sent).containsExactly("2:2", "2:3");
        assertThat(forwards.size()).isZero();
    }

    @Test
    void what_its_link_has_no_room_for_goes_when_it_has() {
        hasRoom = false;
        send(ID, 0, 2);
        hasRoom = true;
        send(ClientId.of("other"), 0, 1);
        assertThat(sent).isEmpty();

        forwards.retry();

        assertThat(sent).containsExactly("2:1", "2:2", "2:3");
    }

    @Test
    void it_goes_elsewhere_with_what_was_given_and_a_late_answer_means_nothing() {
        send(ID, 200 << 10, 3);
        sent.clear();

        forwards.elsewhere(ID, 7, 3, 8);
        assertThat(sent).containsExactly("3:4", "3:5");
        forwards.forwarded(1, true);
        assertThat(taken).isEmpty();
        forwards.forwarded(4, true);
        forwards.forwarded(5, true);
        forwards.forwarded(6, true);

        assertThat(taken).containsExactly(1L, 2L, 3L);
        assertThat(forwards.size()).isZero();
    }

    @Test
    void a_former_home_is_told_when_the_last_one_is_answered() {
        List<String> done = new ArrayList<>();
        assertThat(forwards.whenDone(ID, 7, 2, () -> done.add("done"))).isFalse();
        send(ID, 0, 2);
        assertThat(forwards.whenDone(ID, 7, 2, () -> done.add("done"))).isTrue();
        forwards.forwarded(2, true);
        assertThat(done).isEmpty();
        forwards.forwarded(1, true);
        assertThat(done).containsExactly("done");
    }

    /** It has asked for itself, and the session has gone on to another one, which asks as well. */
    @Test
    void whoever_asks_for_the_last_one_is_told() {
        List<String> told = new ArrayList<>();
        send(ID, 0, 1);
        forwards.whenDone(ID, 7, 3, () -> told.add("3"));
        forwards.whenDone(ID, 7, 2, () -> told.add("2"));
        forwards.whenDone(ID, 7, 3, () -> told.add("3 again"));
        forwards.forwarded(1, true);
        assertThat(told).containsExactly("3 again", "2");
    }

    @Test
    void what_waits_is_charged_and_above_what_may_wait_the_session_is_full() {
        send(ID, 200 << 10, 5);
        assertThat(room.of(ID)).isNull();
        send(ID, 200 << 10, 1);
        assertThat(charged).isGreaterThan(1_200 << 10);
        assertThat(room.of(ID)).isEqualTo(2);
        assertThat(room.of(ClientId.of("other"))).isNull();

        forwards.forwarded(1, true);
        assertThat(room.isSome()).isFalse();
        forwards.elsewhere(ID, 7, 3, 8);
        for (long number = 7; number <= 11; number++) {
            forwards.forwarded(number, true);
        }
        assertThat(charged).isZero();
    }

    /** The session was given to node 2, which is forgotten, and is at node 3 by now. */
    @Test
    void what_was_to_follow_to_a_forgotten_node_goes_to_where_the_session_is() {
        send(ID, 0, 2);
        sent.clear();

        forwards.pastForgotten(ID, 7, Set.of(4), 3);
        forwards.pastForgotten(ID, 6, Set.of(2), 3);
        assertThat(sent).as("not forgotten, another grant").isEmpty();

        forwards.pastForgotten(ID, 7, Set.of(2), 3);
        assertThat(sent).containsExactly("3:3", "3:4");
        List<String> done = new ArrayList<>();
        assertThat(forwards.whenDone(ID, 7, 2, () -> done.add("done"))).isTrue();
        forwards.forwarded(1, true); // Of the way that it does not go any more.
        forwards.forwarded(3, true);
        assertThat(done).isEmpty();
        forwards.forwarded(4, true);
        assertThat(taken).containsExactly(1L, 2L);
        assertThat(done).containsExactly("done");
        assertThat(charged).isZero();
    }
}
