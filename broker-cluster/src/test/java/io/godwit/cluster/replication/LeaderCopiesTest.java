package io.godwit.cluster.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.replication.CopyNetwork.Follower;
import io.godwit.core.store.CopySets;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A leader's parts at its followers. */
class LeaderCopiesTest {
    private static final int SET = 3;

    private CopyNetwork network(int copies, int others) {
        CopyNetwork made = new CopyNetwork(new SplittableRandom(1), copies, others);
        made.begin();
        return made;
    }

    private static Follower followerOf(CopyNetwork network, int set) {
        long position = network.write(set);
        network.settle();
        assertThat(network.leader.has(set, position)).isTrue();
        return Objects.requireNonNull(
                network.followers.get(network.having(set, network.lastEntry()).iterator().next()));
    }

    @Test
    void part_counts_when_its_follower_has_it_on_its_disk() {
        CopyNetwork network = network(2, 2);
        network.pass(10_000);
        assertThat(network.leader.status().isWhole()).isTrue();
        long position = network.write(SET);
        assertThat(network.leader.has(SET, position)).isFalse();
        assertThat(network.leader.has(SET + 1, position)).as("another set").isTrue();
        network.settle();
        assertThat(network.leader.has(SET, position)).isTrue();
        assertThat(network.having(SET, network.lastEntry())).hasSize(1);
        assertThat(network.leader.bytes()).isZero();
    }

    @Test
    void alarm_of_a_follower_is_told_when_it_begins_ends_and_on_each_new_link() {
        CopyNetwork network = network(2, 1);
        Follower follower = network.followers.values().iterator().next();
        network.pass(10_000);
        assertThat(network.leader.isFollowerFull()).isFalse();
        follower.copies.full(true);
        network.settle();
        assertThat(network.leader.isFollowerFull()).isTrue();
        assertThat(network.leader.status().isWhole()).isTrue();
        long position = network.write(SET);
        network.settle();
        assertThat(network.leader.has(SET, position)).as("it takes everything").isTrue();

        network.cut(follower);
        network.settle();
        follower.copies.full(false);
        network.settle();
        assertThat(network.leader.isFollowerFull()).isTrue();
        network.link(follower);
        network.settle();
        assertThat(network.leader.isFollowerFull()).isFalse();

        follower.copies.full(true);
        network.settle();
        network.cut(follower);
        network.pass(6_000);
        assertThat(network.leader.isFollowerFull()).as("it is no follower any more").isFalse();
    }

    @Test
    void sets_have_their_followers_at_all_nodes() {
        CopyNetwork network = network(2, 4);
        network.pass(10_000);
        assertThat(network.leader.status().followers())
                .hasSizeGreaterThan(2)
                .allMatch(each -> each.sets() < CopySets.LAST);
    }

    @Test
    void three_copies_are_at_two_followers() {
        CopyNetwork network = network(3, 3);
        network.pass(10_000);
        long position = network.write(SET);
        network.settle();
        assertThat(network.leader.has(SET, position)).isTrue();
        assertThat(network.having(SET, network.lastEntry())).hasSize(2);
    }

    @Test
    void node_that_is_alone_waits_for_nobody() {
        CopyNetwork network = new CopyNetwork(new SplittableRandom(1), 2, 0);
        network.leader.begin(false);
        assertThat(network.leader.has(SET, network.write(SET))).isTrue();
        network.pass(1_000);
        assertThat(network.leader.status().isWhole()).isFalse();
        assertThat(network.leader.status().leftMs()).isEqualTo(-1);
    }

    @Test
    void what_is_written_before_followers_are_chosen_waits_for_them() {
        CopyNetwork network = network(2, 2);
        long position = network.write(SET);
        network.settle();
        assertThat(network.leader.has(SET, position)).isFalse();
        assertThat(network.leader.bytes()).isPositive();
        network.pass(2_000);
        assertThat(network.leader.has(SET, position)).isTrue();
        assertThat(network.having(SET, network.lastEntry())).hasSize(1);
    }

    @Test
    void start_goes_on_alone_when_no_follower_comes() {
        CopyNetwork network = new CopyNetwork(new SplittableRandom(1), 2, 2);
        network.leader.begin(true);
        long position = network.write(SET);
        network.pass(2_000);
        assertThat(network.leader.has(SET, position)).isFalse();
        network.pass(2_000);
        assertThat(network.leader.has(SET, position)).isTrue();
    }

    @Test
    void stopped_follower_holds_its_sets_alone_and_what_it_is_owed_goes_to_the_next() {
        CopyNetwork network = network(2, 2);
        network.pass(10_000);
        Follower stopped = followerOf(network, SET);
        int other =
                IntStream.rangeClosed(1, CopySets.LAST)
                        .filter(set -> followerOf(network, set) != stopped)
                        .findFirst()
                        .orElseThrow();
        stopped.isStopped = true;
        long position = network.write(SET);
        int owed = network.lastEntry();
        network.pass(4_000);
        assertThat(network.leader.has(SET, position)).isFalse();
        long elsewhere = network.write(other);
        network.settle();
        assertThat(network.leader.has(other, elsewhere)).isTrue();
        network.pass(2_000);
        assertThat(network.leader.has(SET, position)).isTrue();
        assertThat(network.having(SET, owed)).hasSize(1).doesNotContain(stopped.server);
    }

    @Test
    void commit_that_ends_after_its_link_is_confirmed_by_the_next_one() {
        CopyNetwork network = network(2, 2);
        network.pass(10_000);
        Follower follower = followerOf(network, SET);
        follower.isDiskStopped = true;
        long position = network.write(SET);
        network.settle();
        network.cut(follower);
        network.settle();
        network.link(follower);
        network.settle();
        assertThat(network.leader.has(SET, position)).isFalse();
        follower.isDiskStopped = false;
        network.settle();
        assertThat(network.leader.has(SET, position)).isTrue();
    }

    @Test
    void answer_that_was_cut_short_does_not_count_beside_the_next_one() {
        List<long[]> asked = new ArrayList<>();
        CopyStore store =
                (CopyStore)
                        Proxy.newProxyInstance(
                                CopyStore.class.getClassLoader(),
                                new Class<?>[] {CopyStore.class},
                                (proxy, method, arguments) -> {
                                    asked.add((long[]) arguments[0]);
                                    return null;
                                });
        CopyFill fill =
                new CopyFill(
                        new CopyStream(2, 1, CopyRules.ALL),
                        store,
                        Runnable::run,
                        CopySettings.NONE,
                        CopyRules.ALL);
        fill.has(new long[] {5, 9}, CopyMessages.HAS_FIRST);
        fill.has(new long[] {5, 9}, CopyMessages.HAS_FIRST);
        fill.has(new long[] {11}, CopyMessages.HAS_LAST);
        assertThat(asked).containsExactly(new long[] {5, 9, 11});
    }

    @Test
    void node_without_a_disk_refuses_and_another_one_follows() {
        CopyNetwork network = network(2, 2);
        network.pass(10_000);
        Follower refusing = followerOf(network, SET);
        refusing.refuses = true;
        refusing.crash();
        network.link(refusing);
        network.pass(10_000);
        long position = network.write(SET);
        network.settle();
        assertThat(network.leader.has(SET, position)).isTrue();
        assertThat(network.having(SET, network.lastEntry()))
                .hasSize(1)
                .doesNotContain(refusing.server);
    }

    @Test
    void follower_that_restarts_at_once_goes_on_by_parts() {
        CopyNetwork network = network(2, 2);
        network.pass(10_000);
        Follower follower = followerOf(network, SET);
        network.cut(follower);
        long position = network.write(SET);
        network.pass(1_000);
        assertThat(network.leader.has(SET, position)).isFalse();
        follower.crash();
        network.link(follower);
        network.settle();
        assertThat(network.leader.has(SET, position)).isTrue();
        assertThat(network.having(SET, network.lastEntry())).containsExactly(follower.server);
        assertThat(network.leader.status().isWhole()).isTrue();
    }

    @Test
    void follower_that_has_lost_its_disk_is_filled_anew() {
        CopyNetwork network = network(2, 2);
        network.pass(10_000);
        Follower follower = followerOf(network, SET);
        int before = network.lastEntry();
        follower.wipe();
        network.link(follower);
        network.pass(10_000);
        assertThat(network.having(SET, before)).containsExactly(follower.server);
        assertThat(network.leader.status().isWhole()).isTrue();
    }

    @Test
    void node_that_comes_back_gets_its_sets_again_once_it_has_everything() {
        CopyNetwork network = network(2, 2);
        network.pass(10_000);
        Follower follower = followerOf(network, SET);
        network.cut(follower);
        network.pass(8_000);
        long position = network.write(SET);
        int meanwhile = network.lastEntry();
        network.settle();
        assertThat(network.leader.has(SET, position)).isTrue();
        assertThat(network.having(SET, meanwhile)).doesNotContain(follower.server);
        network.pass(8_000);
        network.link(follower);
        network.pass(15_000);
        assertThat(network.having(SET, meanwhile)).contains(follower.server);
        network.write(SET);
        network.settle();
        assertThat(network.having(SET, network.lastEntry())).containsExactly(follower.server);
    }
}
