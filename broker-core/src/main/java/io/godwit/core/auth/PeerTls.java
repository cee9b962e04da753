package io.godwit.core.auth;

import org.jspecify.annotations.Nullable;

/**
 * Says how a client has used TLS: with the broker, or with a proxy that is trusted and has
 * announced it. Nothing of it is secret.
 *
 * @param version such as {@code TLSv1.3}; null: not known
 * @param serverName host name that the client has asked for (SNI); null: none
 * @param hasCertificate whether the client has shown a certificate that was verified
 * @param certificateName name in that certificate, by the listener's {@code tls.identity}; null:
 *     none
 */
public record PeerTls(
        @Nullable String version,
        @Nullable String serverName,
        boolean hasCertificate,
        @Nullable String certificateName) {
    /** A connection without TLS, as far as is known. */
    public static final PeerTls NONE = new PeerTls(null, null, false, null);

    /** Returns the same, as {@link #NONE} where it is that. */
    public static PeerTls of(
            @Nullable String version,
            @Nullable String serverName,
            boolean hasCertificate,
            @Nullable String certificateName) {
        PeerTls made = new PeerTls(version, serverName, hasCertificate, certificateName);
        return made.equals(NONE) ? NONE : made;
    }
}
