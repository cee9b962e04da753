package io.godwit.core.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReplicaSetWaitTest {
    private final CommitWaiters waiting = new CommitWaiters();
    private final List<String> told = new ArrayList<>();

    private void wait(long commit, String name) {
        waiting.add(commit, durable -> told.add(name));
    }

    @Test
    void waiters_are_told_commit_by_commit_and_in_their_order() {
        wait(1, "a");
        wait(1, "b");
        wait(2, "c");
        waiting.settle(1, true);
        assertThat(told).containsExactly("a", "b");
        waiting.settle(2, true);
        assertThat(told).containsExactly("a", "b", "c");
    }

    @Test
    void one_that_waits_for_an_earlier_commit_than_others_is_told_with_that_one() {
        wait(1, "a");
        wait(3, "all");
        wait(2, "set");
        wait(1, "b");
        wait(3, "all too");
        waiting.settle(1, true);
        assertThat(told).containsExactly("a", "b");
        waiting.settle(2, true);
        assertThat(told).containsExactly("a", "b", "set");
        waiting.settle(3, true);
        assertThat(told).containsExactly("a", "b", "set", "all", "all too");
    }

    @Test
    void whoever_is_told_may_wait_again() {
        waiting.add(1, durable -> wait(2, "later"));
        wait(1, "a");
        waiting.settle(1, true);
        assertThat(told).containsExactly("a");
        waiting.settle(5, true);
        assertThat(told).containsExactly("a", "later");
    }
}
