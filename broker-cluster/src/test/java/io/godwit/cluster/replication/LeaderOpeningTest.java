package io.godwit.cluster.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.replication.CopyNetwork.Follower;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Checks copies of what a leader writes at its start, while followers come one by one. */
class LeaderOpeningTest {
    private static final int SET = 3;
    private static final int STEADY_MS = 1_500;

    private final CopyNetwork network = new CopyNetwork(new SplittableRandom(1), 3, 2);
    private final List<Follower> followers = List.copyOf(network.followers.values());

    @Test
    void part_written_between_the_first_follower_and_the_second_waits_for_both() {
        network.leader.begin(true);
        network.link(followers.get(0));
        network.pass(STEADY_MS);
        long position = network.write(SET);
        network.settle();
        network.link(followers.get(1));
        for (int i = 0; i < 50 && !network.leader.has(SET, position); i++) {
            network.pass(100);
        }
        assertThat(network.leader.has(SET, position)).isTrue();
        assertThat(network.having(SET, network.lastEntry())).hasSize(2);
    }

    @Test
    void entry_removed_between_the_first_follower_and_the_second_is_at_neither() {
        network.leader.begin(true);
        network.write(SET);
        int entry = network.lastEntry();
        network.link(followers.get(0));
        network.pass(STEADY_MS);
        network.remove(SET);
        network.settle();
        network.link(followers.get(1));
        network.pass(10_000);
        assertThat(network.leader.status().isWhole()).isTrue();
        for (Follower each : followers) {
            assertThat(each.durable.getOrDefault(SET, new BitSet()).get(entry)).isFalse();
        }
    }
}
