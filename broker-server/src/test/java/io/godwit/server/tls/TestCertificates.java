package io.godwit.server.tls;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.bouncycastle.asn1.sec.SECObjectIdentifiers;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.style.RFC4519Style;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.CRLNumber;
import org.bouncycastle.asn1.x509.CRLReason;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CRLConverter;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v2CRLBuilder;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.util.io.pem.PemObject;
import org.jspecify.annotations.Nullable;

/** Keys and certificates made for one test, and the files that a broker reads them from. */
public final class TestCertificates {
    private static final AtomicLong SERIALS = new AtomicLong(1);

    /** A key pair with its certificate. */
    public record Identity(KeyPair keys, X509Certificate certificate) {
        public PrivateKey key() {
            return keys.getPrivate();
        }
    }

    private TestCertificates() {}

    public static KeyPair ecKeys() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    public static KeyPair rsaKeys() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(2048);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Self-signed, may sign others. */
    public static Identity authority(String name) {
        return make(name, ecKeys(), null, Instant.now().plus(1, ChronoUnit.DAYS), true);
    }

    /** Makes a certificate for localhost, valid for a day. */
    public static Identity server(Identity authority) {
        return server(authority, ecKeys());
    }

    public static Identity server(Identity authority, KeyPair keys) {
        return make("localhost", keys, authority, Instant.now().plus(1, ChronoUnit.DAYS), false);
    }

    public static Identity expired(Identity authority) {
        return make(
                "localhost", ecKeys(), authority, Instant.now().minus(1, ChronoUnit.HOURS), false);
    }

    /** Makes an authority that another one has signed. */
    public static Identity intermediate(String name, Identity authority) {
        return make(name, ecKeys(), authority, Instant.now().plus(1, ChronoUnit.DAYS), true);
    }

    /**
     * Makes a client's certificate.
     *
     * @param subject such as {@code CN=dev1,O=Example}
     */
    public static Identity client(
            Identity authority, String subject, GeneralName... alternativeNames) {
        return make(
                new X500Name(RFC4519Style.INSTANCE, subject),
                ecKeys(),
                authority,
                Instant.now().plus(1, ChronoUnit.DAYS),
                false,
                alternativeNames);
    }

    /** Makes a list that was written a day before its next update. */
    public static X509CRL revocationList(
            Identity authority, Instant nextUpdate, Identity... revoked) {
        return sign(authority, builder(authority, nextUpdate, revoked));
    }

    /** Makes a list of what has changed since another one. */
    public static X509CRL deltaList(Identity authority, Instant nextUpdate, Identity... revoked) {
        JcaX509v2CRLBuilder builder = builder(authority, nextUpdate, revoked);
        try {
            builder.addExtension(Extension.deltaCRLIndicator, true, new CRLNumber(BigInteger.ONE));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return sign(authority, builder);
    }

    private static JcaX509v2CRLBuilder builder(
            Identity authority, Instant nextUpdate, Identity... revoked) {
        JcaX509v2CRLBuilder builder =
                new JcaX509v2CRLBuilder(
                        authority.certificate(), Date.from(nextUpdate.minus(1, ChronoUnit.DAYS)));
        builder.setNextUpdate(Date.from(nextUpdate));
        for (Identity each : revoked) {
            builder.addCRLEntry(
                    each.certificate().getSerialNumber(),
                    Date.from(nextUpdate.minus(1, ChronoUnit.DAYS)),
                    CRLReason.keyCompromise);
        }
        return builder;
    }

    private static X509CRL sign(Identity authority, JcaX509v2CRLBuilder builder) {
        try {
            return new JcaX509CRLConverter()
                    .getCRL(
                            builder.build(
                                    new JcaContentSignerBuilder("SHA256withECDSA")
                                            .build(authority.key())));
        } catch (GeneralSecurityException | OperatorCreationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Identity make(
            String name, KeyPair keys, @Nullable Identity authority, Instant notAfter, boolean ca) {
        GeneralName[] localhost = {
            new GeneralName(GeneralName.dNSName, "localhost"),
            new GeneralName(
                    GeneralName.iPAddress, InetAddress.getLoopbackAddress().getHostAddress())
        };
        return make(
                new X500Name("CN=" + name),
                keys,
                authority,
                notAfter,
                ca,
                ca ? new GeneralName[0] : localhost);
    }

    private static Identity make(
            X500Name subject,
            KeyPair keys,
            @Nullable Identity authority,
            Instant notAfter,
            boolean ca,
            GeneralName[] alternativeNames) {
        X500Name issuer =
                authority == null
                        ? subject
                        : X500Name.getInstance(
                                authority.certificate().getSubjectX500Principal().getEncoded());
        PrivateKey signer = authority == null ? keys.getPrivate() : authority.key();
        try {
            X509v3CertificateBuilder builder =
                    new JcaX509v3CertificateBuilder(
                            issuer,
                            BigInteger.valueOf(SERIALS.getAndIncrement()),
                            Date.from(notAfter.minus(2, ChronoUnit.DAYS)),
                            Date.from(notAfter),
                            subject,
                            keys.getPublic());
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(ca));
            if (alternativeNames.length > 0) {
                builder.addExtension(
                        Extension.subjectAlternativeName,
                        false,
                        new GeneralNames(alternativeNames));
            }
            return new Identity(
                    keys,
                    new JcaX509CertificateConverter()
                            .getCertificate(
                                    builder.build(
                                            new JcaContentSignerBuilder(
                                                            signer.getAlgorithm().equals("RSA")
                                                                    ? "SHA256withRSA"
                                                                    : "SHA256withECDSA")
                                                    .build(signer))));
        } catch (IOException | GeneralSecurityException | OperatorCreationException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Makes a client's side of TLS.
     *
     * @param trusted whose servers it trusts
     * @param own what it shows; null: nothing
     * @param above that signed its own, one after the other
     */
    public static SSLContext clientContext(
            Identity trusted, @Nullable Identity own, Identity... above) {
        try {
            TrustManagerFactory trust =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            KeyStore authorities = KeyStore.getInstance("PKCS12");
            authorities.load(null, null);
            authorities.setCertificateEntry("ca", trusted.certificate());
            trust.init(authorities);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(
                    own == null ? null : keyManagers(own, above), trust.getTrustManagers(), null);
            return context;
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static KeyManager[] keyManagers(Identity own, Identity... above)
            throws IOException, GeneralSecurityException {
        List<Certificate> chain = new ArrayList<>(List.of(own.certificate()));
        for (Identity each : above) {
            chain.add(each.certificate());
        }
        KeyStore keys = KeyStore.getInstance("PKCS12");
        keys.load(null, null);
        keys.setKeyEntry("client", own.key(), new char[0], chain.toArray(Certificate[]::new));
        KeyManagerFactory factory =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(keys, new char[0]);
        return factory.getKeyManagers();
    }

    public static Path writeCertificates(Path file, X509Certificate... certificates) {
        return write(file, (Object[]) certificates);
    }

    public static Path writeLists(Path file, X509CRL... lists) {
        return write(file, (Object[]) lists);
    }

    /** Writes a private key as PKCS#8. */
    public static Path writeKey(Path file, PrivateKey key) {
        try {
            return write(file, new JcaPKCS8Generator(key, null));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes a private key as PKCS#1 or SEC 1, as openssl did for many years. */
    public static Path writeTraditionalKey(Path file, PrivateKey key) {
        if (key instanceof ECPrivateKey ec) {
            // With the curve inside, as openssl writes it.
            var sec1 =
                    new org.bouncycastle.asn1.sec.ECPrivateKey(
                            256, ec.getS(), SECObjectIdentifiers.secp256r1);
            try {
                return write(file, new PemObject("EC PRIVATE KEY", sec1.getEncoded()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return write(file, key);
    }

    private static Path write(Path file, Object... objects) {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter pem = new JcaPEMWriter(text)) {
            for (Object object : objects) {
                pem.writeObject(object);
            }
            pem.flush();
            return Files.writeString(file, text.toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
