package io.godwit.cluster.replication;

import java.util.EnumSet;
import java.util.Set;

/** The rules of copies that hold: all, but in the simulator. */
public record CopyRules(Set<CopyRule> off) {
    public static final CopyRules ALL = new CopyRules(EnumSet.noneOf(CopyRule.class));

    /** Returns all rules but one. */
    public static CopyRules without(CopyRule rule) {
        return new CopyRules(EnumSet.of(rule));
    }

    /** Whether a rule holds. */
    boolean holds(CopyRule rule) {
        return !off.contains(rule);
    }
}
