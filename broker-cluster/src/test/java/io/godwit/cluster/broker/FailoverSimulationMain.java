package io.godwit.cluster.broker;

import io.godwit.cluster.stream.StreamRule;
import io.godwit.cluster.stream.StreamRules;
import io.godwit.core.settings.Rule;
import io.godwit.core.settings.Rules;
import io.godwit.core.simulation.Seeds;

/**
 * Seeds of whole brokers that take over from each other: {@code -Dsimulation.from=1
 * -Dsimulation.seeds=1000 -Dsimulation.all=true}, or one with {@code -Dsimulation.seed}; {@code
 * -Dsimulation.without-stream-rule=REDIRECT} or {@code -Dsimulation.without=GROUP_MARKS} switches a
 * rule off.
 */
public final class FailoverSimulationMain {
    private FailoverSimulationMain() {}

    public static void main(String[] arguments) {
        String without = System.getProperty("simulation.without-stream-rule");
        StreamRules rules =
                without == null
                        ? StreamRules.ALL
                        : StreamRules.without(StreamRule.valueOf(without));
        String withoutToo = System.getProperty("simulation.without");
        Rules brokerRules =
                withoutToo == null ? Rules.ALL : Rules.without(Rule.valueOf(withoutToo));
        new Seeds<String>(seed -> FailoverSimulation.run(seed, rules, brokerRules)).run(100);
    }
}
