package io.godwit.benchmarks.load;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;

/**
 * A key on the curve P-256 and a certificate that it has signed itself, as PEM files.
 *
 * @param certificate may stand for its own authority
 */
public record KeyFiles(Path certificate, Path key) {
    private static final String PASSWORD = "benchmark";
    private static final Base64.Encoder LINES = Base64.getMimeEncoder(64, new byte[] {'\n'});

    /** Has the JDK's keytool make both. */
    static KeyFiles make(Path folder, String commonName) throws IOException {
        Path store = Files.createDirectories(folder).resolve(commonName + ".p12");
        Files.deleteIfExists(store);
        keytool(
                "-genkeypair",
                "-alias",
                commonName,
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-validity",
                "3650",
                "-dname",
                "CN=" + commonName,
                "-ext",
                "san=dns:" + commonName,
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                store.toString());
        try (InputStream in = Files.newInputStream(store)) {
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(in, PASSWORD.toCharArray());
            byte[] certificate = keys.getCertificate(commonName).getEncoded();
            byte[] key = keys.getKey(commonName, PASSWORD.toCharArray()).getEncoded();
            return new KeyFiles(
                    write(folder.resolve(commonName + ".pem"), "CERTIFICATE", certificate),
                    write(folder.resolve(commonName + ".key"), "PRIVATE KEY", key));
        } catch (GeneralSecurityException e) {
            throw new IOException(store.toString(), e);
        }
    }

    private static void keytool(String... arguments) throws IOException {
        Path tool = Path.of(System.getProperty("java.home"), "bin", "keytool");
        String[] line = new String[arguments.length + 1];
        line[0] = tool.toString();
        System.arraycopy(arguments, 0, line, 1, arguments.length);
        Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) throw new IOException("keytool: " + output);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private static Path write(Path file, String kind, byte[] content) throws IOException {
        String text =
                "-----BEGIN %s-----\n%s\n-----END %s-----\n"
                        .formatted(kind, LINES.encodeToString(content), kind);
        return Files.writeString(file, text);
    }
}
