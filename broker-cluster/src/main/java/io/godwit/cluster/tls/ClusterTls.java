package io.godwit.cluster.tls;

import io.godwit.core.failure.FileCauses;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/** Makes the JDK's TLS context of a node from its PEM files. */
public final class ClusterTls {
    private static final char[] NO_PASSWORD = {};
    private static final String CA = "cluster.tls.ca: ";
    private static final String CERTIFICATE = "cluster.tls.certificate: ";
    private static final String KEY_NAME = "cluster.tls.key: ";
    private static final Pattern KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----");

    private ClusterTls() {}

    /**
     * @param refused is told, in a line, of each other node whose certificate is not believed
     * @throws IOException when a file can't be read, or is not what it should be: the message names
     *     it
     */
    public static SSLContext context(TlsFiles files, Consumer<String> refused) throws IOException {
        try {
            KeyStore keys = emptyStore();
            Certificate[] chain =
                    certificates(CERTIFICATE, files.certificate()).toArray(Certificate[]::new);
            PrivateKey key =
                    privateKey(KEY_NAME, files.key(), chain[0].getPublicKey().getAlgorithm());
            keys.setKeyEntry("node", key, NO_PASSWORD, chain);
            KeyManagerFactory own =
                    KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            own.init(keys, NO_PASSWORD);

            KeyStore authorities = emptyStore();
            int number = 0;
            for (Certificate each : certificates(CA, files.ca())) {
                authorities.setCertificateEntry("ca" + number++, each);
            }
            TrustManagerFactory trust =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(authorities);
            SSLContext context = SSLContext.getInstance("TLSv1.3");
            context.init(own.getKeyManagers(), telling(trust, refused), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException(
                    "cluster.tls: "
                            + files.certificate()
                            + ", "
                            + files.key()
                            + " and "
                            + files.ca()
                            + " don't make a TLS context: "
                            + FileCauses.of(e),
                    e);
        }
    }

    private static TrustManager[] telling(TrustManagerFactory trust, Consumer<String> refused) {
        TrustManager[] managers = trust.getTrustManagers();
        for (int i = 0; i < managers.length; i++) {
            if (managers[i] instanceof X509ExtendedTrustManager each) {
                managers[i] = new TellingTrustManager(each, refused);
            }
        }
        return managers;
    }

    private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, NO_PASSWORD);
        return store;
    }

    private static List<? extends Certificate> certificates(String name, Path file)
            throws IOException, GeneralSecurityException {
        byte[] pem = read(name, file);
        Collection<? extends Certificate> all;
        try {
            all =
                    CertificateFactory.getInstance("X.509")
                            .generateCertificates(new ByteArrayInputStream(pem));
        } catch (CertificateException e) {
            throw new IOException(name + file + " is not a PEM file with certificates", e);
        }
        if (all.isEmpty()) {
            throw new IOException(name + "no certificate is in " + file);
        }
        return List.copyOf(all);
    }

    private static PrivateKey privateKey(String name, Path file, String algorithm)
            throws IOException, GeneralSecurityException {
        String pem = new String(read(name, file), StandardCharsets.US_ASCII);
        Matcher found = KEY.matcher(pem);
        if (!found.find()) {
            throw new IOException(
                    name
                            + "no private key (PKCS#8, not encrypted: BEGIN PRIVATE KEY) is in "
                            + file);
        }
        try {
            byte[] der = Base64.getMimeDecoder().decode(found.group(1));
            return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(der));
        } catch (IllegalArgumentException | InvalidKeySpecException e) {
            throw new IOException(
                    name
                            + file
                            + " holds no private key of the kind of the certificate ("
                            + algorithm
                            + ")",
                    e);
        }
    }

    private static byte[] read(String name, Path file) throws IOException {
        try {
            return Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            throw new IOException(name + file + " does not exist", e);
        } catch (AccessDeniedException e) {
            throw new IOException(name + file + " can't be read: permission denied", e);
        } catch (IOException e) {
            throw new IOException(
                    name + file + (Files.isDirectory(file) ? " is a folder" : " can't be read"), e);
        }
    }
}
