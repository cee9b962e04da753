package io.godwit.persistence.simulation;

import io.godwit.core.settings.Rules;
import io.godwit.core.simulation.Seeds;
import io.godwit.core.simulation.Simulation;
import io.godwit.persistence.settings.StoreRule;
import io.godwit.persistence.settings.StoreRules;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each rule of the store is needed: without it, seeds fail. */
class NeededStoreRulesTest {
    /** Those of copies are switched off in FillTest. */
    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"MOMENT_PAGES", "COPY_RANGE_REPLACES", "UNKNOWN_SET_ASIDE"})
    void without_a_rule_seeds_fail(StoreRule rule) {
        StoreRules rules = StoreRules.without(rule);
        // One seed in fifty, or in hundreds, needs these: the search begins where one was found.
        long first =
                switch (rule) {
                    case ROWS_WITH_POSITION, COUNTS_WITH_ROWS, LEFT_OUT_WHEN_JOURNALED -> 47;
                    case USES_WITH_ROWS -> 2_287;
                    default -> 1;
                };
        new Seeds<>(seed ->
                Simulation.run(seed, 1, Rules.ALL, node -> new DiskStorage(node, rules)))
                .notice(rule, first, 1_000);
    }
}
