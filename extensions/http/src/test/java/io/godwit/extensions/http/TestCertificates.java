package io.godwit.extensions.http;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.Date;
import java.util.concurrent.atomic.AtomicLong;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.jspecify.annotations.Nullable;

/** Makes keys and certificates for one test. */
final class TestCertificates {
    private static final AtomicLong SERIALS = new AtomicLong(1);

    /** A key pair with its certificate. */
    record Identity(KeyPair keys, X509Certificate certificate) {
        Path writeCertificate(Path file) {
            return write(file, "CERTIFICATE", encoded());
        }

        Path writeKey(Path file) {
            return write(file, "PRIVATE KEY", keys.getPrivate().getEncoded());
        }

        private byte[] encoded() {
            try {
                return certificate.getEncoded();
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private TestCertificates() {}

    static Identity authority(String name) {
        return make(name, null);
    }

    /** Makes a certificate for a host. */
    static Identity server(String host, Identity authority) {
        return make(host, authority);
    }

    private static Identity make(String name, @Nullable Identity authority) {
        try {
            KeyPair keys = KeyPairGenerator.getInstance("EC").generateKeyPair();
            X500Name subject = new X500Name("CN=" + name);
            X500Name issuer =
                    authority == null
                            ? subject
                            : X500Name.getInstance(
                                    authority.certificate().getSubjectX500Principal().getEncoded());
            Instant now = Instant.now();
            JcaX509v3CertificateBuilder builder =
                    new JcaX509v3CertificateBuilder(
                            issuer,
                            BigInteger.valueOf(SERIALS.getAndIncrement()),
                            Date.from(now.minus(1, ChronoUnit.HOURS)),
                            Date.from(now.plus(1, ChronoUnit.HOURS)),
                            subject,
                            keys.getPublic());
            builder.addExtension(
                    Extension.basicConstraints, true, new BasicConstraints(authority == null));
            if (authority != null) {
                builder.addExtension(
                        Extension.subjectAlternativeName,
                        false,
                        new GeneralNames(new GeneralName(GeneralName.dNSName, name)));
            }
            KeyPair signer = authority == null ? keys : authority.keys();
            return new Identity(
                    keys,
                    new JcaX509CertificateConverter()
                            .getCertificate(
                                    builder.build(
                                            new JcaContentSignerBuilder("SHA256withECDSA")
                                                    .build(signer.getPrivate()))));
        } catch (IOException | GeneralSecurityException | OperatorCreationException e) {
            throw new IllegalStateException(e);
        }
    }

    static Path write(Path file, String label, byte[] content) {
        String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        try {
            return Files.writeString(
                    file,
                    "-----BEGIN " + label + "-----\n" + base64 + "\n-----END " + label + "-----\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
