package io.godwit.extension.event;

import org.jspecify.annotations.Nullable;

/**
 * Is told what happens to sessions, after it has happened, at the node that leads the session; for
 * one client in order, with what a {@link ClientListener} of the extension is told: its session is
 * created or resumed before it is connected, and ends after it was disconnected. When the broker
 * holds 10 000 events that the extension has not taken, further ones are dropped and counted.
 *
 * <p>A node that starts again has the sessions that it had: that is no event.
 */
public interface SessionListener {
    /** Tells that a client has got a new session. */
    default void onCreated(SessionChange change) {}

    /** Tells that a client goes on with its session. */
    default void onResumed(SessionChange change) {}

    /** Tells that this node leads the session from now on, in place of another one. */
    default void onMovedHere(SessionChange change) {}

    /** Tells that another node leads the session from now on. */
    default void onMovedAway(SessionChange change) {}

    /** Tells that the session has ended since its time is over. */
    default void onExpired(SessionChange change) {}

    /** Tells that the session has ended for another reason. */
    default void onEnded(SessionChange change) {}

    /**
     * Says what is known of a session, and why it has changed.
     *
     * @param userName of the client that made the session; null: anonymous
     * @param expirySeconds Session Expiry Interval, 0..4 294 967 295, which is never
     */
    record SessionChange(
            String clientId, @Nullable String userName, long expirySeconds, Cause cause) {}

    /** Names why a session has changed. */
    enum Cause {
        /** The client has connected. */
        CONNECT,
        /** The client has connected with Clean Start, so that the session before ends. */
        CLEAN_START,
        /** The connection of a session without expiry has ended. */
        CONNECTION_ENDED,
        /** Its Session Expiry Interval is over. */
        EXPIRY,
        /** An administrator has ended it. */
        ADMINISTRATOR,
        /** Another node leads the client's session from now on. */
        LEADER_CHANGED,
        /** The client has begun another session while nodes could not reach each other. */
        REPLACED
    }
}
