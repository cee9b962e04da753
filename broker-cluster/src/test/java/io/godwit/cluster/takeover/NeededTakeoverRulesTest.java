package io.godwit.cluster.takeover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.godwit.cluster.takeover.TakeoverSimulation.Trouble;
import java.util.EnumSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each rule of takeovers is needed: without it, seeds of {@link TakeoverSimulation} fail. */
class NeededTakeoverRulesTest {
    /** What no seed has noticed so far is shown by {@link ResidentsTest}. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NUMBERS")
    void without_a_rule_seeds_fail(TakeoverRule missing) {
        EnumSet<TakeoverRule> rules = EnumSet.complementOf(EnumSet.of(missing));
        // One seed in hundreds needs that one: the search begins where one was found.
        long first = missing == TakeoverRule.GIVEN_ONCE ? 866 : 1;
        for (long seed = first; seed < first + 200; seed++) {
            boolean isOfForgetting = missing == TakeoverRule.NUMBERS_AFTER_FORGETTING;
            Trouble trouble = isOfForgetting ? Trouble.FORGETTING : Trouble.of(seed);
            try {
                TakeoverSimulation.run(seed, trouble, rules);
            } catch (AssertionError failure) {
                assertThat(failure).hasMessageContaining("seed " + seed);
                return;
            }
        }
        fail("nothing notices that %s is missing", missing);
    }
}
