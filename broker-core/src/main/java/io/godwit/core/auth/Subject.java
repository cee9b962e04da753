package io.godwit.core.auth;

import io.godwit.core.packet.ClientId;
import org.jspecify.annotations.Nullable;

/**
 * A client whose identity is known, on one connection: what rules are about.
 *
 * @param setup what was set up for the connection; null: nothing
 */
public record Subject(
        ClientId clientId, Identity identity, Peer peer, @Nullable ConnectionSetup setup) {
    /** Returns a client for whose connection nothing was set up. */
    public Subject(ClientId clientId, Identity identity, Peer peer) {
        this(clientId, identity, peer, null);
    }

    /** Returns the same client with what was set up for its connection. */
    public Subject with(ConnectionSetup made) {
        return new Subject(clientId, identity, peer, made);
    }
}
