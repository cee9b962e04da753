package io.godwit.cluster.takeover;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.membership.Slots;
import io.godwit.cluster.takeover.TakeoverMessage.RoomWanted;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.packet.ClientId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Node 1 waits for the anchors of its client ids: slots have nodes 2 and 3, or 2 alone. */
class ToldAnchorsTest {
    private static final long TIMEOUT = 2_000;

    private final List<Integer> questions = new ArrayList<>();

    /** By server id, the numbers of what it was asked and has not answered, in order. */
    private final Map<Integer, Deque<Long>> open = new HashMap<>();

    private final List<String> made = new ArrayList<>();
    private boolean areTold = true;
    private final Post post =
            new Post(
                    new NodeStart(1, 1),
                    (to, message) -> {
                        questions.add(to);
                        open.computeIfAbsent(to, any -> new ArrayDeque<>())
                                .add(((RoomWanted) message).question());
                    },
                    (from, message) -> {});
    private final ToldAnchors told = new ToldAnchors(1, this::anchor, post, () -> areTold, TIMEOUT);

    private final ClientId both = idOfSlot(0);
    private final ClientId one = idOfSlot(1);

    ToldAnchorsTest() {
        post.linked(new NodeStart(2, 1));
        post.linked(new NodeStart(3, 1));
    }

    private int anchor(int slot, int rank) {
        return rank == 0 ? 2 : slot % 2 == 0 && rank == 1 ? 3 : Anchors.NOBODY;
    }

    private static ClientId idOfSlot(int odd) {
        for (int i = 0; ; i++) {
            ClientId id = ClientId.of("c" + i);
            if (Slots.of(id) % 2 == odd) {
                return id;
            }
        }
    }

    private void make(ClientId id, String name) {
        told.when(id, () -> made.add(name));
    }

    /** It answers the first question that it has not answered. */
    private void answers(int server) {
        told.heard(server, Objects.requireNonNull(open.get(server)).remove());
    }

    @Test
    void both_have_heard_and_one_question_is_for_all_that_wait() {
        make(both, "a");
        make(both, "b");
        make(both, "c");
        assertThat(questions).containsExactly(2, 3);
        answers(2);
        assertThat(questions).as("for b and c").containsExactly(2, 3, 2);
        assertThat(made).isEmpty();
        answers(3);
        assertThat(made).containsExactly("a");
        answers(2);
        answers(3);
        assertThat(made).containsExactly("a", "b", "c");
        assertThat(questions).containsExactly(2, 3, 2, 3);
    }

    @Test
    void one_that_has_stopped_holds_nobody_else_and_not_for_ever() {
        told.now(100);
        make(both, "slow");
        make(one, "quick");
        answers(2);
        answers(2);
        assertThat(made).containsExactly("quick");
        told.now(99 + TIMEOUT);
        told.tick();
        assertThat(made).containsExactly("quick");
        told.now(100 + TIMEOUT);
        told.tick();
        assertThat(made).containsExactly("quick", "slow");
        answers(3);
        assertThat(made).hasSize(2);
    }

    @Test
    void a_link_that_comes_or_goes_has_them_ask_anew_once() {
        make(both, "a");
        Objects.requireNonNull(open.get(3)).clear(); // It is lost with the link.
        told.again(3);
        assertThat(questions).containsExactly(2, 3);
        areTold = false;
        told.look();
        assertThat(questions).as("not all slots are told of").containsExactly(2, 3);
        answers(2);
        assertThat(made).isEmpty();
        areTold = true;
        told.look();
        assertThat(questions).containsExactly(2, 3, 2, 3);
        answers(2);
        answers(3);
        assertThat(made).containsExactly("a");
    }

    @Test
    void who_is_not_linked_is_not_waited_for() {
        post.unlinked(new NodeStart(3, 1));
        make(both, "a");
        assertThat(questions).containsExactly(2);
        answers(2);
        assertThat(made).containsExactly("a");
    }

    @Test
    void what_a_node_that_leaves_has_asked_is_answered_to_that_one() {
        make(one, "a");
        told.heard(2, Drain.QUESTION);
        assertThat(made).isEmpty();
        answers(2);
        assertThat(made).containsExactly("a");
    }

    /** It was told nothing anew then, or has heard it and lost it. */
    @Test
    void what_was_asked_before_a_link_came_again_may_be_answered_after_it() {
        make(one, "a");
        told.again(2);
        told.look();
        assertThat(questions).containsExactly(2, 2);
        answers(2);
        assertThat(made).as("that was to the first").isEmpty();
        answers(2);
        assertThat(made).containsExactly("a");
    }

    @Test
    void a_node_of_an_earlier_version_does_not_say_what_it_answers() {
        make(one, "a");
        told.heard(2, 0);
        assertThat(made).containsExactly("a");
    }
}
