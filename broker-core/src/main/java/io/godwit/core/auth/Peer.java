package io.godwit.core.auth;

import org.jspecify.annotations.Nullable;

/**
 * Where a connection comes from.
 *
 * @param remoteAddress for people and for rules, with the port, as {@code 10.0.0.1:50412}; by a
 *     proxy that is trusted: as that announced it
 * @param loopback whether it comes from this machine, and by no proxy
 * @param listener name of the listener
 * @param hasCertificate whether the client has shown a certificate that was verified
 * @param certificateName name in that certificate, by the listener's {@code tls.identity}; null:
 *     none
 */
public record Peer(
        String remoteAddress,
        boolean loopback,
        String listener,
        boolean hasCertificate,
        @Nullable String certificateName) {
    /** The address of a client without a certificate. */
    public Peer(String remoteAddress, boolean loopback, String listener) {
        this(remoteAddress, loopback, listener, false, null);
    }
}
