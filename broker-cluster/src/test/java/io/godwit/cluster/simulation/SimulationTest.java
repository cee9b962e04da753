package io.godwit.cluster.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.ClusterRule;
import io.godwit.cluster.ClusterRules;
import io.godwit.core.simulation.Seeds;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Seeds of {@link Simulation}; {@code -Dsimulation.seed=N} replays one. */
class SimulationTest {
    private static final int SEEDS = Integer.getInteger("simulation.seeds", 40);

    /** How often forty seeds have to meet each thing, at least. */
    private static final Map<Happening, Integer> LEAST =
            new EnumMap<>(
                    Map.ofEntries(
                            Map.entry(Happening.LINK_UP, 1_000),
                            Map.entry(Happening.LINK_DOWN, 800),
                            Map.entry(Happening.SILENT, 20),
                            Map.entry(Happening.HEARD_AGAIN, 1),
                            Map.entry(Happening.CUT_BOTH_WAYS, 30),
                            Map.entry(Happening.CUT_ONE_WAY, 30),
                            Map.entry(Happening.HEALED, 80),
                            Map.entry(Happening.STOPPED, 40),
                            Map.entry(Happening.CRASHED, 25),
                            Map.entry(Happening.COPY_STARTED, 30),
                            Map.entry(Happening.VIEW_LIED, 600),
                            Map.entry(Happening.FRAME_LOST, 10_000),
                            Map.entry(Happening.FRAME_LATE, 2_000),
                            Map.entry(Happening.RESUMED, 500),
                            Map.entry(Happening.UNCONFIRMED_BUT_RECEIVED, 400),
                            Map.entry(Happening.UNCONFIRMED_AND_LOST, 1_000),
                            Map.entry(Happening.CUT_MESSAGE, 2_000),
                            Map.entry(Happening.NO_ROOM, 500),
                            Map.entry(Happening.ROOM_AGAIN, 1)));

    private static Seeds<Happening> seeds(ClusterRules rules) {
        return new Seeds<>(seed -> Simulation.run(seed, rules));
    }

    @Test
    void seeds_lose_nothing_unsaid_and_meet_everything() {
        if (!seeds(ClusterRules.ALL).replay()) {
            assertThat(LEAST.keySet()).isEqualTo(EnumSet.allOf(Happening.class));
            seeds(ClusterRules.ALL).meet(SEEDS, LEAST, 40);
        }
    }

    @Test
    void a_seed_tells_the_same_story_twice() {
        seeds(ClusterRules.ALL).sameTwice(3);
    }

    @ParameterizedTest
    @EnumSource
    void without_a_rule_seeds_fail(ClusterRule rule) {
        seeds(ClusterRules.without(rule)).notice(rule, 100);
    }
}
