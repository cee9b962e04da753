package io.godwit.cluster.registration;

import io.godwit.core.packet.ClientId;

/** The registrar of this shard, asked for a client id whose connection is at another node. */
public interface LocalClaims {
    /**
     * Takes the client id from whatever has it here, in turn with the claims of connections. With
     * Clean Start a durable session ends, and its end is committed before the answer
     * [MQTT-3.1.2-4]. A transient session ends in any case; the answer waits until its publishes
     * are answered, at most as long as the cluster waits for a node.
     *
     * @param then called once, perhaps before this returns
     */
    void endOrFind(ClientId clientId, boolean cleanStart, Found then);

    /** Whether a connection of this node has the client id now. */
    boolean isConnected(ClientId clientId);

    /** Whether the client id has a session here, with a connection or without. */
    boolean hasSession(ClientId clientId);

    /** Whether the client id has a session here that outlives its connections. */
    boolean hasDurableSession(ClientId clientId);

    /** Hears what a claim has found. */
    @FunctionalInterface
    interface Found {
        /**
         * Answers the claim.
         *
         * @param hasDurableSession whether there is a durable session to continue; never with Clean
         *     Start
         */
        void found(boolean hasDurableSession);
    }
}
