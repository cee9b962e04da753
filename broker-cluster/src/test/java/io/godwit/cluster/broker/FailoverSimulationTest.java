package io.godwit.cluster.broker;

import io.godwit.cluster.stream.StreamRules;
import io.godwit.core.simulation.Seeds;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Whole brokers take over from each other: {@link FailoverSimulationMain} runs more seeds. */
class FailoverSimulationTest {
    private static final int SEEDS = Integer.getInteger("failover.seeds", 2);

    private static final Seeds<String> ALL =
            new Seeds<>(seed -> FailoverSimulation.run(seed, StreamRules.ALL));

    @Test
    void clients_get_what_was_acknowledged_when_others_take_over() {
        if (!ALL.replay()) {
            ALL.meet(SEEDS, Map.of(), SEEDS);
        }
    }

    @Test
    void a_seed_does_the_same_twice() {
        ALL.sameTwice(2);
    }
}
