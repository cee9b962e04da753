package io.godwit.persistence;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.settings.StoreRule;
import io.godwit.persistence.settings.StoreRules;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A copy that is filled while its leader works on holds what the leader holds. */
class FillTest {
    private static final int SEEDS = Integer.getInteger("fill.seeds", 100);
    private static final long FIRST = Long.getLong("fill.seed", 1);

    @Test
    void copy_that_is_filled_while_its_leader_works_holds_the_same() throws DiskFailure {
        int crashes = 0;
        int restarts = 0;
        int bodies = 0;
        int leftOut = 0;
        for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
            FillSimulation run = new FillSimulation(seed, StoreRules.ALL);
            try {
                run.run();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed, e);
            }
            crashes += run.crashes;
            restarts += run.restarts;
            bodies += run.bodies;
            leftOut += run.leftOut;
        }
        if (SEEDS >= 100) {
            assertThat(crashes).isGreaterThan(SEEDS);
            assertThat(restarts).isGreaterThan(SEEDS / 2);
            assertThat(bodies).isGreaterThan(SEEDS * 10);
            assertThat(leftOut).isGreaterThan(SEEDS * 10);
        }
    }

    @Test
    void copy_whose_queues_are_left_out_unequal_does_not_hold_the_same() {
        int failed = 0;
        for (long seed = 1; seed <= 20; seed++) {
            try {
                new FillSimulation(seed, StoreRules.ALL, true).run();
            } catch (AssertionError | RuntimeException | DiskFailure e) {
                failed++;
            }
        }
        assertThat(failed).isPositive();
    }

    @Test
    void what_a_copy_has_and_its_set_back_leader_has_lost_is_set_aside() throws DiskFailure {
        int lost = 0;
        int crashes = 0;
        for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
            SetBackSimulation run = new SetBackSimulation(seed, StoreRules.ALL);
            try {
                run.run();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed, e);
            }
            lost += run.lost;
            crashes += run.crashes;
        }
        if (SEEDS >= 100) {
            assertThat(lost).isGreaterThan(SEEDS * 10);
            assertThat(crashes).isGreaterThan(SEEDS);
        }
    }

    @Test
    void without_the_rule_what_the_leader_has_lost_is_lost_everywhere() {
        int failed = 0;
        StoreRules rules = StoreRules.without(StoreRule.UNKNOWN_SET_ASIDE);
        for (long seed = 1; seed <= 20; seed++) {
            try {
                new SetBackSimulation(seed, rules).run();
            } catch (AssertionError | RuntimeException | DiskFailure e) {
                failed++;
            }
        }
        assertThat(failed).isPositive();
    }

    @ParameterizedTest
    @EnumSource(names = {"MOMENT_PAGES", "COPY_RANGE_REPLACES"})
    void without_a_rule_seeds_fail(StoreRule rule) {
        int failed = 0;
        for (long seed = 1; seed <= 20; seed++) {
            try {
                new FillSimulation(seed, StoreRules.without(rule)).run();
            } catch (AssertionError | RuntimeException | DiskFailure e) {
                failed++;
            }
        }
        assertThat(failed).isPositive();
    }
}
