package io.godwit.cluster.leadership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.godwit.cluster.leadership.LeadershipSimulation.Trouble;
import java.util.EnumSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each rule of leadership is needed: without it, seeds of {@link LeadershipSimulation} fail. */
class NeededLeadershipRulesTest {
    @ParameterizedTest
    @EnumSource
    void without_a_rule_seeds_fail(LeadershipRule missing) {
        EnumSet<LeadershipRule> rules = EnumSet.complementOf(EnumSet.of(missing));
        // One seed in hundreds needs that one: the search begins where one was found.
        boolean isRare = missing == LeadershipRule.HOLDINGS_BEFORE_GIVING;
        boolean isOfTakeOvers = missing.compareTo(LeadershipRule.HOLDINGS_BEFORE_GIVING) > 0;
        long first = isRare ? 130 : 1;
        for (long seed = first; seed < first + 200; seed++) {
            try {
                Trouble often = isOfTakeOvers ? Trouble.TAKE_OVERS : Trouble.of(seed);
                Trouble trouble = isRare ? Trouble.FOUNDERS : often;
                LeadershipSimulation.run(seed, trouble, rules);
            } catch (AssertionError failure) {
                assertThat(failure).hasMessageContaining("seed " + seed);
                return;
            }
        }
        fail("nothing notices that %s is missing", missing);
    }
}
