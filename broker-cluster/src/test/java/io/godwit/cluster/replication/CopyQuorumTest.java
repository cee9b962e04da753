package io.godwit.cluster.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.transport.LinkState;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.Outgoing;
import io.godwit.cluster.transport.TestLink;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Checks which members count when one of them has ended. */
class CopyQuorumTest {
    private static final int SELF = 1;
    private static final int SECOND = 2;
    private static final int THIRD = 3;
    private static final int FOURTH = 4;

    private static final class Link extends TestLink {
        private final int server;
        private final int start;
        LinkState state = LinkState.UP;
        final List<Outgoing> sent = new ArrayList<>();

        Link(int server) {
            this(server, 1);
        }

        Link(int server, int start) {
            this.server = server;
            this.start = start;
        }

        @Override
        public NodeStart peer() {
            return new NodeStart(server, start);
        }

        @Override
        public LinkState state() {
            return state;
        }

        @Override
        public boolean offer(Outgoing message) {
            sent.add(message);
            return true;
        }

        boolean isToldThatItCounts() {
            return sent.contains(new CopyMessages.Counts());
        }
    }

    private final CopyQuorum quorum = new CopyQuorum(SELF);
    private final Set<Integer> ended = new HashSet<>();
    private final Link second = new Link(SECOND);
    private final Link third = new Link(THIRD);
    private long nowMs;

    @BeforeEach
    void all_members_are_heard() {
        quorum.attach(ended::contains);
        quorum.members(Set.of(SELF, SECOND, THIRD));
        quorum.onUp(second);
        quorum.onUp(third);
        quorum.onCounts(second);
        quorum.onCounts(third);
        pass(2_000);
    }

    private void pass(long ms) {
        passOf(quorum, ms);
    }

    private void passOf(CopyQuorum which, long ms) {
        for (long gone = 0; gone < ms; gone += 100) {
            nowMs += 100;
            which.tick(nowMs);
        }
    }

    private void end(Link link) {
        link.state = LinkState.DOWN;
        ended.add(link.server);
    }

    private boolean isAloneMajority() {
        return quorum.isMajority(server -> false, server -> true);
    }

    @Test
    void members_that_end_one_after_the_other_count_no_more() {
        end(second);
        pass(1_000);
        assertThat(isAloneMajority()).isFalse();
        end(third);
        pass(1_000);
        assertThat(isAloneMajority()).isTrue();
    }

    /** They hear each other, and have taken over from this node before they end. */
    @Test
    void members_that_were_silent_before_they_end_count_on() {
        second.state = LinkState.SILENT;
        third.state = LinkState.SILENT;
        pass(2_000);
        end(second);
        end(third);
        pass(1_000);
        assertThat(isAloneMajority()).isFalse();
    }

    @Test
    void members_that_end_while_this_node_does_not_run_count_on() {
        nowMs += 2_500;
        end(second);
        end(third);
        pass(1_000);
        assertThat(isAloneMajority()).as("they may have taken over meanwhile").isFalse();
    }

    @Test
    void only_other_member_that_ends_while_this_node_does_not_run_counts_no_more() {
        quorum.members(Set.of(SELF, SECOND));
        nowMs += 2_500;
        end(second);
        pass(1_000);
        assertThat(isAloneMajority()).as("it can't decide alone").isTrue();
    }

    @Test
    void member_that_is_heard_after_a_pause_and_ends_counts_no_more() {
        nowMs += 2_500;
        pass(1_500);
        end(second);
        end(third);
        pass(1_000);
        assertThat(isAloneMajority()).isTrue();
    }

    private boolean isOutvotedWith(Integer... heard) {
        return quorum.isOutvoted(Set.of(heard)::contains);
    }

    @Test
    void member_that_joins_counts_for_leaders_when_it_says_so() {
        second.state = LinkState.DOWN;
        third.state = LinkState.DOWN;
        pass(5_000);
        quorum.members(Set.of(SELF, SECOND, THIRD, FOURTH));
        Link fourth = new Link(FOURTH);
        quorum.onUp(fourth);
        pass(5_000);
        assertThat(isOutvotedWith(FOURTH)).as("the others may have taken over").isTrue();
        quorum.onCounts(fourth);
        assertThat(isOutvotedWith(FOURTH)).isFalse();
    }

    @Test
    void member_that_joins_is_no_reason_to_wait() {
        quorum.members(Set.of(SELF, SECOND, THIRD, FOURTH));
        quorum.onUp(new Link(FOURTH));
        pass(100);
        assertThat(isOutvotedWith(SECOND)).isFalse();
        assertThat(isOutvotedWith()).isTrue();
    }

    @Test
    void member_that_had_ended_before_a_pause_counts_no_more() {
        end(second);
        pass(1_000);
        nowMs += 2_500;
        pass(1_500);
        assertThat(quorum.hasEnded(SECOND)).isTrue();
    }

    /** The fourth one dies while this node does not run, and does not count for the others. */
    @Test
    void member_that_has_started_decides_nothing_before_it_says_that_it_counts() {
        quorum.members(Set.of(SELF, SECOND, THIRD, FOURTH));
        Link fourth = new Link(FOURTH);
        quorum.onUp(fourth);
        quorum.onCounts(fourth);
        pass(2_000);
        fourth.state = LinkState.DOWN;
        nowMs += 8_000;
        second.state = LinkState.DOWN;
        third.state = LinkState.DOWN;
        pass(1_000);
        Link again = new Link(FOURTH, 2);
        quorum.onUp(again);
        quorum.onCounts(fourth); // It was on its way when the link ended.
        pass(5_000);
        assertThat(isOutvotedWith(FOURTH)).as("they may have taken over without it").isTrue();
        quorum.onCounts(again);
        assertThat(isOutvotedWith(FOURTH)).isFalse();
    }

    /** Returns that of another start of this node, one of three. */
    private static CopyQuorum startThatHears(Link other) {
        CopyQuorum start = new CopyQuorum(SELF);
        start.members(Set.of(SELF, SECOND, THIRD));
        start.onUp(other);
        return start;
    }

    /** All three had ended, and the first that starts may have gone on alone before. */
    @Test
    void members_that_start_together_wait_for_the_one_that_may_have_gone_on_alone() {
        Link anew = new Link(SECOND, 2);
        CopyQuorum start = startThatHears(anew);
        passOf(start, 20_000);
        assertThat(start.isOutvoted(server -> server == SECOND)).isTrue();
        assertThat(anew.isToldThatItCounts()).isFalse();
        start.onUp(new Link(THIRD, 2));
        passOf(start, 500);
        assertThat(start.isOutvoted(server -> true)).isFalse();
        assertThat(anew.isToldThatItCounts()).as("the third one may be about to tell").isFalse();
        passOf(start, 1_000);
        assertThat(anew.isToldThatItCounts()).isTrue();
        Link later = new Link(SECOND, 3);
        start.onUp(later);
        assertThat(later.isToldThatItCounts()).isTrue();
    }

    @Test
    void members_that_start_together_do_not_wait_for_one_that_is_forgotten() {
        Link anew = new Link(SECOND, 2);
        CopyQuorum start = startThatHears(anew);
        passOf(start, 5_000);
        start.members(Set.of(SELF, SECOND));
        passOf(start, 200);
        assertThat(start.isOutvoted(server -> server == SECOND)).isFalse();
        assertThat(anew.isToldThatItCounts()).isTrue();
    }

    /** The third one is gone, and the second one has run all the time. */
    @Test
    void member_that_starts_alone_counts_when_it_hears_one_that_counts() {
        Link running = new Link(SECOND);
        CopyQuorum start = startThatHears(running);
        start.onCounts(running);
        passOf(start, 1_500);
        assertThat(start.isOutvoted(server -> server == SECOND)).isFalse();
        assertThat(running.isToldThatItCounts()).isTrue();
    }

    @Test
    void member_that_has_started_counts_when_the_rest_could_not_decide_alone() {
        third.state = LinkState.DOWN;
        second.state = LinkState.DOWN;
        pass(1_000);
        quorum.onUp(new Link(SECOND, 2));
        pass(100);
        assertThat(isOutvotedWith(SECOND)).isFalse();
    }

    /** The fourth one ends so long after the third, the leader, was heard last. */
    private boolean mayTakeOverWhenAnotherEndsAfter(long ms) {
        quorum.members(Set.of(SELF, SECOND, THIRD, FOURTH));
        Link fourth = new Link(FOURTH);
        quorum.onUp(fourth);
        pass(2_000);
        third.state = LinkState.DOWN;
        pass(ms);
        end(fourth);
        pass(1_000);
        return quorum.mayTakeOver(THIRD, server -> server == SECOND, server -> true);
    }

    @Test
    void member_that_ends_with_the_leader_counts_no_more() {
        assertThat(mayTakeOverWhenAnotherEndsAfter(1_000)).isTrue();
    }

    @Test
    void member_that_may_have_heard_the_leader_for_longer_and_ends_counts_on() {
        assertThat(mayTakeOverWhenAnotherEndsAfter(6_000))
                .as("the leader may have given up followers with it")
                .isFalse();
    }
}
