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
    HOLDINGS_BEFORE_GIVING;

    /** All rules. */
    public static final Set<LeadershipRule> ALL = Set.copyOf(EnumSet.allOf(LeadershipRule.class));
}
