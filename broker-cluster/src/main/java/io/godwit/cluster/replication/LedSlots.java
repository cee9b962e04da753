package io.godwit.cluster.replication;

import io.godwit.core.store.CopySets;
import java.util.BitSet;

/**
 * Tells which slots a node leads, by the table of this node: also those that it does not act for
 * yet. On the shard that owns the topic index.
 */
public interface LedSlots {
    /** Of a node whose table nobody has passed in. */
    LedSlots UNKNOWN = server -> new BitSet(0);

    /**
     * Returns a set that the caller may keep, and does not change.
     *
     * @param server id of the leader
     */
    BitSet of(int server);

    /**
     * Returns the slots in which this node may have sessions of before another one took them over,
     * which are no copies yet: nothing may be applied to these. Not to be changed.
     */
    default BitSet older() {
        return new BitSet(0);
    }

    /**
     * Returns those {@link #older} ones whose new leader has not said that all know of it, or whose
     * sessions have not become copies: what is written to these may be missing at that leader.
     */
    default BitSet unsettled() {
        return new BitSet(0);
    }

    /**
     * Whether this node has yet to load sessions of slots that it has taken over from a leader: it
     * has them as copies of that one's, which are not to change.
     *
     * @param leader server id of the former leader
     */
    default boolean isLoadingFrom(int leader) {
        return false;
    }

    /**
     * Returns how often slots of each copy set were taken over, as far as this node knows, by set.
     */
    default long[] takeovers() {
        return new long[CopySets.LAST + 1];
    }
}
