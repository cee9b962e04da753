package io.godwit.core.connection;

import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import org.jspecify.annotations.Nullable;

/**
 * A CONNECT that was checked and authenticated, with where it came from: all that the node needs
 * that serves the connection. No password.
 *
 * @param connect with the client id that counts, and without its password
 * @param assignedId whether the broker has given the client id
 * @param expirySeconds Session Expiry Interval that counts, 0..4 294 967 295
 * @param authenticationData last data of enhanced authentication, for CONNACK; null: none
 * @param address of the client, for people and for limits per address
 * @param loopback whether the client is on the machine of the node that it is connected to
 * @param listener name of the listener that it came in by
 */
public record AuthenticatedConnect(
        Packet.Connect connect,
        boolean assignedId,
        long expirySeconds,
        byte @Nullable [] authenticationData,
        String address,
        boolean loopback,
        String listener) {
    public ClientId clientId() {
        return connect.clientId();
    }

    /** Whether its session is to outlive the connection. */
    public boolean isDurable() {
        return expirySeconds > 0;
    }
}
