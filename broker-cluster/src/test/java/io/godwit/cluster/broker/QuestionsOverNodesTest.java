package io.godwit.cluster.broker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.question.QuestionFailure;
import io.godwit.cluster.question.Reply;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.packet.ClientId;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Nodes ask each other, and know where clients are. */
class QuestionsOverNodesTest {
    private final LoopNodes nodes = new LoopNodes(3, new SplittableRandom(1));

    private List<String> ask(int at, int server) {
        List<String> end = new ArrayList<>();
        nodes.node(at)
                .part()
                .ask(
                        server,
                        "how are you".getBytes(UTF_8),
                        new Reply() {
                            @Override
                            public void onAnswer(byte[] body) {
                                end.add(new String(body, UTF_8));
                            }

                            @Override
                            public void onFailure(QuestionFailure failure) {
                                end.add(failure.cause() + " " + failure.server());
                            }
                        });
        nodes.settle();
        return end;
    }

    private void answer(int at) {
        nodes.node(at)
                .part()
                .answerer((question, answer) ->
                        answer.answered(
                                (at + " heard: " + new String(question, UTF_8)).getBytes(UTF_8)));
    }

    private @Nullable NodeStart edge(int leader, String clientId) {
        List<@Nullable NodeStart> found = new ArrayList<>();
        nodes.node(leader).part().findEdge(ClientId.of(clientId), found::add);
        nodes.settle();
        assertThat(found).hasSize(1);
        return found.getFirst();
    }

    @Test
    void a_node_answers_another_one_and_does_so_again_when_it_is_back() {
        answer(2);
        answer(3);
        assertThat(ask(1, 2)).containsExactly("2 heard: how are you");
        assertThat(ask(1, 3)).containsExactly("3 heard: how are you");
        nodes.cut(nodes.node(1), nodes.node(2));
        assertThat(ask(1, 2)).containsExactly("AWAY 2");
        assertThat(ask(1, 3)).containsExactly("3 heard: how are you");
        nodes.link(nodes.node(1), nodes.node(2));
        assertThat(ask(1, 2)).containsExactly("2 heard: how are you");
    }

    @Test
    void a_node_that_does_not_answer_fails_the_question_in_time() {
        nodes.node(2).part().answerer((question, answer) -> {});
        List<String> end = ask(1, 2);
        nodes.pass(4_800);
        assertThat(end).isEmpty();
        nodes.pass(400);
        assertThat(end).containsExactly("TIMEOUT 2");
    }

    @Test
    void a_node_that_is_killed_fails_the_questions_that_it_was_asked() {
        nodes.node(2).part().answerer((question, answer) -> {});
        List<String> end = ask(1, 2);
        nodes.node(2).crash();
        nodes.settle();
        assertThat(end).containsExactly("AWAY 2");
    }

    @Test
    void a_leader_knows_at_which_node_a_transient_client_is_connected() {
        String id = nodes.node(1).id("c");
        assertThat(edge(1, id)).isNull();
        nodes.node(2).connectAs(id, true, 0);
        nodes.settle();
        assertThat(edge(1, id)).isEqualTo(nodes.node(2).start());
        nodes.node(3).connectAs(id, false, 1_000);
        nodes.settle();
        assertThat(edge(1, id)).isNull();
    }
}
