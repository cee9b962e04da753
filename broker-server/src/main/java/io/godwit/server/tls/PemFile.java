package io.godwit.server.tls;

import io.godwit.server.Causes;
import io.godwit.server.StartFailed;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A PEM file that a key of the configuration names; whatever is wrong with it is a sentence. */
final class PemFile {
    private static final long BYTES_MAX = 4 << 20;

    private final String key;
    private final Path path;

    /**
     * @param key as in {@code listeners.secure.tls.key}
     */
    PemFile(String key, Path path) {
        this.key = key;
        this.path = path;
    }

    /** The certificates, in the order of the file; at least one. */
    X509Certificate[] certificates() throws StartFailed {
        List<X509Certificate> certificates = new ArrayList<>();
        for (PemBlock block : blocks()) {
            if (block.label().equals("CERTIFICATE")
                    || block.label().equals("X509 CERTIFICATE")
                    || block.label().equals("TRUSTED CERTIFICATE")) {
                certificates.add(certificate(block.der()));
            }
        }
        if (certificates.isEmpty()) {
            throw problem("holds no certificate (-----BEGIN CERTIFICATE-----)", null);
        }
        return certificates.toArray(X509Certificate[]::new);
    }

    private X509Certificate certificate(byte[] der) throws StartFailed {
        try {
            return (X509Certificate)
                    CertificateFactory.getInstance("X.509")
                            .generateCertificate(new ByteArrayInputStream(der));
        } catch (CertificateException e) {
            throw problem("holds a certificate that can't be read: " + Causes.of(e), e);
        }
    }

    /** The private key: PKCS#8, PKCS#1 or SEC 1, not encrypted. */
    PrivateKey privateKey() throws StartFailed {
        for (PemBlock block : blocks()) {
            try {
                switch (block.label()) {
                    case "PRIVATE KEY" -> {
                        return privateKey(block.der());
                    }
                    case "RSA PRIVATE KEY" -> {
                        return privateKey(Der.fromPkcs1(block.der()));
                    }
                    case "EC PRIVATE KEY" -> {
                        return privateKey(Der.fromSec1(block.der()));
                    }
                    case "ENCRYPTED PRIVATE KEY" -> throw encrypted(null);
                    default -> {} // certificates and EC parameters may stand in the same file
                }
            } catch (IllegalArgumentException | GeneralSecurityException e) {
                throw problem("holds a private key that can't be read: " + Causes.of(e), e);
            }
        }
        throw problem("holds no private key (-----BEGIN PRIVATE KEY-----)", null);
    }

    private static PrivateKey privateKey(byte[] pkcs8) throws GeneralSecurityException {
        GeneralSecurityException last = null;
        for (String algorithm : List.of("RSA", "EC", "EdDSA")) {
            try {
                return KeyFactory.getInstance(algorithm)
                        .generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
            } catch (GeneralSecurityException e) {
                last = last == null ? e : last;
            }
        }
        throw last == null ? new GeneralSecurityException("unknown algorithm") : last;
    }

    private List<PemBlock> blocks() throws StartFailed {
        String text = read();
        if (text.contains("Proc-Type: 4,ENCRYPTED")) {
            throw encrypted(null);
        }
        try {
            return PemBlock.parse(text);
        } catch (IllegalArgumentException e) {
            throw problem("is not a PEM file: " + e.getMessage(), e);
        }
    }

    private String read() throws StartFailed {
        try {
            if (Files.isDirectory(path)) {
                throw problem("is a folder", null);
            }
            if (Files.size(path) > BYTES_MAX) {
                throw problem("is larger than 4 MiB, so it is not a PEM file", null);
            }
            return new String(Files.readAllBytes(path), StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException e) {
            throw problem("does not exist", e);
        } catch (IOException e) {
            throw problem("can't be read: " + Causes.of(e), e);
        }
    }

    private StartFailed encrypted(@Nullable Throwable cause) {
        return problem(
                "holds an encrypted private key; write one without a password"
                        + " (openssl pkey -in FILE -out FILE)",
                cause);
    }

    /** {@code listeners.x.tls.key: /etc/key.pem does not exist}. */
    StartFailed problem(String what, @Nullable Throwable cause) {
        String message = key + ": " + path + " " + what;
        return cause == null ? new StartFailed(message) : new StartFailed(message, cause);
    }
}
