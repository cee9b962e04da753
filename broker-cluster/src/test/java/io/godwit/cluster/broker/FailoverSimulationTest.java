package io.godwit.cluster.broker;

import io.godwit.cluster.stream.StreamRules;
import io.godwit.core.simulation.Seeds;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Whole brokers take over from each other: {@link FailoverSimulationMain} runs more seeds. */
class FailoverSimulationTest {
    private static final int SEEDS = Integer.getInteger("failover.seeds", 14);

    /** How often 14 seeds have to meet each thing, at least: a third of what happens there. */
    private static final Map<String, Integer> LEAST =
            Map.of(
                    "take-overs", 11,
                    "deaths", 2,
                    "sleeps", 4,
                    "connected", 140,
                    "acknowledged", 1_800,
                    "received", 7_200,
                    "sent again", 120,
                    "QoS 2 interrupted", 90,
                    "QoS 2 released again", 20,
                    "equal copies", 70);

    private static final Seeds<String> ALL =
            new Seeds<>(seed -> FailoverSimulation.run(seed, StreamRules.ALL));

    @Test
    void clients_get_what_was_acknowledged_when_others_take_over() {
        if (!ALL.replay()) {
            ALL.meet(SEEDS, LEAST, 14);
        }
    }

    @Test
    void a_seed_does_the_same_twice() {
        ALL.sameTwice(1);
    }
}
