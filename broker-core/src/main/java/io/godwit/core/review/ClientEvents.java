package io.godwit.core.review;

import io.godwit.core.auth.Peer;
import io.godwit.core.auth.Subject;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;

/** Hears what has happened to clients, by the thread of their shard; must not block. */
public interface ClientEvents {
    /** Tells that a CONNECT was refused, after its client id was read. */
    void refused(ClientId clientId, Peer peer, ReasonCode reason, String text);

    /** Tells that CONNACK has left. */
    void connected(Subject client, ProtocolVersion version, boolean sessionPresent);

    /**
     * Tells that a connection has ended, which {@link #connected} has told of.
     *
     * @param reason of the DISCONNECT that was received or sent; SUCCESS also without one
     */
    void disconnected(Subject client, ProtocolVersion version, Cause cause, ReasonCode reason);

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
