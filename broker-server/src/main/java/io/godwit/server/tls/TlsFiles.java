package io.godwit.server.tls;

import io.godwit.server.StartFailed;
import io.godwit.server.config.TlsConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The files of one listener as they were read at one moment.
 *
 * @param clientCa null: clients are not asked for a certificate
 * @param names by host name, or {@code *.} and the rest of it
 */
record TlsFiles(
        Pair standard,
        @Nullable PemFile clientCa,
        List<PemFile> clientCrl,
        Map<String, Pair> names) {

    /** A certificate with its chain, and its private key. */
    record Pair(PemFile certificate, PemFile key) {
        static Pair read(String prefix, Path certificate, Path key) throws StartFailed {
            return new Pair(
                    PemFile.read(prefix + "certificate", certificate),
                    PemFile.read(prefix + "key", key));
        }
    }

    /**
     * @param listener as in {@code listeners.<name>}
     */
    static TlsFiles read(String listener, TlsConfig config) throws StartFailed {
        String prefix = "listeners." + listener + ".tls.";
        Pair standard = Pair.read(prefix, config.certificate(), config.key());
        PemFile clientCa = null;
        Path authorities = config.clientCa();
        if (authorities != null && config.clientAuth() != TlsConfig.ClientAuth.NONE) {
            clientCa = PemFile.read(prefix + "client-ca", authorities);
        }
        List<PemFile> lists = new ArrayList<>();
        for (Path each : config.clientCrl()) {
            lists.add(PemFile.readLists(prefix + "client-crl", each));
        }
        Map<String, Pair> names = new TreeMap<>();
        for (Map.Entry<String, TlsConfig.Pair> each : config.names().entrySet()) {
            String ofName = prefix + "names." + each.getKey() + ".";
            names.put(
                    each.getKey(),
                    Pair.read(ofName, each.getValue().certificate(), each.getValue().key()));
        }
        return new TlsFiles(standard, clientCa, lists, names);
    }

    /** Bytes of the files of revocation lists. */
    long listBytes() {
        return clientCrl.stream().mapToLong(PemFile::bytes).sum();
    }

    /** The digest of each file's content, by key and path, in the order of the configuration. */
    Map<String, String> digests() {
        Map<String, String> digests = new LinkedHashMap<>();
        add(digests, standard.certificate);
        add(digests, standard.key);
        if (clientCa != null) {
            add(digests, clientCa);
        }
        clientCrl.forEach(each -> add(digests, each));
        for (Pair each : names.values()) {
            add(digests, each.certificate);
            add(digests, each.key);
        }
        return digests;
    }

    /**
     * A digest of the authorities and revocation lists, in the order of the configuration; empty:
     * none.
     */
    String authorities() {
        StringBuilder all = new StringBuilder();
        if (clientCa != null) {
            all.append(clientCa.digest());
        }
        clientCrl.forEach(each -> all.append(each.digest()));
        return all.toString();
    }

    private static void add(Map<String, String> digests, PemFile file) {
        digests.put(file.key() + ": " + file.path(), file.digest());
    }
}
