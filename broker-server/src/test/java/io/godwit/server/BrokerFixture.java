package io.godwit.server;

import io.godwit.core.auth.EnhancedAuthenticator;
import io.godwit.core.store.Store;
import io.godwit.server.config.Config;
import io.godwit.server.config.ConfigException;
import io.godwit.server.config.ConfigLoader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * A broker inside the test's process, on free ports of this machine, with a data folder of its own
 * and a store in memory ({@code -Dgodwit.test.store=rocksdb}, or its key: on the disk). Closing it
 * fails when a shard met a fault.
 */
public final class BrokerFixture implements AutoCloseable {
    private final Path folder;
    private final Server server;

    private BrokerFixture(Path folder, Server server) {
        this.folder = folder;
        this.server = server;
    }

    /**
     * The keys that a broker of a test has unless it says otherwise: {@code listeners.mqtt}, {@code
     * listeners.ws} and the admin port on free ports, two shards, errors logged.
     */
    static List<String> settings(Path folder, String... overrides) {
        List<String> sets =
                new ArrayList<>(
                        List.of(
                                "node.data=" + folder.resolve("data"),
                                "node.name=test",
                                "server.shards=2",
                                "listeners.mqtt.bind=127.0.0.1:0",
                                "listeners.ws.bind=127.0.0.1:0",
                                "admin.bind=127.0.0.1:0",
                                "log.level=error"));
        sets.addAll(List.of(overrides));
        return sets;
    }

    /**
     * @param overrides such as {@code mqtt.receive-maximum=10}
     */
    public static BrokerFixture start(String... overrides) {
        try {
            return tryStart(overrides);
        } catch (StartFailed e) {
            throw new AssertionError(e.getMessage(), e);
        }
    }

    public static BrokerFixture tryStart(String... overrides) throws StartFailed {
        return tryStart(configured(System::currentTimeMillis), overrides);
    }

    /** Starts a broker with a wall clock of the test's own. */
    public static BrokerFixture start(LongSupplier wallClock, String... overrides) {
        try {
            return tryStart(configured(wallClock), overrides);
        } catch (StartFailed e) {
            throw new AssertionError(e.getMessage(), e);
        }
    }

    private static Server.Ports configured(LongSupplier wallClock) {
        return new Server.Ports(ConfiguredStore::open, Map.of(), wallClock);
    }

    /** Starts a broker with a store and authentication methods of the test's own. */
    public static BrokerFixture tryStart(
            Store store, Map<String, EnhancedAuthenticator> methods, String... overrides)
            throws StartFailed {
        return tryStart(new Server.Ports(store, methods, System::currentTimeMillis), overrides);
    }

    private static BrokerFixture tryStart(Server.Ports ports, String... overrides)
            throws StartFailed {
        Path folder = newFolder();
        boolean started = false;
        try {
            List<String> sets = settings(folder);
            sets.add("durability.store=" + System.getProperty("godwit.test.store", "memory"));
            sets.addAll(List.of(overrides));
            Config config = ConfigLoader.load(null, Map.of(), sets);
            BrokerFixture fixture = new BrokerFixture(folder, Server.start(config, ports));
            started = true;
            return fixture;
        } catch (ConfigException e) {
            throw new AssertionError(e.problems().toString(), e);
        } finally {
            if (!started) {
                delete(folder);
            }
        }
    }

    /** Has {@code POST /reload} read the settings of extensions again. */
    public BrokerFixture reloading(String... overrides) {
        List<String> sets = settings(folder, overrides);
        server.reloadFrom(() -> ConfigLoader.load(null, Map.of(), sets));
        return this;
    }

    public Server server() {
        return server;
    }

    public int port() {
        return port("mqtt");
    }

    public int port(String listener) {
        return server.port(listener);
    }

    public int adminPort() {
        return server.adminPort();
    }

    /** A plain socket to the listener {@code mqtt} that never waits longer than ten seconds. */
    public Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port());
        socket.setSoTimeout(60_000);
        socket.setTcpNoDelay(true);
        return socket;
    }

    @Override
    public void close() {
        server.close();
        delete(folder);
        Throwable fault = server.fault();
        if (fault != null) {
            throw new AssertionError("a shard met a fault", fault);
        }
    }

    static Path newFolder() {
        try {
            return Files.createTempDirectory("godwit-test");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
