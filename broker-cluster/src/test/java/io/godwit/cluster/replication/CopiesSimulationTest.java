package io.godwit.cluster.replication;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * One follower at a time stops, crashes, loses its disk or its link, others sleep, the leader
 * sleeps and crashes, while it writes: what counts is on the disks of as many followers as are
 * wanted, and of all that a live node calls whole, and at the end all copies are whole.
 */
class CopiesSimulationTest {
    private static final int SEEDS = 300;

    /** Copies that were compared while the leader wrote. */
    private int comparedUnderWay;

    /** Queues that fills left out. */
    private long leftOut;

    @Test
    void what_counts_is_at_the_wanted_number_of_nodes_through_faults() {
        for (int seed = 1; seed <= SEEDS; seed++) {
            try {
                CopiesRun run = new CopiesRun(new SplittableRandom(seed), CopyRules.ALL);
                comparedUnderWay += run.run();
                leftOut += run.leftOut;
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
        assertThat(comparedUnderWay).isGreaterThan(10 * SEEDS);
        assertThat(leftOut).isGreaterThan(SEEDS);
    }

    /** Leaves out the rules of take-overs, which {@link TakeOversOnStoreSimulationTest} judges. */
    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {
                "ASK_ALL",
                "REFUSE_WHILE_HEARD",
                "MAJORITY",
                "TAKEN_IS_FINAL",
                "SHRINK_NEEDS_QUORUM",
                "RECORDS_OF_ALL",
                "DEMOTE_FIRST",
                "FENCE",
                "GIVEN_IS_CLOSED"
            })
    void each_rule_is_needed(CopyRule rule) {
        for (int seed = 1; seed <= SEEDS; seed++) {
            try {
                run(new SplittableRandom(seed), CopyRules.without(rule));
            } catch (AssertionError | RuntimeException e) {
                return;
            }
        }
        throw new AssertionError("no seed fails without " + rule);
    }

    @ParameterizedTest
    @EnumSource(names = {"SHOWN", "RECORDS_ON_DISK"})
    void without_its_rule_a_record_calls_a_node_whole_that_lacks_something(CopyRule rule) {
        for (int seed = 1; seed <= SEEDS; seed++) {
            try {
                run(new SplittableRandom(seed), CopyRules.without(rule));
            } catch (AssertionError e) {
                if (String.valueOf(e.getMessage()).contains(" lacks ")) {
                    return;
                }
            }
        }
        throw new AssertionError("no record is wrong without " + rule);
    }

    private static int run(SplittableRandom random, CopyRules rules) {
        return new CopiesRun(random, rules).run();
    }
}
