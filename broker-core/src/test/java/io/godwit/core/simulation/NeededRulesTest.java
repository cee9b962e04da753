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
    @EnumSource( // Sessions stay; the last one is below.
            mode = EnumSource.Mode.EXCLUDE,
            names = {
                "RETURN_ORDER",
                "RETURN_WAITS",
                "ARRIVAL_ORDER",
                "ARRIVED_FILTERS",
                "TAKEN_GOES_ALONG",
                "EARLIER_MESSAGES",
                "LAST_WORD_WHEN_HANDLED",
                "LAST_WORD_TO_THIS_START",
                "CAME_BEFORE",
                "GOES_ON_BEHIND_DISCARDED",
                "FORWARDED_FIRST"
            })
    void without_a_rule_seeds_fail(Rule rule) {
        // One seed in hundreds needs these rules: the search begins where one was found.
        long first =
                switch (rule) {
                    case PUBLISH_WAITS -> 72;
                    case PUBREL_WAITS -> 105;
                    case FORWARDING_BACK -> 148;
                    case WAIT_FOR_END -> 227;
                    case GROUP_MARKS -> 264;
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

    /** None of the thousand needs it; one of the first ten thousand does. */
    @Test
    void a_seed_beyond_the_thousand_notices_that_forwarded_mail_is_held_back() {
        Rule rule = Rule.FORWARDED_FIRST;
        without(rule).notice(rule, 6_280, 20);
    }
}
