package io.godwit.cluster.stream;

import java.util.EnumSet;
import java.util.Set;

/** Which rules hold: all of them, but in the simulator. */
public final class StreamRules {
    /** Every rule holds. */
    public static final StreamRules ALL = new StreamRules(EnumSet.allOf(StreamRule.class));

    private final Set<StreamRule> holding;

    private StreamRules(Set<StreamRule> holding) {
        this.holding = holding;
    }

    /** All rules but this one. */
    public static StreamRules without(StreamRule rule) {
        return new StreamRules(EnumSet.complementOf(EnumSet.of(rule)));
    }

    public boolean holds(StreamRule rule) {
        return holding.contains(rule);
    }
}
