package io.godwit.clients;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * The broker that the clients talk to. {@code -Dgodwit.test.broker} says which: absent for ours,
 * started once for all tests of this JVM; {@code mosquitto} for the installed Mosquitto, as a check
 * of the tests themselves; {@code host:tcp,tls,ws,wss} (0 for a transport it lacks) for one that
 * runs, whose authority stands in the PEM file {@code -Dgodwit.test.broker.ca}.
 *
 * @param ports the transports it has; the others' tests do not run
 */
public record BrokerUnderTest(String host, Map<Transport, Integer> ports, Path authority) {
    private static final class Shared {
        static final BrokerUnderTest BROKER = start();
    }

    /** The one of this JVM; ends with it. */
    public static BrokerUnderTest shared() {
        return Shared.BROKER;
    }

    public int port(Transport transport) {
        Integer port = ports.get(transport);
        if (port == null) {
            throw new IllegalArgumentException("the broker has no " + transport);
        }
        return port;
    }

    public boolean has(Transport transport) {
        return ports.containsKey(transport);
    }

    /** Trusts the broker's authority and nobody else. */
    public TrustManagerFactory trust() {
        try (InputStream pem = Files.newInputStream(authority)) {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            store.setCertificateEntry(
                    "root", CertificateFactory.getInstance("X.509").generateCertificate(pem));
            TrustManagerFactory factory =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            return factory;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("no trust in " + authority, e);
        }
    }

    public SSLContext sslContext() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust().getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static BrokerUnderTest start() {
        String which = System.getProperty("godwit.test.broker", "godwit");
        if (which.equals("godwit")) {
            return GodwitProcess.startForClients();
        }
        if (which.equals("mosquitto")) {
            return MosquittoBroker.startForClients();
        }
        int colon = which.lastIndexOf(':');
        List<Integer> numbers =
                Arrays.stream(which.substring(colon + 1).split(",", -1))
                        .map(Integer::valueOf)
                        .toList();
        Map<Transport, Integer> ports = new EnumMap<>(Transport.class);
        Stream.of(Transport.values())
                .filter(t -> numbers.get(t.ordinal()) != 0)
                .forEach(t -> ports.put(t, numbers.get(t.ordinal())));
        return new BrokerUnderTest(
                which.substring(0, colon),
                ports,
                Path.of(System.getProperty("godwit.test.broker.ca", "ca.pem")));
    }
}
