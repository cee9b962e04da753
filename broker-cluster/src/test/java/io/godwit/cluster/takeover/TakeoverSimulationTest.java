package io.godwit.cluster.takeover;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.takeover.TakeoverSimulation.Trouble;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Takeovers between model nodes; {@link TakeoverSimulationMain} runs more seeds. */
class TakeoverSimulationTest {
    private static final int SEEDS = 45;

    /** What so many seeds have to meet, at least. */
    private static final Map<String, Integer> LEAST =
            Map.of(
                    "accepted", 1_500,
                    "crashes", 60,
                    "cuts", 60,
                    "moved", 500,
                    "drained", 8,
                    "offered", 5,
                    "set aside", 5,
                    "taken back", 5,
                    "two at once", 400);

    private static final Map<String, Integer> LEAST_DEATHS =
            Map.of("accepted", 1_500, "deaths", 120, "moved", 400, "refused", 400);

    private static final Map<String, Integer> LEAST_FORGETTING =
            Map.of("accepted", 1_500, "forgettings", 60, "set aside", 20);

    @Test
    void each_session_has_one_home_and_everything_that_was_acknowledged() {
        Map<String, Integer> counts = new TreeMap<>();
        for (long seed = 1; seed <= SEEDS; seed++) {
            TakeoverSimulation.run(seed, Trouble.ANY, TakeoverRule.ALL)
                    .forEach((what, n) -> counts.merge(what, n, Integer::sum));
        }
        LEAST.forEach((what, least) ->
                assertThat(counts.getOrDefault(what, 0)).as(what).isGreaterThanOrEqualTo(least));
    }

    /** Also when clients connect to two nodes at once; and nobody is refused. */
    @Test
    void while_nothing_breaks_each_client_id_has_one_connection() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            TakeoverSimulation.run(seed, Trouble.NONE, TakeoverRule.ALL);
        }
    }

    /** A home and the first anchor of its slot are one node in a third of all cases, or more. */
    @Test
    void while_nodes_die_one_after_the_other_no_durable_session_is_made_anew() {
        Map<String, Integer> counts = new TreeMap<>();
        for (long seed = 1; seed <= SEEDS; seed++) {
            TakeoverSimulation.run(seed, Trouble.DEATHS, TakeoverRule.ALL)
                    .forEach((what, n) -> counts.merge(what, n, Integer::sum));
        }
        LEAST_DEATHS.forEach((what, least) ->
                assertThat(counts.getOrDefault(what, 0)).as(what).isGreaterThanOrEqualTo(least));
    }

    /**
     * And of a client id of a node that is back the session that was made since it was forgotten.
     */
    @Test
    void when_nodes_are_forgotten_their_client_ids_are_granted_anew() {
        Map<String, Integer> counts = new TreeMap<>();
        for (long seed = 1; seed <= SEEDS; seed++) {
            TakeoverSimulation.run(seed, Trouble.FORGETTING, TakeoverRule.ALL)
                    .forEach((what, n) -> counts.merge(what, n, Integer::sum));
        }
        LEAST_FORGETTING.forEach((what, least) ->
                assertThat(counts.getOrDefault(what, 0)).as(what).isGreaterThanOrEqualTo(least));
    }

    /**
     * Seeds that have found something: what a former home keeps of a session that has ended, or was
     * set aside, goes also when another session of the client id is, or was, on its node.
     */
    @ParameterizedTest
    @ValueSource(longs = {137, 242})
    void what_was_given_does_not_stay_behind(long seed) {
        TakeoverSimulation.run(seed, Trouble.ANY, TakeoverRule.ALL);
    }

    @Test
    void a_seed_tells_the_same_story_twice() {
        assertThat(TakeoverSimulation.run(7, Trouble.ANY, TakeoverRule.ALL))
                .isEqualTo(TakeoverSimulation.run(7, Trouble.ANY, TakeoverRule.ALL));
    }
}
