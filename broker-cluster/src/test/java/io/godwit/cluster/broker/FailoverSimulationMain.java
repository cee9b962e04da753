package io.godwit.cluster.broker;

import io.godwit.cluster.stream.StreamRule;
import io.godwit.cluster.stream.StreamRules;
import io.godwit.core.simulation.Seeds;

/**
 * Seeds of whole brokers that take over from each other: {@code -Dsimulation.from=1
 * -Dsimulation.seeds=1000 -Dsimulation.all=true}, or one with {@code -Dsimulation.seed}; {@code
 * -Dsimulation.without-stream-rule=REDIRECT} switches a rule off.
 */
public final class FailoverSimulationMain {
    private FailoverSimulationMain() {}

    public static void main(String[] arguments) {
        String without = System.getProperty("simulation.without-stream-rule");
        StreamRules rules =
                without == null
                        ? StreamRules.ALL
                        : StreamRules.without(StreamRule.valueOf(without));
        new Seeds<String>(seed -> FailoverSimulation.run(seed, rules)).run(100);
    }
}
