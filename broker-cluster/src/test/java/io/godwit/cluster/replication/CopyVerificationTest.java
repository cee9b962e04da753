package io.godwit.cluster.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.replication.CopyNetwork.Follower;
import io.godwit.cluster.replication.LeaderVerdict.Difference;
import io.godwit.cluster.replication.LeaderVerdict.FollowerVerdict;
import io.godwit.core.store.CopySets;
import java.util.BitSet;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A leader's queues and the copies at its followers are compared while both work. */
class CopyVerificationTest {
    private static final int SET = 3;

    private static CopyNetwork network(int copies, int others) {
        CopyNetwork made = new CopyNetwork(new SplittableRandom(1), copies, others);
        made.begin();
        made.pass(10_000);
        for (int set = 1; set <= CopySets.LAST; set++) {
            made.write(set);
            made.write(set);
        }
        made.settle();
        return made;
    }

    private static Follower followerOf(CopyNetwork network, int set) {
        int server = network.having(set, network.entries(set).nextSetBit(0)).iterator().next();
        return Objects.requireNonNull(network.followers.get(server));
    }

    private static FollowerVerdict of(LeaderVerdict verdict, Follower follower) {
        return verdict.followers().stream()
                .filter(each -> each.server() == follower.server)
                .findFirst()
                .orElseThrow();
    }

    private static void allEqual(LeaderVerdict verdict, int sets) {
        assertThat(verdict.failure()).isEmpty();
        assertThat(verdict.setsMissing()).isZero();
        assertThat(verdict.differs()).isFalse();
        assertThat(verdict.followers()).allMatch(FollowerVerdict::isCompared);
        assertThat(verdict.followers().stream().mapToInt(FollowerVerdict::sets).sum())
                .isEqualTo(sets);
        assertThat(verdict.followers().stream().mapToLong(FollowerVerdict::queues).sum())
                .isEqualTo(sets);
    }

    @Test
    void copies_that_hold_the_same_are_equal() {
        CopyNetwork network = network(3, 3);
        allEqual(network.verify(), 2 * CopySets.LAST);
        allEqual(network.verify(), 2 * CopySets.LAST);
        assertThat(network.leader.differing()).isZero();
    }

    @Test
    void entry_that_a_copy_lacks_is_found() {
        CopyNetwork network = network(2, 2);
        Follower follower = followerOf(network, SET);
        BitSet copy = Objects.requireNonNull(follower.durable.get(SET));
        copy.clear(copy.nextSetBit(0));
        LeaderVerdict verdict = network.verify();
        assertThat(of(verdict, follower).slotsDiffering()).isEqualTo(1);
        assertThat(of(verdict, follower).first())
                .containsExactly(new Difference(CopyNetwork.slot(SET), 1, 1));
        assertThat(verdict.followers().stream().mapToInt(FollowerVerdict::slotsDiffering).sum())
                .isEqualTo(1);
        assertThat(network.leader.differing()).isEqualTo(1);
    }

    @Test
    void queue_that_a_copy_lacks_is_found_and_counted() {
        CopyNetwork network = network(2, 2);
        Follower follower = followerOf(network, CopySets.GROUPS);
        follower.durable.remove(CopySets.GROUPS);
        assertThat(of(network.verify(), follower).first())
                .containsExactly(new Difference(SlotDigests.GROUPS, 1, 0));
    }

    @Test
    void what_is_left_of_a_set_that_a_node_follows_no_more_does_not_differ() {
        CopyNetwork network = network(2, 2);
        Follower follower = followerOf(network, SET);
        Follower other =
                network.followers.values().stream()
                        .filter(each -> each != follower)
                        .findFirst()
                        .orElseThrow();
        BitSet left = new BitSet();
        left.set(7);
        other.durable.put(SET, left);
        allEqual(network.verify(), CopySets.LAST);
    }

    @Test
    void copies_are_compared_while_the_leader_writes() {
        CopyNetwork network = network(2, 2);
        for (int i = 0; i < 50; i++) {
            network.beginVerify();
            while (network.isVerifying()) {
                network.write(SET);
                network.write(SET + 1);
                network.remove(SET);
                network.passSome();
            }
            allEqual(Objects.requireNonNull(network.verdict), CopySets.LAST);
        }
    }

    @Test
    void parts_behind_a_mark_wait_for_the_moment_and_go_on() {
        CopyNetwork network = network(2, 2);
        Follower follower = followerOf(network, SET);
        follower.readsWait = true;
        network.beginVerify();
        network.settle();
        long position = network.write(SET);
        network.settle();
        assertThat(network.leader.has(SET, position)).as("held back").isFalse();
        follower.readsWait = false;
        network.settle();
        assertThat(network.leader.has(SET, position)).isTrue();
        allEqual(Objects.requireNonNull(network.verdict), CopySets.LAST);
    }

    @Test
    void follower_tells_of_copies_behind_parts_that_are_held_back_or_not_committed() {
        CopyNetwork network = network(2, 2);
        Follower follower = followerOf(network, SET);
        Objects.requireNonNull(follower.durable.get(SET)).clear();
        follower.readsWait = true;
        network.beginVerify();
        network.settle();
        network.write(SET);
        network.settle();
        follower.told.clear();
        follower.ask();
        network.settle();
        assertThat(follower.told).as("held back").isEmpty();
        follower.readsWait = false;
        network.settle();
        assertThat(follower.told).hasSize(1);
        assertThat(follower.told.getFirst()).contains(SET);

        Objects.requireNonNull(follower.durable.get(SET)).clear();
        follower.isDiskStopped = true;
        network.write(SET);
        network.settle();
        follower.told.clear();
        follower.ask();
        network.settle();
        assertThat(follower.told).as("not committed").isEmpty();
        follower.isDiskStopped = false;
        network.settle();
        assertThat(follower.told.getFirst()).contains(SET);
    }

    @Test
    void parts_go_on_when_the_store_does_not_come_to_the_moment() {
        CopyNetwork network = network(2, 2);
        Follower follower = followerOf(network, SET);
        follower.readsWait = true;
        network.beginVerify();
        network.settle();
        long position = network.write(SET);
        network.settle();
        assertThat(network.leader.has(SET, position)).isFalse();
        follower.shard.timers().advance(MarkedCopies.HOLD_MS + 100);
        follower.shard.onTurnEnd();
        network.settle();
        assertThat(network.leader.has(SET, position)).isTrue();
        LeaderVerdict verdict = Objects.requireNonNull(network.verdict);
        assertThat(of(verdict, follower).reason()).contains("in time");
        follower.readsWait = false;
        network.settle();
        allEqual(network.verify(), CopySets.LAST);
    }

    @Test
    void follower_whose_store_fails_is_not_compared_and_parts_go_on() {
        CopyNetwork network = network(2, 2);
        Follower follower = followerOf(network, SET);
        follower.describeFails = true;
        network.beginVerify();
        network.settle();
        long position = network.write(SET);
        network.settle();
        assertThat(network.leader.has(SET, position)).isTrue();
        LeaderVerdict verdict = Objects.requireNonNull(network.verdict);
        assertThat(of(verdict, follower).reason()).contains("store");
        assertThat(verdict.followers()).filteredOn(FollowerVerdict::isCompared).hasSize(1);
        assertThat(verdict.differs()).isFalse();
    }

    @Test
    void link_that_breaks_ends_its_comparison_alone() {
        CopyNetwork network = network(2, 2);
        Follower follower = followerOf(network, SET);
        follower.isStopped = true;
        network.beginVerify();
        network.settle();
        network.cut(follower);
        follower.isStopped = false;
        network.link(follower);
        network.pass(1_000);
        LeaderVerdict verdict = Objects.requireNonNull(network.verdict);
        assertThat(of(verdict, follower).reason()).contains("link");
        assertThat(verdict.followers()).filteredOn(FollowerVerdict::isCompared).hasSize(1);
        allEqual(network.verify(), CopySets.LAST);
    }

    @Test
    void follower_that_restarts_at_a_mark_goes_on_and_is_compared_later() {
        CopyNetwork network = network(2, 2);
        Follower follower = followerOf(network, SET);
        follower.readsWait = true;
        network.beginVerify();
        network.settle();
        long position = network.write(SET);
        network.settle();
        follower.crash();
        follower.readsWait = false;
        network.link(follower);
        network.pass(1_000);
        assertThat(network.leader.has(SET, position)).isTrue();
        assertThat(of(Objects.requireNonNull(network.verdict), follower).isCompared()).isFalse();
        allEqual(network.verify(), CopySets.LAST);
    }

    @Test
    void follower_that_is_being_filled_is_not_compared() {
        CopyNetwork network = network(2, 2);
        Follower follower = followerOf(network, SET);
        follower.wipe();
        network.link(follower);
        network.pass(100);
        LeaderVerdict verdict = network.verify();
        assertThat(verdict.setsMissing()).isPositive();
        assertThat(of(verdict, follower).isCompared()).isFalse();
    }

    @Test
    void node_that_describes_its_queues_already_is_busy() {
        CopyNetwork network = network(2, 2);
        Follower follower = followerOf(network, SET);
        assertThat(follower.turn.begin()).isTrue();
        assertThat(of(network.verify(), follower).reason()).contains("another comparison");
        follower.turn.end();
        network.beginVerify();
        network.beginVerify();
        network.settle();
        assertThat(network.failures).containsExactly("another comparison is under way");
        allEqual(network.verify(), CopySets.LAST);
    }

    @Test
    void leader_whose_store_fails_says_so() {
        CopyNetwork network = network(2, 2);
        network.describeFails = true;
        assertThat(network.verify().failure()).contains("store");
        network.describeFails = false;
        allEqual(network.verify(), CopySets.LAST);
    }

    @Test
    void follower_that_does_not_answer_is_waited_for_no_longer_than_asked() {
        CopyNetwork network = network(2, 2);
        Follower follower = followerOf(network, SET);
        follower.isDiskStopped = true;
        network.beginVerify();
        network.pass(4_000);
        assertThat(network.isVerifying()).isTrue();
        network.pass(18_000);
        LeaderVerdict verdict = Objects.requireNonNull(network.verdict);
        assertThat(of(verdict, follower).isCompared()).isFalse();
        assertThat(verdict.followers()).filteredOn(FollowerVerdict::isCompared).hasSize(1);
    }
}
