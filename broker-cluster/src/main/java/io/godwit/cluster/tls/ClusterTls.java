package io.godwit.cluster.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
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
            Certificate[] chain = certificates(files.certificate()).toArray(Certificate[]::new);
            PrivateKey key = privateKey(files.key(), chain[0].getPublicKey().getAlgorithm());
            keys.setKeyEntry("node", key, NO_PASSWORD, chain);
            KeyManagerFactory own =
                    KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            own.init(keys, NO_PASSWORD);

            KeyStore authorities = emptyStore();
            int number = 0;
            for (Certificate each : certificates(files.ca())) {
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
                    "cluster.tls: " + files.certificate() + ", " + files.key() + " and "
                            + files.ca() + " don't make a TLS context: " + e.getMessage(),
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

    private static List<? extends Certificate> certificates(Path file)
            throws IOException, GeneralSecurityException {
        byte[] pem = read(file);
        Collection<? extends Certificate> all =
                CertificateFactory.getInstance("X.509")
                        .generateCertificates(new ByteArrayInputStream(pem));
        if (all.isEmpty()) {
            throw new IOException("cluster.tls: no certificate in " + file);
        }
        return List.copyOf(all);
    }

    private static PrivateKey privateKey(Path file, String algorithm)
            throws IOException, GeneralSecurityException {
        String pem = new String(read(file), StandardCharsets.US_ASCII);
        Matcher found = KEY.matcher(pem);
        if (!found.find()) {
            throw new IOException("cluster.tls: no PRIVATE KEY (PKCS#8, unencrypted) in " + file);
        }
        byte[] der = Base64.getMimeDecoder().decode(found.group(1));
        return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(der));
    }

    private static byte[] read(Path file) throws IOException {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new IOException("cluster.tls: can't read " + file + ": " + e, e);
        }
    }
}
