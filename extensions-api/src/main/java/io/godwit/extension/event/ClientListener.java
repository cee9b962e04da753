package io.godwit.extension.event;

import io.godwit.extension.client.Client;
import io.godwit.extension.client.Origin;

/**
 * Is told what happens to clients, after it has happened; for one client in order. When the broker
 * holds 10 000 events that the extension has not taken, further ones are dropped and counted.
 */
public interface ClientListener {
    /** Tells that a client was refused. */
    default void onRefused(Refusal refusal) {}

    /**
     * Tells that CONNACK has left.
     *
     * @param sessionPresent whether the client goes on with a session
     */
    default void onConnected(Client client, boolean sessionPresent) {}

    /** Tells that a connection has ended, which {@link #onConnected} has told of. */
    default void onDisconnected(Client client, Disconnect disconnect) {}

    /**
     * Says who was refused.
     *
     * @param reasonCode of CONNACK, 0x80..0xFF
     * @param text says why
     */
    record Refusal(String clientId, Origin origin, int reasonCode, String text) {}

    /**
     * Says how a connection has ended.
     *
     * @param cause the kind of end
     * @param reasonCode of the DISCONNECT that was received or sent; 0 also without one
     */
    record Disconnect(Cause cause, int reasonCode) {}

    /** Names who ended a connection. */
    enum Cause {
        /** The client, by DISCONNECT. */
        CLIENT,
        /** The broker. */
        SERVER,
        /** Nobody: the socket is gone, or the client has fallen silent. */
        LOST
    }
}
