package io.godwit.cluster.registration;

import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Will;
import io.godwit.core.takeover.ClaimingUser;
import org.jspecify.annotations.Nullable;

/** The registrar of this shard, asked for a client id whose connection is at another node. */
public interface LocalClaims {
    /**
     * Takes the client id from whatever has it here, in turn with the claims of connections. With
     * Clean Start a durable session ends, and its end is committed before the answer
     * [MQTT-3.1.2-4]. A transient session ends in any case; the answer waits until its publishes
     * are answered, at most as long as the cluster waits for a node. A session of another user
     * stays as it is.
     *
     * @param by who claims; null: sessions are anyone's
     * @param then called once, perhaps before this returns
     */
    void endOrFind(ClientId clientId, boolean cleanStart, @Nullable ClaimingUser by, Answer then);

    /** Whether the client id has no session here, as far as is known, that is another user's. */
    boolean mayTake(ClientId clientId, ClaimingUser by);

    /** Whether a connection of this node has the client id now. */
    boolean isConnected(ClientId clientId);

    /** Whether the client id has a session here, with a connection or without. */
    boolean hasSession(ClientId clientId);

    /**
     * Ends the session of a client id as a Clean Start does, in turn with claims, if its last
     * CONNECT came before a grant and it has no connection; the end is committed before the answer
     * [MQTT-3.1.2-4]. A session of another user stays.
     *
     * @param grantedAt clock of the grant's stamp
     * @param by whom it was granted to; null: sessions are anyone's
     * @param then called once, perhaps before this returns
     */
    void endOlder(ClientId clientId, long grantedAt, @Nullable ClaimingUser by, Stays then);

    /**
     * Returns the clock of the stamp of a grant that is made now: above those of all CONNECTs that
     * this node and those that it hears have served before.
     */
    long grantClock();

    /**
     * Publishes the Will of a connection at another node, at this one.
     *
     * @param whenKept runs when it is kept that this node owes the Will
     */
    void publishWill(ClientId clientId, Will will, Runnable whenKept);

    /** Hears whether a session that was to end if it is older stays. */
    @FunctionalInterface
    interface Stays {
        /** Tells whether the client id has a session here now. */
        void stays(boolean hasSession);
    }

    /** Says what a claim has found. */
    enum Found {
        /** Nothing, or nothing any more. */
        NOTHING,
        /** A durable session to continue; never with Clean Start. */
        DURABLE_SESSION,
        /** A session of another user, which stays as it is. */
        OF_ANOTHER_USER
    }

    /** Hears what a claim has found. */
    @FunctionalInterface
    interface Answer {
        /** Answers the claim. */
        void found(Found found);
    }
}
