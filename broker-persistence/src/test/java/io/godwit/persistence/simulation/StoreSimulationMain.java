package io.godwit.persistence.simulation;

import io.godwit.core.simulation.SimulationMain;
import io.godwit.persistence.StoreRules;

/** As {@link SimulationMain}, with the production store. */
public final class StoreSimulationMain {
    private StoreSimulationMain() {}

    public static void main(String[] arguments) {
        int off = Integer.getInteger("simulation.without", -1);
        StoreRules rules = off < 0 ? StoreRules.ALL : StoreRules.without(off);
        SimulationMain.run(node -> new DiskStorage(node, rules));
    }
}
