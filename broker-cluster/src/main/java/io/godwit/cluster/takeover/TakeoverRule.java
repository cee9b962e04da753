package io.godwit.cluster.takeover;

import java.util.EnumSet;
import java.util.Set;

/**
 * A rule of takeovers between nodes whose absence the simulator must notice. In production each
 * holds.
 */
public enum TakeoverRule {
    /** Claims of one client id are granted one after the other. */
    ONE_GRANT,
    /** An anchor grants only what every live node has told it of. */
    COMPLETE,
    /** The second anchor of a slot, too, knows the durable sessions in it. */
    TWO_ANCHORS,
    /** A home gives a session only to a claim with a higher number than it has. */
    NUMBERS,
    /** What was given is not given again before the grant has come to nothing. */
    GIVEN_ONCE,
    /** Numbers that are granted after a node was forgotten are above those that it can have. */
    NUMBERS_AFTER_FORGETTING;

    static final Set<TakeoverRule> ALL = Set.copyOf(EnumSet.allOf(TakeoverRule.class));
}
