package io.godwit.cluster.takeover;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.membership.Slots;
import io.godwit.cluster.takeover.TakeoverMessage.RoomWanted;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.packet.ClientId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Node 1 waits for the anchors of its client ids: slots have nodes 2 and 3, or 2 alone. */
class ToldAnchorsTest {
    private static final long TIMEOUT = 2_000;

    private final List<Integer> questions = new ArrayList<>();
    private final List<String> made = new ArrayList<>();
    private boolean areTold = true;
    private final Post post =
            new Post(
                    new NodeStart(1, 1),
                    (to, message) -> {
                        assertThat(message).isInstanceOf(RoomWanted.class);
                        questions.add(to);
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

    @Test
    void both_have_heard_and_one_question_is_for_all_that_wait() {
        make(both, "a");
        make(both, "b");
        make(both, "c");
        assertThat(questions).containsExactly(2, 3);
        told.heard(2);
        assertThat(questions).as("for b and c").containsExactly(2, 3, 2);
        assertThat(made).isEmpty();
        told.heard(3);
        assertThat(made).containsExactly("a");
        told.heard(2);
        told.heard(3);
        assertThat(made).containsExactly("a", "b", "c");
        assertThat(questions).containsExactly(2, 3, 2, 3);
    }

    @Test
    void one_that_has_stopped_holds_nobody_else_and_not_for_ever() {
        told.now(100);
        make(both, "slow");
        make(one, "quick");
        told.heard(2);
        told.heard(2);
        assertThat(made).containsExactly("quick");
        told.now(99 + TIMEOUT);
        told.tick();
        assertThat(made).containsExactly("quick");
        told.now(100 + TIMEOUT);
        told.tick();
        assertThat(made).containsExactly("quick", "slow");
        told.heard(3);
        assertThat(made).hasSize(2);
    }

    @Test
    void a_link_that_comes_or_goes_has_them_ask_anew_once() {
        make(both, "a");
        told.again(3);
        assertThat(questions).containsExactly(2, 3);
        areTold = false;
        told.look();
        assertThat(questions).as("not all slots are told of").containsExactly(2, 3);
        told.heard(2);
        assertThat(made).isEmpty();
        areTold = true;
        told.look();
        assertThat(questions).containsExactly(2, 3, 2, 3);
        told.heard(2);
        told.heard(3);
        assertThat(made).containsExactly("a");
    }

    @Test
    void who_is_not_linked_is_not_waited_for() {
        post.unlinked(new NodeStart(3, 1));
        make(both, "a");
        assertThat(questions).containsExactly(2);
        told.heard(2);
        assertThat(made).containsExactly("a");
    }

    @Test
    void answers_to_others_questions_are_counted() {
        told.send(2, new RoomWanted());
        make(one, "a");
        told.heard(2);
        assertThat(made).as("that was to the first").isEmpty();
        told.heard(2);
        assertThat(made).containsExactly("a");
    }
}
