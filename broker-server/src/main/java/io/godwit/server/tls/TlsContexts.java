package io.godwit.server.tls;

import io.godwit.server.Causes;
import io.godwit.server.StartFailed;
import io.godwit.server.config.TlsConfig;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Date;
import javax.net.ssl.SSLException;

/** Makes a listener's TLS context, after looking for every mistake that can be seen at start. */
public final class TlsContexts {
    /** The JDK looks at it when the first of its handshakes begins, and nowhere else. */
    private static final String JDK_REFUSES = "jdk.tls.rejectClientInitiatedRenegotiation";

    private TlsContexts() {}

    /**
     * @param listener as in {@code listeners.<name>}
     * @throws StartFailed names the file, and what is wrong with it
     */
    public static SslContext of(String listener, TlsConfig config, Instant now) throws StartFailed {
        String prefix = "listeners." + listener + ".tls.";
        PemFile certificateFile = new PemFile(prefix + "certificate", config.certificate());
        X509Certificate[] chain = certificateFile.certificates();
        requireValid(certificateFile, chain[0], now);
        PemFile keyFile = new PemFile(prefix + "key", config.key());
        PrivateKey key = keyFile.privateKey();
        if (!belong(key, chain[0].getPublicKey())) {
            throw keyFile.problem(
                    "does not belong to the certificate in " + config.certificate(), null);
        }
        refuseRenegotiation();
        try {
            SslContextBuilder builder =
                    SslContextBuilder.forServer(key, chain)
                            .sslProvider(provider(prefix, config.provider()))
                            .protocols(config.protocols());
            if (config.clientCa() != null && config.clientAuth() != TlsConfig.ClientAuth.NONE) {
                PemFile ca = new PemFile(prefix + "client-ca", config.clientCa());
                builder.trustManager(ca.certificates())
                        .clientAuth(
                                config.clientAuth() == TlsConfig.ClientAuth.REQUIRED
                                        ? ClientAuth.REQUIRE
                                        : ClientAuth.OPTIONAL);
            }
            return builder.build();
        } catch (SSLException | IllegalArgumentException e) {
            throw new StartFailed(
                    "listeners." + listener + ".tls: not accepted: " + Causes.of(e), e);
        }
    }

    /**
     * A client of TLS 1.2 could have the server make one handshake after the other, unseen by the
     * limits of new connections. BoringSSL refuses that by itself.
     */
    private static void refuseRenegotiation() {
        if (System.getProperty(JDK_REFUSES) == null) {
            System.setProperty(JDK_REFUSES, "true");
        }
    }

    private static SslProvider provider(String prefix, TlsConfig.Provider wanted)
            throws StartFailed {
        return switch (wanted) {
            case JDK -> SslProvider.JDK;
            case AUTO -> OpenSsl.isAvailable() ? SslProvider.OPENSSL_REFCNT : SslProvider.JDK;
            case OPENSSL -> {
                if (!OpenSsl.isAvailable()) {
                    Throwable cause = OpenSsl.unavailabilityCause();
                    throw new StartFailed(
                            prefix
                                    + "provider: openssl does not load on this machine ("
                                    + (cause == null ? "?" : Causes.of(cause))
                                    + "); auto would use the JDK's instead");
                }
                yield SslProvider.OPENSSL_REFCNT;
            }
        };
    }

    private static void requireValid(PemFile file, X509Certificate certificate, Instant now)
            throws StartFailed {
        Date date = Date.from(now);
        if (date.after(certificate.getNotAfter())) {
            throw file.problem(
                    "holds a certificate that expired at " + certificate.getNotAfter().toInstant(),
                    null);
        }
        if (date.before(certificate.getNotBefore())) {
            throw file.problem(
                    "holds a certificate that is not valid before "
                            + certificate.getNotBefore().toInstant(),
                    null);
        }
    }

    /** Whether a signature of the one is verified by the other. */
    private static boolean belong(PrivateKey privateKey, PublicKey publicKey) {
        String algorithm =
                switch (privateKey.getAlgorithm()) {
                    case "RSA" -> "SHA256withRSA";
                    case "EC" -> "SHA256withECDSA";
                    default -> privateKey.getAlgorithm(); // EdDSA
                };
        byte[] text = {1, 2, 3, 4};
        try {
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(privateKey);
            signature.update(text);
            byte[] signed = signature.sign();
            signature.initVerify(publicKey);
            signature.update(text);
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            return false; // keys of different kinds
        }
    }
}
