package io.godwit.clients;

import java.io.IOException;
import java.io.Writer;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * A certificate authority made for one run and a server certificate for localhost and 127.0.0.1, as
 * PEM files.
 */
public record TestCertificates(Path authority, Path certificate, Path key) {

    public static TestCertificates in(Path folder) {
        try {
            KeyPair rootKeys = keys();
            X500Name rootName = new X500Name("CN=Godwit test authority");
            X509Certificate root = sign(builder(rootName, rootName, rootKeys, 1, true), rootKeys);
            KeyPair serverKeys = keys();
            X500Name serverName = new X500Name("CN=localhost");
            X509Certificate server =
                    sign(builder(rootName, serverName, serverKeys, 2, false), rootKeys);
            return new TestCertificates(
                    write(folder.resolve("ca.pem"), root),
                    write(folder.resolve("server.pem"), server),
                    write(
                            folder.resolve("server.key"),
                            new JcaPKCS8Generator(serverKeys.getPrivate(), null)));
        } catch (GeneralSecurityException | OperatorCreationException | IOException e) {
            throw new IllegalStateException("no test certificates", e);
        }
    }

    private static KeyPair keys() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        return generator.generateKeyPair();
    }

    private static JcaX509v3CertificateBuilder builder(
            X500Name issuer, X500Name subject, KeyPair keys, int serial, boolean authority)
            throws CertIOException {
        Instant now = Instant.now();
        JcaX509v3CertificateBuilder builder =
                new JcaX509v3CertificateBuilder(
                        issuer,
                        BigInteger.valueOf(serial),
                        Date.from(now.minus(Duration.ofDays(1))),
                        Date.from(now.plus(Duration.ofDays(2))),
                        subject,
                        keys.getPublic());
        builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(authority));
        if (!authority) {
            builder.addExtension(
                    Extension.subjectAlternativeName,
                    false,
                    new GeneralNames(
                            new GeneralName[] {
                                new GeneralName(GeneralName.dNSName, "localhost"),
                                new GeneralName(GeneralName.iPAddress, "127.0.0.1")
                            }));
        }
        return builder;
    }

    private static X509Certificate sign(JcaX509v3CertificateBuilder builder, KeyPair authority)
            throws GeneralSecurityException, OperatorCreationException {
        return new JcaX509CertificateConverter()
                .getCertificate(
                        builder.build(
                                new JcaContentSignerBuilder("SHA256withECDSA")
                                        .build(authority.getPrivate())));
    }

    private static Path write(Path file, Object pem) throws IOException {
        try (Writer out = Files.newBufferedWriter(file);
                JcaPEMWriter writer = new JcaPEMWriter(out)) {
            writer.writeObject(pem);
        }
        return file;
    }
}
