package io.godwit.cluster.replication;

import io.godwit.core.store.CopySets;
import java.util.BitSet;

/**
 * Judges whether a leader knows of every take-over that this node knows of. A leader says which
 * slots it leads by its own table, as its claim. Where this node's table gives one of them to
 * another node, the leader has yet to hear of that: nothing of it is confirmed until it claims that
 * slot no more.
 *
 * <p>A node whose table lacks rows that the leader has refuses it, too, until it has them.
 *
 * <p>On the shard that owns the topic index.
 */
final class SlotClaims {
    private final CopyRules rules;
    private LedSlots slots = LedSlots.UNKNOWN;

    SlotClaims(CopyRules rules) {
        this.rules = rules;
    }

    /** Takes the table of this node. */
    void attach(LedSlots table) {
        slots = table;
    }

    /** Returns which slots a node leads, as far as this node knows. */
    BitSet of(int server) {
        return slots.of(server);
    }

    /**
     * Whether copies of all slots that a leader claims may be written here: this node has no
     * sessions of these that it served before that one did.
     */
    boolean mayCopy(BitSet claim) {
        return !claim.intersects(slots.older()) || !rules.holds(CopyRule.FENCE);
    }

    /**
     * Whether this node has yet to load sessions that it has as copies of a leader's. That one
     * would have those end that it leads no more.
     */
    boolean isLoadingFrom(int leader) {
        return slots.isLoadingFrom(leader) && rules.holds(CopyRule.FENCE);
    }

    /** Returns how often slots of each copy set were taken over, by set. */
    long[] takeovers() {
        return slots.takeovers();
    }

    /**
     * Whether another node has taken slots of a copy set over, and the sessions here may still be
     * written to: what they are given may be missing there, so it must not be answered.
     */
    boolean isLeftUnsettled(int copySet) {
        BitSet unsettled = slots.unsettled();
        return !unsettled.isEmpty() && CopySets.ofSlots(unsettled).get(copySet);
    }

    /**
     * Whether this node's table gives a leader all slots that it claims.
     *
     * @param leader server id
     */
    boolean agrees(int leader, BitSet claim) {
        BitSet others = (BitSet) claim.clone();
        others.andNot(slots.of(leader));
        return others.isEmpty() || !rules.holds(CopyRule.FENCE);
    }
}
