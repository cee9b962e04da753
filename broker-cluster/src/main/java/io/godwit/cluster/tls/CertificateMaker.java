package io.godwit.cluster.tls;

import io.godwit.core.failure.FileCauses;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateEncodingException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/**
 * Makes a cluster's CA and its nodes' certificates, with the JDK's keytool: the JDK has no other
 * way to sign a certificate that it promises to keep.
 *
 * <pre>
 * ca.p12         the CA's key and certificate: not for the nodes, and not to be lost
 * ca.pem         what every node believes
 * NODE.pem       a node's certificate
 * NODE-key.pem   its key
 * </pre>
 */
public final class CertificateMaker {
    /**
     * Who may read the file may sign: its rights protect it, not a word that stands in a program.
     */
    private static final String PASSWORD = "godwit";

    private static final String CURVE = "secp256r1";

    private final Path folder;
    private final int days;

    /**
     * @param folder made if it is missing
     * @param days how long what is made is valid
     */
    public CertificateMaker(Path folder, int days) {
        this.folder = folder;
        this.days = days;
    }

    /**
     * Makes a node's certificate, and the CA if the folder has none.
     *
     * @param node name, of letters, digits, dots, - and _
     * @param addresses host names and IP addresses at which others reach it
     * @throws IOException when that is not possible, or the node has one already
     */
    public TlsFiles make(String node, List<String> addresses) throws IOException {
        if (!node.matches("[A-Za-z0-9._-]+") || node.equals("ca")) {
            throw new IOException("'" + node + "' can't be a node's name: letters, digits, . _ -");
        }
        TlsFiles files =
                new TlsFiles(
                        folder.resolve("ca.pem"),
                        folder.resolve(node + ".pem"),
                        folder.resolve(node + "-key.pem"));
        if (Files.exists(files.certificate()) || Files.exists(files.key())) {
            throw new IOException(files.certificate() + " is there already; remove it first");
        }
        // Nobody else comes in: keytool makes its files with rights of its own choice.
        Files.createDirectories(
                folder,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Path ca = folder.resolve("ca.p12");
        if (!Files.exists(ca)) {
            makeAuthority(ca, files.ca());
        }
        // A copy of the CA's store: what signs has to stand beside what is signed.
        Path store = folder.resolve(node + ".p12.new");
        Files.copy(ca, store);
        try {
            makeNode(node, addresses, store, files);
        } finally {
            Files.deleteIfExists(store);
        }
        return files;
    }

    private void makeAuthority(Path ca, Path certificate) throws IOException {
        keytool(
                ca,
                "-genkeypair",
                "-alias",
                "ca",
                "-keyalg",
                "EC",
                "-groupname",
                CURVE,
                "-dname",
                "CN=Godwit cluster CA",
                "-validity",
                String.valueOf(days),
                "-ext",
                "bc:c=ca:true,pathlen:0",
                "-ext",
                "ku:c=keyCertSign,cRLSign");
        Files.setPosixFilePermissions(ca, PosixFilePermissions.fromString("rw-------"));
        Files.writeString(certificate, pem("CERTIFICATE", entry(ca, "ca").getCertificate()));
    }

    private void makeNode(String node, List<String> addresses, Path store, TlsFiles files)
            throws IOException {
        List<String> make =
                new ArrayList<>(
                        List.of(
                                "-genkeypair",
                                "-alias",
                                "node",
                                "-signer",
                                "ca",
                                "-keyalg",
                                "EC",
                                "-groupname",
                                CURVE,
                                "-dname",
                                "CN=" + node,
                                "-validity",
                                String.valueOf(days),
                                "-ext",
                                "ku:c=digitalSignature",
                                "-ext",
                                "eku=serverAuth,clientAuth"));
        if (!addresses.isEmpty()) {
            make.add("-ext");
            make.add(
                    "san="
                            + String.join(
                                    ",", addresses.stream().map(CertificateMaker::named).toList()));
        }
        keytool(store, make.toArray(String[]::new));
        KeyStore.PrivateKeyEntry made = entry(store, "node");
        Files.createFile(
                files.key(),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(files.key(), pem("PRIVATE KEY", made.getPrivateKey()));
        Files.writeString(files.certificate(), pem("CERTIFICATE", made.getCertificate()));
    }

    private static String named(String address) {
        boolean isIp = address.matches("[0-9.]+") || address.contains(":");
        return (isIp ? "ip:" : "dns:") + address;
    }

    private static KeyStore.PrivateKeyEntry entry(Path store, String alias) throws IOException {
        try (InputStream in = Files.newInputStream(store)) {
            char[] password = PASSWORD.toCharArray();
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(in, password);
            if (keys.getEntry(alias, new KeyStore.PasswordProtection(password))
                    instanceof KeyStore.PrivateKeyEntry entry) {
                return entry;
            }
            throw new IOException(store + " holds no key named " + alias);
        } catch (GeneralSecurityException e) {
            throw new IOException(store + ": " + FileCauses.of(e), e);
        }
    }

    private static String pem(String what, Key key) {
        return pem(what, key.getEncoded());
    }

    private static String pem(String what, Certificate certificate) throws IOException {
        try {
            return pem(what, certificate.getEncoded());
        } catch (CertificateEncodingException e) {
            throw new IOException("a certificate could not be written: " + FileCauses.of(e), e);
        }
    }

    private static String pem(String what, byte[] der) {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n";
    }

    private static void keytool(Path store, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"));
        command.addAll(Arrays.asList(arguments));
        command.addAll(
                List.of(
                        "-keystore",
                        store.toString(),
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        PASSWORD));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String said =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        try {
            if (process.waitFor() != 0) {
                throw new IOException("keytool " + arguments[0] + " has failed: " + said);
            }
        } catch (InterruptedException e) {
            process.destroy();
            Thread.currentThread().interrupt();
            throw new IOException("keytool was interrupted", e);
        }
    }
}
