package io.godwit.cluster.replication;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Leaders give copy sets to their followers, on production stores on simulated disks: nodes die or
 * sleep, and links break, at each step of it; {@code -Dcopies.seeds=3000} runs more seeds, {@code
 * -Dcopies.from=N} begins with another one.
 */
class TransfersOnStoreSimulationTest {
    private static final long FROM = Long.getLong("copies.from", 1);
    private static final int SEEDS = Integer.getInteger("copies.seeds", 25);

    /** How often 25 seeds have to meet each thing, at least. */
    private static final Map<String, Integer> LEAST =
            Map.of(
                    "acknowledged", 15_000,
                    "audits", 40,
                    "given sets", 110,
                    "taken sets that were given", 25,
                    "queues adopted", 250,
                    "equal copies", 600);

    /** The first seed that fails without the rule: new records close a set, too. */
    private static final long NEEDS_RULE = 151;

    @Test
    void acknowledged_operations_are_at_the_new_leader_and_copies_end_equal() {
        Map<String, Integer> counts = new TreeMap<>();
        for (long seed = FROM; seed < FROM + SEEDS; seed++) {
            CopiesOnStore.runGiving(seed, CopyRules.ALL)
                    .forEach((what, n) -> counts.merge(what, n, Integer::sum));
        }
        LEAST.forEach((what, n) ->
                assertThat(counts.getOrDefault(what, 0))
                        .as("%s in %s seeds", what, SEEDS)
                        .isGreaterThanOrEqualTo(n * SEEDS / 25));
    }

    @Test
    void leader_has_to_acknowledge_nothing_of_what_it_gives() {
        for (long seed = NEEDS_RULE; seed < NEEDS_RULE + SEEDS; seed++) {
            try {
                CopiesOnStore.runGiving(seed, CopyRules.without(CopyRule.GIVEN_IS_CLOSED));
            } catch (AssertionError e) {
                return;
            }
        }
        throw new AssertionError("no seed fails");
    }
}
