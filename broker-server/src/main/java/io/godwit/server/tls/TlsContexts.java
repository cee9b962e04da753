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
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Date;
import java.util.LinkedHashSet;
import java.util.Set;
import javax.net.ssl.CertPathTrustManagerParameters;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Makes TLS contexts of files, after looking for every mistake that can be seen in them. */
final class TlsContexts {
    /** The JDK looks at it when the first of its handshakes begins, and nowhere else. */
    private static final String JDK_REFUSES = "jdk.tls.rejectClientInitiatedRenegotiation";

    private final String listener;
    private final TlsConfig config;
    private final X509Certificate @Nullable [] authorities;
    private final @Nullable RevocationLists lists;

    /**
     * @param listener as in {@code listeners.<name>}
     * @throws StartFailed names the file, and what is wrong with it
     */
    TlsContexts(String listener, TlsConfig config, TlsFiles files) throws StartFailed {
        this.listener = listener;
        this.config = config;
        PemFile clientCa = files.clientCa();
        authorities = clientCa == null ? null : clientCa.certificates();
        lists =
                authorities == null || files.clientCrl().isEmpty()
                        ? null
                        : new RevocationLists(
                                files.clientCrl(), authorities, config.clientCrlExpired());
    }

    /** The lists that clients' certificates are looked up in; null = none. */
    @Nullable RevocationLists lists() {
        return lists;
    }

    /**
     * Makes the context of one pair; whoever gets it releases it.
     *
     * @throws StartFailed names the file, and what is wrong with it
     */
    SslContext make(TlsFiles.Pair pair, Instant now) throws StartFailed {
        X509Certificate[] chain = pair.certificate().certificates();
        requireValid(pair.certificate(), chain[0], now);
        requireOrder(pair.certificate(), chain);
        PrivateKey key = pair.key().privateKey();
        if (!belong(key, chain[0].getPublicKey())) {
            throw pair.key()
                    .problem(
                            "does not belong to the certificate in " + pair.certificate().path(),
                            null);
        }
        refuseRenegotiation();
        try {
            SslContextBuilder builder =
                    SslContextBuilder.forServer(key, chain)
                            .sslProvider(
                                    provider("listeners." + listener + ".tls.", config.provider()))
                            .protocols(config.protocols());
            if (authorities != null) {
                trust(builder, authorities);
                builder.clientAuth(
                        config.clientAuth() == TlsConfig.ClientAuth.REQUIRED
                                ? ClientAuth.REQUIRE
                                : ClientAuth.OPTIONAL);
            }
            return builder.build();
        } catch (SSLException | GeneralSecurityException | IllegalArgumentException e) {
            throw new StartFailed(
                    "listeners." + listener + ".tls: not accepted: " + Causes.of(e), e);
        }
    }

    private void trust(SslContextBuilder builder, X509Certificate[] authorities)
            throws GeneralSecurityException {
        if (lists == null) {
            builder.trustManager(authorities);
            return;
        }
        Set<TrustAnchor> anchors = new LinkedHashSet<>();
        for (X509Certificate each : authorities) {
            anchors.add(new TrustAnchor(each, null));
        }
        PKIXBuilderParameters parameters =
                new PKIXBuilderParameters(anchors, new X509CertSelector());
        parameters.setRevocationEnabled(false); // the JDK's own check would want current lists
        parameters.addCertPathChecker(new RevocationCheck(lists));
        TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
        factory.init(new CertPathTrustManagerParameters(parameters));
        builder.trustManager(factory);
    }

    private static void requireOrder(PemFile file, X509Certificate[] chain) throws StartFailed {
        for (int i = 1; i < chain.length; i++) {
            if (!isSignedBy(chain[i - 1], chain[i])) {
                throw file.problem(
                        "holds certificates in the wrong order: number "
                                + (i + 1)
                                + " did not sign number "
                                + i,
                        null);
            }
        }
    }

    private static boolean isSignedBy(X509Certificate certificate, X509Certificate authority) {
        try {
            certificate.verify(authority.getPublicKey());
            return certificate.getIssuerX500Principal().equals(authority.getSubjectX500Principal());
        } catch (GeneralSecurityException e) {
            return false;
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
