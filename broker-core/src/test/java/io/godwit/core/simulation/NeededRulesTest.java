package io.godwit.core.simulation;

import io.godwit.core.settings.Rule;
import io.godwit.core.settings.Rules;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each rule is needed: without it, seeds of {@link Simulation} fail. */
class NeededRulesTest {
    private static Seeds<Happening> without(Rule rule) {
        return new Seeds<>(
                seed -> Simulation.run(seed, 1, Rules.without(rule), SimulatedStore::new));
    }

    @ParameterizedTest
    @EnumSource( // A node that is alone needs those of groups and CAME_BEFORE not: its journal
            // keeps
            // the order of what is told (GroupMarksTest, FailoverSimulationTest). ForwardedMailTest
            // has FORWARDED_FIRST.
            mode = EnumSource.Mode.EXCLUDE,
            names = {
                "CAME_BEFORE",
                "FORWARDED_FIRST",
                "GOES_ON_BEHIND_DISCARDED",
                "GROUP_MARKS",
                "GROUP_KEEPS"
            })
    void without_a_rule_seeds_fail(Rule rule) {
        // One seed in hundreds needs these rules: the search begins where one was found.
        long first =
                switch (rule) {
                    case PUBLISH_WAITS -> 87;
                    case PUBREL_WAITS -> 105;
                    case FORWARDING_BACK -> 181;
                    case WAIT_FOR_END -> 412;
                    default -> 1;
                };
        without(rule).notice(rule, first, 1_000);
    }

    /** Only clients that take small packets need it. */
    @Test
    void seed_with_small_packets_notices_that_a_session_stalls_behind_a_discarded_message() {
        Rule rule = Rule.GOES_ON_BEHIND_DISCARDED;
        without(rule).notice(rule, Shortage.SMALL_PACKETS_FROM + 1, 100);
    }
}
