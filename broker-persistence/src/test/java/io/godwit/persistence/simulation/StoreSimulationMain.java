package io.godwit.persistence.simulation;

import io.godwit.core.simulation.SimulationMain;
import io.godwit.persistence.settings.StoreRule;
import io.godwit.persistence.settings.StoreRules;

/** As {@link SimulationMain}, with the production store. */
public final class StoreSimulationMain {
    private StoreSimulationMain() {}

    public static void main(String[] arguments) {
        String off = System.getProperty("simulation.without");
        StoreRules rules =
                off == null ? StoreRules.ALL : StoreRules.without(StoreRule.valueOf(off));
        SimulationMain.run(node -> new DiskStorage(node, rules));
    }
}
