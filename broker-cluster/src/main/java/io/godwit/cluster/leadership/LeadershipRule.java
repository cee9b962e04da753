package io.godwit.cluster.leadership;

import java.util.EnumSet;
import java.util.Set;

/** A rule of leadership whose absence the simulator must notice. In production each holds. */
public enum LeadershipRule {
    /** A node acts for a slot only under an epoch that is on its disk. */
    DISK_BEFORE_ACTING,
    /** A higher epoch ends the lower one, also at a leader that acts under it. */
    HIGHEST_EPOCH,
    /** A slot gets its first leader only when no member's table has one. */
    TABLES_BEFORE_FOUNDING,
    /** A slot goes to its preferred leader only when every live member has told what it holds. */
    HOLDINGS_BEFORE_GIVING,
    /** An epoch of a take-over is above all that the former leader makes alone. */
    TAKE_OVER_ABOVE_STARTS,
    /** A node acts for a slot that it has taken over only when it has loaded its sessions. */
    LOAD_BEFORE_ACTING,
    /**
     * A start loads the slots again that this node had taken over: it may have ended while it
     * loaded them.
     */
    LOAD_AGAIN_AT_START,
    /** Sessions of before a take-over by another node become copies as soon as it is known. */
    OLDER_YIELDED,
    /** A slot that was taken over is never given to a node for its sessions. */
    NO_HOLDER_AFTER_TAKE_OVER;

    /** All rules. */
    public static final Set<LeadershipRule> ALL = Set.copyOf(EnumSet.allOf(LeadershipRule.class));
}
