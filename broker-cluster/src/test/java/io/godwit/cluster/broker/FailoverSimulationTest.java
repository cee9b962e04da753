package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.stream.StreamRules;
import io.godwit.core.settings.Rule;
import io.godwit.core.settings.Rules;
import io.godwit.core.simulation.Seeds;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Seeds in which whole brokers take over from each other: {@link FailoverSimulationMain} runs more,
 * of which some fail still.
 */
class FailoverSimulationTest {
    private static final int SEEDS = 45;

    private static final Map<String, Long> LEAST =
            Map.of(
                    "acknowledged", 20_000L,
                    "take-overs", 100L,
                    "deaths", 15L,
                    "crashes", 15L,
                    "sleeps", 15L,
                    "splits", 5L,
                    "links broken", 5L,
                    "QoS 2 interrupted", 500L,
                    "QoS 2 released again", 100L,
                    "equal copies", 300L);

    private static final int GROUPS_SEEDS = 15;

    private static final Map<String, Long> LEAST_OF_GROUPS =
            Map.of(
                    "acknowledged", 4_000L,
                    "take-overs", 20L,
                    "received by the group", 4_000L,
                    "QoS 2 sent again to a member", 3L);

    private static final int RETAINED_SEEDS = 20;

    private static final Map<String, Long> LEAST_RETAINED =
            Map.of(
                    "acknowledged", 8_000L,
                    "take-overs", 40L,
                    "retained received", 150L,
                    "retained at the end", 50L);

    @Test
    void clients_get_what_was_acknowledged_when_others_take_over() {
        run(1, SEEDS, LEAST);
    }

    @Test
    void durable_members_of_a_group_get_what_was_acknowledged_and_qos_2_once() {
        run(FailoverSimulation.GROUPS_FROM + 1, GROUPS_SEEDS, LEAST_OF_GROUPS);
    }

    @Test
    void nodes_have_the_same_retained_messages_when_others_take_over() {
        run(FailoverSimulation.RETAINED_FROM + 1, RETAINED_SEEDS, LEAST_RETAINED);
    }

    /**
     * Replays seeds that failed: a former leader routed publishes that it had held back, behind the
     * same ones that were sent again (201, 273), and one answered for messages that it did not
     * deliver (343); messages for a group were on their way to a node that was lost and forgotten
     * before its groups were taken over (2 000 016).
     */
    @ParameterizedTest
    @ValueSource(longs = {201, 273, 343, 2_000_016})
    void seed_that_has_found_a_fault_passes(long seed) {
        assertThat(FailoverSimulation.run(seed, StreamRules.ALL)).containsKey("take-overs");
    }

    /**
     * Shows that a group has to keep what it hands over: the journal of one node keeps the order of
     * these steps, so that only nodes that are lost show it. {@code GroupMarksTest} has the marks.
     */
    @Test
    void seed_notices_that_a_group_lets_go_before_its_member_keeps_a_message() {
        Rules rules = Rules.without(Rule.GROUP_KEEPS);
        new Seeds<String>(seed -> FailoverSimulation.run(seed, StreamRules.ALL, rules))
                .notice(Rule.GROUP_KEEPS, 2_000_252, 1);
    }

    private static void run(long from, int seeds, Map<String, Long> leastOf) {
        Map<String, Long> counts = new TreeMap<>();
        LongStream.range(from, from + seeds)
                .mapToObj(seed -> FailoverSimulation.run(seed, StreamRules.ALL))
                .forEach(run -> run.forEach((what, n) -> counts.merge(what, n, Long::sum)));
        leastOf.forEach((what, least) ->
                assertThat(counts.getOrDefault(what, 0L)).as(what).isGreaterThanOrEqualTo(least));
    }
}
