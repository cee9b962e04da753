package io.godwit.cluster.replication;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Copies between production stores on simulated disks; {@code -Dcopies.seeds=3000} runs more seeds,
 * {@code -Dcopies.from=N} begins with another one.
 */
class CopiesOnStoreSimulationTest {
    private static final long FROM = Long.getLong("copies.from", 1);
    private static final int SEEDS = Integer.getInteger("copies.seeds", 200);

    private static final int RULES_SEEDS = 100;

    /** How often a hundred seeds have to meet each thing, at least. */
    private static final Map<String, Integer> LEAST =
            Map.ofEntries(
                    Map.entry("acknowledged", 60_000),
                    Map.entry("audits", 150),
                    Map.entry("crashes", 120),
                    Map.entry("power cuts in a write", 50),
                    Map.entry("crashes with unsynced commits", 20),
                    Map.entry("disks lost", 4),
                    Map.entry("disks set back", 20),
                    Map.entry("lost entries set aside", 200),
                    Map.entry("links broken", 40),
                    Map.entry("pauses", 40),
                    Map.entry("silences", 30),
                    Map.entry("queues left out", 300),
                    Map.entry("equal copies", 2_500));

    @Test
    void acknowledged_operations_are_on_as_many_disks_as_wanted_and_copies_end_equal() {
        Map<String, Integer> counts = new TreeMap<>();
        for (long seed = FROM; seed < FROM + SEEDS; seed++) {
            CopiesOnStore.run(seed, CopyRules.ALL)
                    .forEach((what, n) -> counts.merge(what, n, Integer::sum));
        }
        LEAST.forEach((what, n) ->
                assertThat(counts.getOrDefault(what, 0))
                        .as("%s in %s seeds", what, SEEDS)
                        .isGreaterThanOrEqualTo(n * SEEDS / 100));
    }

    /** Leaves out the rules of records and of take-overs, which other tests judge. */
    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {
                "SHOWN",
                "RECORDS_ON_DISK",
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
        for (long seed = 1; seed <= RULES_SEEDS; seed++) {
            try {
                CopiesOnStore.run(seed, CopyRules.without(rule));
            } catch (AssertionError e) {
                return;
            }
        }
        throw new AssertionError("no seed fails without " + rule);
    }

    @Test
    void seed_does_the_same_twice() {
        for (long seed = 1; seed <= 3; seed++) {
            assertThat(CopiesOnStore.run(seed, CopyRules.ALL))
                    .as("seed %s", seed)
                    .isEqualTo(CopiesOnStore.run(seed, CopyRules.ALL));
        }
    }
}
