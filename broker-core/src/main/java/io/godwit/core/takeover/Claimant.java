package io.godwit.core.takeover;

import io.godwit.core.session.Session;
import org.jspecify.annotations.Nullable;

/** A connection that has asked for its client id. */
public interface Claimant {
    /**
     * Takes the client id, which is this connection's own from now on.
     *
     * @param existing the session to continue, already on this shard, or null
     * @return the session that the client id now has, or null when the connection is gone and there
     *     is none
     */
    @Nullable Session granted(@Nullable Session existing);

    /** Tells that the session stays: it is another user's, or was to be ended if it is older. */
    default void kept() {}

    /** Tells it that the claim, which its connection has withdrawn, was not carried out. */
    default void withdrawn() {}
}
