package io.godwit.server.tls;

import io.godwit.server.Causes;
import io.godwit.server.StartFailed;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.cert.CRLException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The content of a PEM file that a key of the configuration names; whatever is wrong with it is a
 * sentence.
 */
final class PemFile {
    private static final int BYTES_MAX = 4 << 20;
    private static final int LIST_BYTES_MAX = 64 << 20;
    private static final int DER_SEQUENCE = 0x30;
    private static final String DELTA_LIST = "2.5.29.27";

    private final String key;
    private final Path path;
    private final byte[] content;

    private PemFile(String key, Path path, byte[] content) {
        this.key = key;
        this.path = path;
        this.content = content;
    }

    /**
     * Reads the file, once: what is parsed later is what {@link #digest} is of.
     *
     * @param key as in {@code listeners.secure.tls.key}
     */
    static PemFile read(String key, Path path) throws StartFailed {
        return read(key, path, BYTES_MAX, "is larger than 4 MiB, so it is not a PEM file");
    }

    /** Reads a file of revocation lists, which may be large, and DER. */
    static PemFile readLists(String key, Path path) throws StartFailed {
        PemFile file = read(key, path, LIST_BYTES_MAX, "is larger than 64 MiB");
        if (file.content.length == 0) {
            throw file.problem("is empty", null);
        }
        return file;
    }

    private static PemFile read(String key, Path path, int bytesMax, String tooLarge)
            throws StartFailed {
        try {
            if (Files.isDirectory(path)) {
                throw problem(key, path, "is a folder", null);
            }
            try (InputStream in = Files.newInputStream(path)) {
                byte[] content = in.readNBytes(bytesMax + 1);
                if (content.length > bytesMax) {
                    throw problem(key, path, tooLarge, null);
                }
                return new PemFile(key, path, content);
            }
        } catch (NoSuchFileException e) {
            throw problem(key, path, "does not exist", e);
        } catch (IOException e) {
            throw problem(key, path, "can't be read: " + Causes.of(e), e);
        }
    }

    String key() {
        return key;
    }

    Path path() {
        return path;
    }

    int bytes() {
        return content.length;
    }

    /** SHA-256 of the content, in hexadecimal digits. */
    String digest() {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The certificate revocation lists; at least one. */
    List<X509CRL> revocationLists() throws StartFailed {
        List<X509CRL> lists = new ArrayList<>();
        if (content[0] == DER_SEQUENCE) {
            lists.add(revocationList(content));
        } else {
            for (PemBlock block : blocks()) {
                if (block.label().equals("X509 CRL") || block.label().equals("CRL")) {
                    lists.add(revocationList(block.der()));
                }
            }
        }
        if (lists.isEmpty()) {
            throw problem("holds no revocation list (-----BEGIN X509 CRL-----)", null);
        }
        return lists;
    }

    private X509CRL revocationList(byte[] der) throws StartFailed {
        X509CRL list;
        try {
            list =
                    (X509CRL)
                            CertificateFactory.getInstance("X.509")
                                    .generateCRL(new ByteArrayInputStream(der));
        } catch (CRLException | CertificateException e) {
            throw problem("holds a revocation list that can't be read: " + Causes.of(e), e);
        }
        if (list.getExtensionValue(DELTA_LIST) != null) {
            throw problem("holds a delta list; whole lists are needed", null);
        }
        return list;
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
        String text = new String(content, StandardCharsets.ISO_8859_1);
        if (text.contains("Proc-Type: 4,ENCRYPTED")) {
            throw encrypted(null);
        }
        try {
            return PemBlock.parse(text);
        } catch (IllegalArgumentException e) {
            throw problem("is not a PEM file: " + e.getMessage(), e);
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
        return problem(key, path, what, cause);
    }

    private static StartFailed problem(
            String key, Path path, String what, @Nullable Throwable cause) {
        String message = key + ": " + path + " " + what;
        return cause == null ? new StartFailed(message) : new StartFailed(message, cause);
    }
}
