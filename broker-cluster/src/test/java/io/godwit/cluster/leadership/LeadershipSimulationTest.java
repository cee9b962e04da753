package io.godwit.cluster.leadership;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.leadership.LeadershipSimulation.Trouble;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Nodes that lead slots, under troubles; {@link LeadershipSimulationMain} runs more seeds. */
class LeadershipSimulationTest {
    private static final int SEEDS = 200;

    /** By event: how often the seeds together have to meet it, at least. */
    private static final Map<String, Integer> LEAST =
            Map.of(
                    "led", 5_000,
                    "given", 500,
                    "aside", 5,
                    "sessions", 500,
                    "crashes", 500,
                    "cuts", 200,
                    "outages", 80,
                    "forgotten", 10,
                    "damaged", 5,
                    "takeOvers", 200);

    @Test
    void each_slot_gets_one_leader_and_no_session_is_lost() {
        Map<String, Integer> counts = new TreeMap<>();
        for (long seed = 1; seed <= SEEDS; seed++) {
            LeadershipSimulation.run(seed, Trouble.of(seed), LeadershipRule.ALL)
                    .forEach((what, n) -> counts.merge(what, n, Integer::sum));
        }
        LEAST.forEach((what, least) ->
                assertThat(counts.getOrDefault(what, 0)).as(what).isGreaterThanOrEqualTo(least));
    }

    @Test
    void a_seed_tells_the_same_story_twice() {
        assertThat(LeadershipSimulation.run(7, Trouble.FOUNDERS, LeadershipRule.ALL))
                .isEqualTo(LeadershipSimulation.run(7, Trouble.FOUNDERS, LeadershipRule.ALL));
    }
}
