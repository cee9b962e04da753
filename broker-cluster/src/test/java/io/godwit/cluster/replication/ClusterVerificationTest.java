package io.godwit.cluster.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.replication.LeaderVerdict.Difference;
import io.godwit.cluster.replication.LeaderVerdict.FollowerVerdict;
import io.godwit.cluster.transport.LinkState;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.Outgoing;
import io.godwit.cluster.transport.TestLink;
import io.godwit.core.operation.ByteReader;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** One node asks all leaders of a cluster for their comparisons. */
class ClusterVerificationTest {
    private static final int SELF = 2;
    private static final LeaderVerdict EQUAL =
            new LeaderVerdict(2, 0, List.of(new FollowerVerdict(9, 8, 120, 0, List.of(), "")), "");
    private static final LeaderVerdict DIFFERING =
            new LeaderVerdict(
                    3,
                    1,
                    List.of(
                            new FollowerVerdict(7, 8, 120, 2, List.of(new Difference(5, 2, 1)), ""),
                            FollowerVerdict.notCompared(8, "its link broke")),
                    "");

    /** A link to another node, which answers when it is told to. */
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
            return ((VerifyMessages.Verify) sent.getLast()).question();
        }
    }

    private final List<Consumer<LeaderVerdict>> here = new ArrayList<>();
    private final List<Long> limits = new ArrayList<>();
    private final ClusterVerification verification =
            new ClusterVerification(
                    SELF,
                    (limitMs, then) -> {
                        limits.add(limitMs);
                        here.add(then);
                    });
    private final Link first = new Link(1);
    private final Link third = new Link(3);
    private @Nullable ClusterVerdict verdict;

    ClusterVerificationTest() {
        verification.onUp(first);
        verification.onUp(third);
    }

    private void verify() {
        verification.verify(List.of(1, 3), 1_000, found -> verdict = found);
    }

    @Test
    void leaders_are_asked_one_after_the_other() {
        verify();
        assertThat(first.sent).hasSize(1);
        assertThat(here).isEmpty();
        verification.onVerified(first, first.question(), EQUAL);
        assertThat(here).hasSize(1);
        assertThat(third.sent).isEmpty();
        here.getFirst().accept(DIFFERING);
        verification.onVerified(third, third.question(), EQUAL);
        assertThat(verdict).isNotNull();
        assertThat(verdict.unanswered()).isEmpty();
        assertThat(verdict.leaders())
                .containsEntry(1, EQUAL)
                .containsEntry(2, DIFFERING)
                .containsEntry(3, EQUAL);
        assertThat(verification.isAsking()).isFalse();
    }

    @Test
    void nodes_that_do_not_answer_are_named_with_the_reason() {
        third.state = LinkState.DOWN;
        verify();
        verification.onDown(first);
        here.getFirst().accept(EQUAL);
        assertThat(verdict).isNotNull();
        assertThat(verdict.unanswered())
                .containsEntry(1, "its link broke")
                .containsEntry(3, "it is out of reach");
    }

    @Test
    void node_that_is_silent_leaves_time_for_the_others() {
        verify();
        long question = first.question();
        verification.tick(50_000);
        assertThat(here).isEmpty();
        verification.tick(57_000);
        assertThat(here).hasSize(1);
        assertThat(limits.getFirst()).isPositive();
        verification.onVerified(first, question, EQUAL);
        assertThat(here).as("it is too late").hasSize(1);
        verification.tick(59_000);
        verification.tick(61_000);
        assertThat(verdict).isNotNull();
        assertThat(verdict.leaders()).isEmpty();
        assertThat(verdict.unanswered()).hasSize(3);
    }

    @Test
    void second_operator_is_told_that_somebody_else_asks() {
        verify();
        List<ClusterVerdict> second = new ArrayList<>();
        verification.verify(List.of(1, 3), 2_000, second::add);
        assertThat(second).containsExactly(ClusterVerdict.BUSY);
        assertThat(verification.isAsking()).isTrue();
    }

    @Test
    void another_node_gets_this_ones_verdict() {
        verification.onVerify(first, 17, 5_000);
        here.getFirst().accept(DIFFERING);
        assertThat(first.sent)
                .singleElement()
                .isInstanceOfSatisfying(
                        VerifyMessages.Verified.class,
                        answer -> {
                            assertThat(answer.question()).isEqualTo(17);
                            ByteReader in = new ByteReader(answer.verdict());
                            assertThat(LeaderVerdict.read(in)).isEqualTo(DIFFERING);
                            assertThat(in.isAtEnd()).isTrue();
                        });
    }
}
