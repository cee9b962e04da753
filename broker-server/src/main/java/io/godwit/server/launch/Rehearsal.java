package io.godwit.server.launch;

import io.godwit.server.Main;
import io.godwit.server.Server;
import io.godwit.server.config.Config;
import io.godwit.server.config.ConfigLoader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Does once what a broker does, so that a JVM that records its classes (and from JDK 25 on what it
 * learned about its code) learns the right ones: configuration, start, MQTT over TCP and WebSocket,
 * the admin port, stop; if it is asked to, also two nodes of a cluster. Ends with exit code 0 when
 * all of it worked.
 *
 * <p>It also keeps RocksDB's library in the folder where later starts look for it: unpacking 17 MB
 * takes longer than most of a start.
 */
public final class Rehearsal {
    private static final int MESSAGES = 5_000;

    /** Fewer: what a single node does most is to stay what the code is known for. */
    private static final int CLUSTER_MESSAGES = 500;

    static final List<String> SETS =
            List.of(
                    "listeners.mqtt.bind=127.0.0.1:0",
                    "listeners.ws.bind=127.0.0.1:0",
                    "admin.bind=127.0.0.1:0");

    private Rehearsal() {}

    /**
     * @param arguments a folder for its data, a configuration file, the folder for native
     *     libraries; and "cluster" if two nodes are to be rehearsed, too
     */
    public static void main(String[] arguments) throws Exception {
        Thread watchdog =
                new Thread(() -> {
                    try {
                        Thread.sleep(60_000);
                    } catch (InterruptedException e) {
                        return;
                    }
                    System.err.println("the rehearsal takes too long");
                    Runtime.getRuntime().halt(1);
                });
        watchdog.setDaemon(true);
        watchdog.start();
        Path file = Path.of(arguments[1]);
        List<String> check = new ArrayList<>(List.of("run", "--check", "--config=" + file));
        SETS.forEach(each -> check.add("--set=" + each));
        check.add("--set=node.data=" + arguments[0]);
        Main.execute(check.toArray(String[]::new));
        RunArguments run = RunArguments.parse(List.of("--config=" + file));
        JvmFlags.of(run, Map.of("GODWIT_NODE_MEMORY", "1GiB"), MemoryLimit.OF_THIS_PROCESS);
        MemoryLimit.OF_THIS_PROCESS.container();

        List<String> sets = new ArrayList<>(SETS);
        sets.add("node.data=" + arguments[0]);
        Config config = ConfigLoader.load(file, Map.of(), sets);
        Server server = Server.start(config);
        server.runAsProcess();
        talk(server, server, MESSAGES);
        ask(server.adminPort(), "/health/ready", "/metrics", "/clients");
        upgrade(server.port("ws"));
        greet(server.port("mqtt"));
        if (arguments.length > 3) {
            try (RehearsalCluster cluster = new RehearsalCluster(file, Path.of(arguments[0]))) {
                talk(cluster.first(), cluster.second(), CLUSTER_MESSAGES);
                ask(cluster.first().adminPort(), "/cluster");
            }
        }
        keepLibraries(Path.of(arguments[0]), Path.of(arguments[2]));
        System.exit(0); // by way of the orderly stop
    }

    private static void talk(Server from, Server to, int messages)
            throws IOException, InterruptedException {
        try (RehearsalClient subscriber = new RehearsalClient(to.port("mqtt"));
                RehearsalClient publisher = new RehearsalClient(from.port("mqtt"))) {
            subscriber.connect("rehearsal-subscriber");
            subscriber.subscribe("rehearsal/+");
            publisher.connect("rehearsal-publisher");
            for (int qos = 1; qos <= 2; qos++) {
                for (int i = 1; i <= messages; i++) {
                    publisher.publish("rehearsal/" + i % 10, qos, i);
                }
                subscriber.await(messages);
            }
        }
    }

    /** Publishes and subscribes as a new user does: retained, so that the order doesn't matter. */
    private static void greet(int port) throws IOException {
        List<String> to = List.of("-h", "127.0.0.1", "-p", String.valueOf(port), "-t", "greeting");
        if (execute("pub", to, "-q", "1", "-r", "-m", "hello") != 0
                || execute("sub", to, "-q", "1", "-C", "1") != 0) {
            throw new IOException("pub or sub failed");
        }
    }

    private static int execute(String command, List<String> to, String... more) {
        List<String> arguments = new ArrayList<>(List.of(command));
        arguments.addAll(to);
        arguments.addAll(List.of(more));
        return Main.execute(arguments.toArray(String[]::new));
    }

    private static void ask(int port, String... paths) throws IOException {
        for (String path : paths) {
            String request =
                    "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
            send(port, request);
        }
    }

    /** A browser's client, as far as the answer to its handshake. */
    private static void upgrade(int port) throws IOException {
        send(
                port,
                "GET /mqtt HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
                        + "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                        + "Sec-WebSocket-Protocol: mqtt\r\n\r\n");
    }

    private static void send(int port, String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            if (socket.getInputStream().read() < 0) {
                throw new IOException("no answer to " + request);
            }
        }
    }

    /** What RocksDB has unpacked beside the store goes where the next start finds it. */
    private static void keepLibraries(Path data, Path folder) throws IOException {
        Files.createDirectories(folder);
        try (Stream<Path> files = Files.walk(data)) {
            for (Path each : files.filter(Rehearsal::isLibrary).toList()) {
                Path name = each.getFileName();
                Path part = folder.resolve(name + ".part");
                Files.copy(each, part, StandardCopyOption.REPLACE_EXISTING);
                // A broker that runs from the old one keeps it.
                Files.move(part, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
            }
        }
    }

    private static boolean isLibrary(Path file) {
        return file.getFileName().toString().startsWith("librocksdbjni");
    }
}
