package io.godwit.core.review;

import io.godwit.core.packet.ClientId;
import org.jspecify.annotations.Nullable;

/**
 * Hears what has happened to sessions that clients were promised, by the thread of their shard;
 * must not block. Only this node's: another node tells of those that it leads.
 */
public interface SessionEvents {
    /**
     * Tells of one event.
     *
     * @param owner the user who made the session; null: anonymous
     * @param expirySeconds Session Expiry Interval, 0..4 294 967 295
     */
    void happened(
            ClientId clientId, @Nullable String owner, long expirySeconds, Kind kind, Cause cause);

    /** Names what has happened. */
    enum Kind {
        CREATED,
        RESUMED,
        MOVED_HERE,
        MOVED_AWAY,
        EXPIRED,
        ENDED
    }

    /** Names why. */
    enum Cause {
        /** The client has connected. */
        CONNECT,
        /** The client has connected with Clean Start. */
        CLEAN_START,
        /** The connection of a session without expiry has ended. */
        CONNECTION_ENDED,
        /** Its time is over. */
        EXPIRY,
        /** An administrator has ended it. */
        ADMINISTRATOR,
        /** Another node leads it from now on, or this one in place of another. */
        LEADER_CHANGED,
        /** Another session of the client id, which began at another node, counts. */
        REPLACED
    }
}
