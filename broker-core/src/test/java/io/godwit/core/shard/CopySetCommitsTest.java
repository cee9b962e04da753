package io.godwit.core.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.store.ShardStore;
import io.godwit.core.store.Store;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Commits that count when the followers of their copy sets have confirmed them, too. */
class CopySetCommitsTest {
    private final List<String> told = new ArrayList<>();
    private final long[] lastCommit = new long[10];
    private final long[] confirmed = new long[10];
    private long openCommit = 1;
    private final LoopShard shard =
            new LoneShard(0, store(), (set, position) -> confirmed[set] >= position);

    private Store store() {
        ShardStore part =
                (ShardStore)
                        Proxy.newProxyInstance(
                                ShardStore.class.getClassLoader(),
                                new Class<?>[] {ShardStore.class},
                                (proxy, method, arguments) ->
                                        switch (method.getName()) {
                                            case "lastCommit" -> lastCommit[(Integer) arguments[0]];
                                            case "isDirty" -> false;
                                            case "openCommit" -> openCommit;
                                            default -> throw new AssertionError(method.getName());
                                        });
        return (Store)
                Proxy.newProxyInstance(
                        Store.class.getClassLoader(),
                        new Class<?>[] {Store.class},
                        (proxy, method, arguments) -> part);
    }

    /** Closes a commit with operations of some copy sets. */
    private void closed(int... sets) {
        for (int set : sets) {
            lastCommit[set] = openCommit;
        }
        openCommit++;
    }

    private void committed(long commit, long position) {
        shard.onCommitted(commit, position);
        shard.onMail();
    }

    private void confirmed(int set, long position) {
        confirmed[set] = position;
        shard.onConfirmed();
        shard.onMail();
    }

    private void await(String name, int set) {
        shard.afterCommit(set, isKept -> told.add(name + " " + isKept));
    }

    @Test
    void a_commit_counts_for_a_set_when_its_followers_have_confirmed_it() {
        closed(1, 2);
        await("one", 1);
        await("two", 2);
        shard.afterCommitHere(isKept -> told.add("here " + isKept));
        shard.afterCommit(isKept -> told.add("all " + isKept));
        committed(1, 70);
        assertThat(told).containsExactly("here true");
        confirmed(2, 69);
        assertThat(told).hasSize(1);
        confirmed(2, 70);
        assertThat(told).containsExactly("here true", "two true");
        await("two at once", 2);
        assertThat(told).last().isEqualTo("two at once true");
        confirmed(1, 75);
        assertThat(told).endsWith("one true", "all true");
    }

    @Test
    void followers_that_were_faster_than_the_own_disk_do_not_count_before_it() {
        closed(1);
        await("one", 1);
        confirmed(1, 500);
        assertThat(told).isEmpty();
        committed(1, 70);
        assertThat(told).containsExactly("one true");
    }

    @Test
    void a_set_without_operations_in_a_later_commit_is_not_held_up_by_it() {
        closed(1);
        closed(2);
        await("one", 1);
        await("two", 2);
        committed(2, 71);
        confirmed(1, 71);
        assertThat(told).containsExactly("one true");
        confirmed(2, 71);
        assertThat(told).containsExactly("one true", "two true");
    }

    @Test
    void who_waits_for_everything_waits_for_each_set_that_something_was_gathered_of() {
        closed(1);
        committed(1, 5);
        closed(3);
        shard.afterCommit(isKept -> told.add("all " + isKept));
        committed(2, 6);
        confirmed(3, 6);
        assertThat(told).isEmpty();
        confirmed(1, 5);
        assertThat(told).containsExactly("all true");
        // Nothing more was gathered of any of them.
        shard.afterCommit(isKept -> told.add("again " + isKept));
        assertThat(told).last().isEqualTo("again true");
    }

    @Test
    void who_asks_while_waiters_are_told_comes_behind_those_that_are_left() {
        closed(1);
        shard.afterCommit(
                1,
                isKept -> {
                    told.add("first");
                    shard.afterCommit(1, again -> told.add("set, asked later " + again));
                    shard.afterCommit(again -> told.add("all, asked later " + again));
                    told.add("asked");
                });
        shard.afterCommit(isKept -> told.add("all " + isKept));
        await("set", 1);
        committed(1, 70);
        confirmed(1, 70);
        assertThat(told)
                .containsSubsequence("first", "asked", "all true", "all, asked later true")
                .containsSubsequence("asked", "set true", "set, asked later true")
                .hasSize(6);
    }

    @Test
    void a_commit_that_failed_never_counts_whatever_followers_have() {
        closed(1);
        await("one", 1);
        confirmed(1, 100);
        shard.onFailed(1, new IllegalStateException("disk"));
        shard.onMail();
        assertThat(told).containsExactly("one false");
    }
}
