package io.godwit.extensions.http;

import io.godwit.extension.ConfigurationException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Makes TLS of the PEM files that the settings name. */
final class PemFiles {
    private static final char[] NO_PASSWORD = new char[0];

    private PemFiles() {}

    /**
     * Reads the files.
     *
     * @return null: the settings name none
     * @throws ConfigurationException says what is wrong with which file
     */
    static @Nullable SSLContext tls(HttpSettings settings)
            throws ConfigurationException, GeneralSecurityException, IOException {
        Path ca = settings.ca();
        Path certificate = settings.certificate();
        Path key = settings.key();
        if (ca == null && certificate == null) return null;
        TrustManager @Nullable [] trusted = ca == null ? null : trusted(ca);
        KeyManager @Nullable [] own =
                certificate == null || key == null ? null : own(certificate, key);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own, trusted, null);
        return context;
    }

    private static TrustManager[] trusted(Path ca)
            throws ConfigurationException, GeneralSecurityException, IOException {
        KeyStore store = emptyStore();
        for (Certificate each : certificates("ca", ca)) {
            store.setCertificateEntry("ca-" + store.size(), each);
        }
        TrustManagerFactory factory =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }

    private static KeyManager[] own(Path certificate, Path key)
            throws ConfigurationException, GeneralSecurityException, IOException {
        List<Certificate> chain = certificates("certificate", certificate);
        KeyStore store = emptyStore();
        store.setKeyEntry(
                "own",
                key(key, chain.get(0).getPublicKey().getAlgorithm()),
                NO_PASSWORD,
                chain.toArray(Certificate[]::new));
        KeyManagerFactory factory =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, NO_PASSWORD);
        return factory.getKeyManagers();
    }

    private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, NO_PASSWORD);
        return store;
    }

    private static List<Certificate> certificates(String setting, Path file)
            throws ConfigurationException {
        List<Certificate> found = new ArrayList<>();
        try {
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            for (byte[] each : blocks(setting, file, "CERTIFICATE")) {
                found.add(factory.generateCertificate(new ByteArrayInputStream(each)));
            }
        } catch (GeneralSecurityException e) {
            throw mistake(setting, file, "has a broken certificate");
        }
        if (found.isEmpty()) throw mistake(setting, file, "has no certificate in PEM");
        return found;
    }

    private static PrivateKey key(Path file, String algorithm) throws ConfigurationException {
        List<byte[]> found = blocks("key", file, "PRIVATE KEY");
        if (found.isEmpty()) {
            throw mistake(
                    "key",
                    file,
                    "has no private key in PKCS#8; openssl pkcs8 -topk8 -nocrypt -in FILE makes one");
        }
        try {
            return KeyFactory.getInstance(algorithm)
                    .generatePrivate(new PKCS8EncodedKeySpec(found.get(0)));
        } catch (GeneralSecurityException e) {
            throw mistake("key", file, "does not fit the certificate, whose key is " + algorithm);
        }
    }

    private static List<byte[]> blocks(String setting, Path file, String label)
            throws ConfigurationException {
        String text;
        try {
            text = Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException e) {
            throw mistake(setting, file, "there is no such file");
        } catch (IOException e) {
            throw mistake(setting, file, "can't be read");
        }
        Matcher block =
                Pattern.compile("-----BEGIN " + label + "-----([^-]*)-----END " + label + "-----")
                        .matcher(text);
        List<byte[]> found = new ArrayList<>();
        try {
            while (block.find()) found.add(Base64.getMimeDecoder().decode(block.group(1)));
        } catch (IllegalArgumentException e) {
            throw mistake(setting, file, "has broken Base64");
        }
        return found;
    }

    private static ConfigurationException mistake(String setting, Path file, String text) {
        return new ConfigurationException(List.of(setting + " = " + file + ": " + text));
    }
}
