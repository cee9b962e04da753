package io.godwit.cluster;

import java.util.EnumSet;
import java.util.Set;

/** Which rules of the design hold: all of them, but in the simulator. */
public final class ClusterRules {
    /** Every rule holds. */
    public static final ClusterRules ALL = new ClusterRules(EnumSet.allOf(ClusterRule.class));

    private final Set<ClusterRule> holding;

    private ClusterRules(Set<ClusterRule> holding) {
        this.holding = holding;
    }

    /** All rules but this one. */
    public static ClusterRules without(ClusterRule rule) {
        return new ClusterRules(EnumSet.complementOf(EnumSet.of(rule)));
    }

    public boolean holds(ClusterRule rule) {
        return holding.contains(rule);
    }
}
