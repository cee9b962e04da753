package io.godwit.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** A shared group's message at QoS 1 comes to a second member. */
class PassedOnJobsTest {
    private final Checker checker = new Checker(new History(7));
    private final Target group = checker.target("group", Target.Order.SHARED);

    private static Mark mark(int seq) {
        return new Mark(1, "t/a", 1, seq);
    }

    private void received(String by, int seq) {
        group.received(by, mark(seq), 1, false, 1);
    }

    private List<Violation.Kind> violations() {
        checker.finish();
        return checker.violations().stream().map(Violation::kind).toList();
    }

    private void subscribedAndSent() {
        group.subscribing("t/a", 1);
        group.subscribed("t/a");
        checker.sent(mark(1));
        received("one", 1);
        received("other", 1);
    }

    @Test
    void it_may_when_the_first_one_finds_its_connection_closed() {
        subscribedAndSent();
        group.connectionEnded("one");
        assertThat(violations()).isEmpty();
    }

    @Test
    void it_must_not_when_that_one_keeps_its_connection() {
        subscribedAndSent();
        group.connectionEnded("third");
        assertThat(violations()).containsExactly(Violation.Kind.DOUBLE);
    }

    @Test
    void it_may_when_the_other_one_is_told_that_its_connection_was_lost_between_the_nodes() {
        subscribedAndSent();
        group.lostBetweenNodes("other");
        assertThat(violations()).isEmpty();
    }

    @Test
    void that_is_noticed_two_seconds_after_all_nodes_hear_each_other_again() {
        PassedOnJobs jobs = new PassedOnJobs();
        jobs.add("other", mark(1), "one", 0);
        assertThat(jobs.wrong(6_000_000_000L, 6_000_000_000L, false)).isEmpty();
        assertThat(jobs.wrong(8_000_000_000L, 6_000_000_000L, false)).isEmpty();
        assertThat(jobs.wrong(8_000_000_001L, 6_000_000_000L, false)).hasSize(1);
    }

    @Test
    void nor_to_the_same_one_on_one_connection() {
        subscribedAndSent();
        received("other", 1);
        group.connectionEnded("one");
        assertThat(violations()).containsExactly(Violation.Kind.DOUBLE);
    }
}
