package io.godwit.cluster.registration;

import org.jspecify.annotations.Nullable;

/**
 * The leaders of all slots as one shard knows them. They change only where {@link
 * ShardRegistration#onLeadersChanged} is called, on the shard's thread.
 */
public interface Leaders {
    /**
     * Returns the leader by the highest epoch that is known.
     *
     * @return null: the slot has none
     */
    @Nullable Leader leader(int slot);

    /** Whether this node acts as the slot's leader, or hears who does. */
    boolean isLed(int slot);

    /**
     * Returns who grants transient connections with Clean Start in the place of a leader that is
     * out of reach, under the leader's epoch.
     *
     * @return null: nobody
     */
    @Nullable Leader standIn(int slot);

    /**
     * Whether this node acts as the slot's leader and knows the tables and sessions of all live
     * nodes, or has waited long enough for them. {@link ShardRegistration#onLeadersChanged} tells
     * of changes.
     */
    boolean isActing(int slot);

    /** Returns the slot's row of the table, for nodes that take this one for the leader. */
    byte[] row(int slot);

    /**
     * Merges a row that another node has sent. When it is new, {@link
     * ShardRegistration#onLeadersChanged} follows, perhaps before this returns.
     */
    void merge(byte[] row);
}
