package io.godwit.cluster.remote;

import io.godwit.core.simulation.Seeds;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Remote connections on links that are slow, silent and broken; by chance, each seed replays. */
class RemoteSimulationTest {
    private static final int SEEDS = Integer.getInteger("simulation.seeds", 500);

    @Test
    void channels_pass_every_byte_once_within_their_bounds_and_all_end() {
        Seeds<Met> seeds = new Seeds<>(Simulation::run);
        if (!seeds.replay()) {
            Map<Met, Integer> least = new EnumMap<>(Met.class);
            for (Met each : Met.values()) {
                least.put(each, 10);
            }
            seeds.meet(SEEDS, least, 500);
        }
    }

    @Test
    void a_seed_does_the_same_twice() {
        new Seeds<>(Simulation::run).sameTwice(5);
    }
}
