package io.godwit.core.auth;

import org.jspecify.annotations.Nullable;

/**
 * Where a connection comes from.
 *
 * @param remoteAddress for people and for rules, with the port, as {@code 10.0.0.1:50412}; by a
 *     proxy that is trusted: as that announced it
 * @param loopback whether it comes from this machine, and by no proxy
 * @param listener name of the listener
 * @param tls how it uses TLS
 */
public record Peer(String remoteAddress, boolean loopback, String listener, PeerTls tls) {
    /** The address of a client without TLS. */
    public Peer(String remoteAddress, boolean loopback, String listener) {
        this(remoteAddress, loopback, listener, PeerTls.NONE);
    }

    /** Whether the client has shown a certificate that was verified. */
    public boolean hasCertificate() {
        return tls.hasCertificate();
    }

    /** Returns the name in that certificate, by the listener's {@code tls.identity}. */
    public @Nullable String certificateName() {
        return tls.certificateName();
    }
}
