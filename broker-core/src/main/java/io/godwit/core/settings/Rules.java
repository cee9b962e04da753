package io.godwit.core.settings;

import java.util.EnumSet;
import java.util.Set;

/** Which rules of the design hold: all of them, but in the simulator. */
public final class Rules {
    /** Every rule holds. */
    public static final Rules ALL = new Rules(EnumSet.allOf(Rule.class), 0);

    private final Set<Rule> holding;
    private final int packetIdBefore;

    private Rules(Set<Rule> holding, int packetIdBefore) {
        this.holding = holding;
        this.packetIdBefore = packetIdBefore;
    }

    /** The rules without one of them. */
    public static Rules without(Rule rule) {
        return new Rules(EnumSet.complementOf(EnumSet.of(rule)), 0);
    }

    public boolean holds(Rule rule) {
        return holding.contains(rule);
    }

    /**
     * The packet id before the first one of each session: 0, or near 65 535 to meet the wrap early.
     */
    public int packetIdBefore() {
        return packetIdBefore;
    }

    /** The same rules, with packet ids that begin behind this one. */
    public Rules packetIdsFrom(int before) {
        return new Rules(holding, before);
    }
}
