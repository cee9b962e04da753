package io.godwit.extension.auth;

import io.godwit.extension.client.Origin;
import io.godwit.extension.packet.ConnectPacket;

/**
 * Asks who a client is.
 *
 * @param connect with the name of its certificate in place of the user name, where the listener's
 *     {@code tls.identity} says so
 */
public record AuthenticationRequest(ConnectPacket connect, Origin origin) {}
