package io.godwit.core.takeover;

import io.godwit.core.session.Session;
import org.jspecify.annotations.Nullable;

/** A connection that has asked for its client id. */
public interface Claimant {
    /**
     * Called when the client id is this connection's own.
     *
     * @param existing the session to continue, already on this shard, or null
     * @param homeChanges how often the session of this client id has changed its home
     * @return the session that the client id now has, or null when the connection is gone and there
     *     is none
     */
    @Nullable Session granted(@Nullable Session existing, long homeChanges);

    /** Tells it that the session has a home that is out of reach. */
    void refused();

    /** Tells it that the claim, which its connection has withdrawn, was not carried out. */
    default void withdrawn() {}
}
