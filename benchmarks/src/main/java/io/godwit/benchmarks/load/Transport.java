package io.godwit.benchmarks.load;

import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How clients reach a broker.
 *
 * @param proxyHeader whether a PROXY header stands before everything else of a connection
 * @param known whether clients name themselves: each with its client id as user name, and a token
 * @param certificate that clients show; null = none
 */
public record Transport(
        Kind kind, boolean proxyHeader, boolean known, @Nullable KeyFiles certificate) {
    /** A type of a listener. */
    public enum Kind {
        TCP,
        WS,
        TLS,
        WSS;

        boolean encrypted() {
            return this == TLS || this == WSS;
        }

        boolean webSocket() {
            return this == WS || this == WSS;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static final Transport PLAIN = new Transport(Kind.TCP, false, false);

    /** Without certificates of clients. */
    Transport(Kind kind, boolean proxyHeader, boolean known) {
        this(kind, proxyHeader, known, null);
    }

    /** The listener that is not the plain one, in {@link #settings}. */
    private static final String LISTENER = "listeners.load.";

    /**
     * Reads {@code --transport}, {@code --proxy-header} and {@code --known}.
     *
     * @throws IllegalArgumentException with a sentence that names what is wrong
     */
    static Transport of(Options options) {
        String wanted = options.text("transport");
        for (Kind kind : Kind.values()) {
            if (kind.toString().equals(wanted))
                return new Transport(kind, options.flag("proxy-header"), options.flag("known"));
        }
        throw new IllegalArgumentException(
                "--transport takes tcp, ws, tls or wss, not '" + wanted + "'");
    }

    boolean isPlain() {
        return equals(PLAIN);
    }

    /**
     * Returns the keys of a listener for it, beside the plain one; none when it is plain itself.
     *
     * @param folder for the certificate
     */
    List<String> settings(Path folder) throws IOException {
        if (isPlain()) return List.of();
        List<String> keys = new ArrayList<>();
        keys.add(LISTENER + "type=" + kind);
        keys.add(LISTENER + "bind=127.0.0.1:{load-port}");
        if (proxyHeader) {
            keys.add(LISTENER + "proxy-protocol=true");
            keys.add(LISTENER + "trusted-proxies=127.0.0.0/8");
        }
        if (kind.encrypted()) {
            KeyFiles files = KeyFiles.make(folder, "localhost");
            keys.add(LISTENER + "tls.certificate=" + files.certificate());
            keys.add(LISTENER + "tls.key=" + files.key());
        }
        return keys;
    }

    /** Makes what engines of clients come from; they believe every certificate. */
    SslContext newTlsContext() throws IOException {
        SslContextBuilder builder =
                SslContextBuilder.forClient()
                        .sslProvider(
                                OpenSsl.isAvailable()
                                        ? SslProvider.OPENSSL_REFCNT
                                        : SslProvider.JDK)
                        .trustManager(InsecureTrustManagerFactory.INSTANCE)
                        .endpointIdentificationAlgorithm(null);
        KeyFiles shown = certificate;
        if (shown != null) builder.keyManager(shown.certificate().toFile(), shown.key().toFile());
        return builder.build();
    }
}
