package io.godwit.cluster.tls;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/**
 * Makes a cluster's CA and its nodes' certificates, with the JDK's keytool: the JDK has no other way
 * to sign a certificate that it promises to keep.
 *
 * <pre>
 * ca.p12         the CA's key and certificate: not for the nodes, and not to be lost
 * ca.pem         what every node believes
 * NODE.pem       a node's certificate
 * NODE-key.pem   its key
 * </pre>
 */
public final class CertificateMaker {
    /** Who may read the file may sign: its rights protect it, not a word that stands in a program. */
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
        Path store = folder.resolve(node + ".p12.new");
        Path request = folder.resolve(node + ".csr.new");
        try {
            makeNode(node, addresses, store, request, ca, files);
        } finally {
            Files.deleteIfExists(store);
            Files.deleteIfExists(request);
        }
        return files;
    }

    private void makeAuthority(Path ca, Path certificate) throws IOException {
        keytool(
                ca,
                "-genkeypair", "-alias", "ca", "-keyalg", "EC", "-groupname", CURVE,
                "-dname", "CN=Godwit cluster CA", "-validity", String.valueOf(days),
                "-ext", "bc:c=ca:true,pathlen:0", "-ext", "ku:c=keyCertSign,cRLSign");
        restrict(ca);
        keytool(ca, "-exportcert", "-alias", "ca", "-rfc", "-file", certificate.toString());
    }

    private void makeNode(
            String node,
            List<String> addresses,
            Path store,
            Path request,
            Path ca,
            TlsFiles files)
            throws IOException {
        keytool(
                store,
                "-genkeypair", "-alias", "node", "-keyalg", "EC", "-groupname", CURVE,
                "-dname", "CN=" + node, "-validity", String.valueOf(days));
        keytool(store, "-certreq", "-alias", "node", "-file", request.toString());
        List<String> sign =
                new ArrayList<>(
                        List.of(
                                "-gencert", "-alias", "ca", "-rfc",
                                "-validity", String.valueOf(days),
                                "-ext", "ku:c=digitalSignature",
                                "-ext", "eku=serverAuth,clientAuth",
                                "-infile", request.toString(),
                                "-outfile", files.certificate().toString()));
        if (!addresses.isEmpty()) {
            sign.add("-ext");
            sign.add(
                    "san="
                            + String.join(
                                    ",",
                                    addresses.stream().map(CertificateMaker::named).toList()));
        }
        keytool(ca, sign.toArray(String[]::new));
        ownerOnly(files.key());
        Files.writeString(files.key(), pem(key(store)), StandardCharsets.US_ASCII);
    }

    private static String named(String address) {
        boolean isIp = address.matches("[0-9.]+") || address.contains(":");
        return (isIp ? "ip:" : "dns:") + address;
    }

    private static Key key(Path store) throws IOException {
        try (InputStream in = Files.newInputStream(store)) {
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(in, PASSWORD.toCharArray());
            return keys.getKey("node", PASSWORD.toCharArray());
        } catch (GeneralSecurityException e) {
            throw new IOException(store + ": " + e.getMessage(), e);
        }
    }

    private static String pem(Key key) {
        String text =
                Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(key.getEncoded());
        return "-----BEGIN PRIVATE KEY-----\n" + text + "\n-----END PRIVATE KEY-----\n";
    }

    private static void ownerOnly(Path file) throws IOException {
        Files.createFile(
                file,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }

    private static void restrict(Path file) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    private static void keytool(Path store, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(Arrays.asList(arguments));
        command.addAll(
                List.of(
                        "-keystore", store.toString(), "-storetype", "PKCS12",
                        "-storepass", PASSWORD));
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
