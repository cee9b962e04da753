package io.godwit.server.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * TLS of one listener ({@code listeners.<name>.tls.*}). The files are absolute and have not been
 * opened yet: who opens them reports what is wrong inside.
 *
 * @param certificate PEM: the server's certificate, then its chain
 * @param key PEM, PKCS#8, without a password
 * @param clientCa PEM: who signs the clients' certificates; null = none are asked for
 * @param protocols names as TLS libraries know them, {@code TLSv1.3}; never empty
 * @param clientCrl revocation lists of clients' certificates, PEM or DER; empty = none are looked
 *     at
 * @param names pairs for clients that ask for a host name, by that name in small letters, or {@code
 *     *.} and the rest of it; who asks for none of them gets {@code certificate}
 */
public record TlsConfig(
        Path certificate,
        Path key,
        @Nullable Path clientCa,
        ClientAuth clientAuth,
        List<String> protocols,
        Provider provider,
        List<Path> clientCrl,
        ExpiredCrl clientCrlExpired,
        Map<String, Pair> names,
        Identity identity) {
    public TlsConfig {
        protocols = List.copyOf(protocols);
        clientCrl = List.copyOf(clientCrl);
        names = Map.copyOf(names);
    }

    /** Makes one without revocation lists, further names and identity. */
    public TlsConfig(
            Path certificate,
            Path key,
            @Nullable Path clientCa,
            ClientAuth clientAuth,
            List<String> protocols,
            Provider provider) {
        this(
                certificate,
                key,
                clientCa,
                clientAuth,
                protocols,
                provider,
                List.of(),
                ExpiredCrl.REFUSE,
                Map.of(),
                Identity.NONE);
    }

    /** The files of a certificate with its chain and of its private key. */
    public record Pair(Path certificate, Path key) {}

    /**
     * Says what a client's certificate tells of who the client is.
     *
     * @param andPassword the client must send the password of that user, too
     */
    public record Identity(IdentitySource source, IdentityUse usedFor, boolean andPassword) {
        public static final Identity NONE =
                new Identity(IdentitySource.NONE, IdentityUse.USER_NAME, false);
    }

    /** The part of a client's certificate that is its name. */
    public enum IdentitySource {
        NONE,
        /** The most specific common name of the subject. */
        CN,
        /** The whole subject, as RFC 2253 writes it. */
        DN,
        /** The first alternative name of that kind. */
        SAN_DNS,
        SAN_URI,
        SAN_EMAIL
    }

    /** Says what the name in a certificate stands for. */
    public enum IdentityUse {
        USER_NAME,
        CLIENT_ID,
        BOTH
    }

    /** Says what happens to new clients of an authority whose revocation lists are out of date. */
    public enum ExpiredCrl {
        REFUSE,
        ACCEPT
    }

    /** Whether a client shows a certificate. */
    public enum ClientAuth {
        NONE,
        OPTIONAL,
        REQUIRED
    }

    /** Which library encrypts. */
    public enum Provider {
        /** OpenSSL (BoringSSL through tcnative) where it loads, else the JDK. */
        AUTO,
        OPENSSL,
        JDK
    }
}
