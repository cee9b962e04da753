package io.godwit.persistence.settings;

import java.util.EnumSet;
import java.util.Set;

/** The {@linkplain StoreRule rules} that hold. */
public final class StoreRules {
    /** Every rule holds. */
    public static final StoreRules ALL = new StoreRules(EnumSet.allOf(StoreRule.class));

    private final Set<StoreRule> holding;

    private StoreRules(Set<StoreRule> holding) {
        this.holding = holding;
    }

    public static StoreRules without(StoreRule rule) {
        return new StoreRules(EnumSet.complementOf(EnumSet.of(rule)));
    }

    public boolean holds(StoreRule rule) {
        return holding.contains(rule);
    }
}
