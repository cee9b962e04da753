package io.godwit.server.config;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * TLS of one listener ({@code listeners.<name>.tls.*}). The files are absolute and have not been
 * opened yet: who opens them reports what is wrong inside.
 *
 * @param certificate PEM: the server's certificate, then its chain
 * @param key PEM, PKCS#8, without a password
 * @param clientCa PEM: who signs the clients' certificates; null = none are asked for
 * @param protocols names as TLS libraries know them, {@code TLSv1.3}; never empty
 */
public record TlsConfig(
        Path certificate,
        Path key,
        @Nullable Path clientCa,
        ClientAuth clientAuth,
        List<String> protocols,
        Provider provider) {
    public TlsConfig {
        protocols = List.copyOf(protocols);
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
