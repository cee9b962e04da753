package io.godwit.benchmarks.load;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** A broker that the runner has started on loopback and stops again. */
public final class BrokerProcess implements Closeable {
    /** Long enough for a launcher that builds first. */
    private static final long START_LIMIT_NANOS = TimeUnit.MINUTES.toNanos(5);

    private static final long ANSWER_POLL_MS = 20;
    private static final long STOP_SECONDS = 60;

    /** The control's settings; what isn't named is Mosquitto's default. */
    private static final String MOSQUITTO_CONF =
            """
            listener %d 127.0.0.1
            allow_anonymous true
            max_inflight_messages 0
            max_queued_messages 0
            persistence false
            log_dest none
            """;

    /** Ports from here on; a system gives none of these to a connection that asks for any. */
    private static final int PORT_FIRST = 20_000;

    private static final int PORTS = 12_000;

    /** Counts up, so that no two brokers are given the same one. */
    private static final AtomicInteger NEXT_PORT =
            new AtomicInteger((int) (ProcessHandle.current().pid() * 599 % PORTS));

    private final Start start;
    private final Process process;
    private final InetSocketAddress address;
    private final long launchedNanos = System.nanoTime();

    /**
     * How it was started.
     *
     * @param adminPort 0 = none
     * @param loadPort where clients come by {@code transport}; the same as port for plain TCP
     */
    private record Start(
            String name,
            String command,
            int port,
            int adminPort,
            Path folder,
            String javaOptions,
            int loadPort,
            Transport transport) {}

    private BrokerProcess(Start start, Process process) {
        this.start = start;
        this.process = process;
        this.address = new InetSocketAddress(InetAddress.getLoopbackAddress(), start.port());
    }

    /** Mosquitto without limits of its queues and without persistence. */
    static BrokerProcess mosquitto(Path folder, String name) throws IOException {
        int port = freePort();
        Path conf = Files.createDirectories(folder.resolve(name)).resolve("mosquitto.conf");
        Files.writeString(conf, MOSQUITTO_CONF.formatted(port));
        return start(
                new Start(
                        name,
                        "mosquitto -c '" + conf + "'",
                        port,
                        0,
                        folder,
                        "",
                        port,
                        Transport.PLAIN));
    }

    /**
     * Starts a shell command that must end in the broker itself ({@code exec} all the way), so that
     * its process id is the broker's.
     *
     * @param command with {port}, {ws-port} and {admin-port} for free ports and {dir} for a folder
     *     of its own
     */
    static BrokerProcess command(Path folder, String name, String command, String javaOptions)
            throws IOException {
        return command(folder, name, command, javaOptions, Transport.PLAIN);
    }

    /**
     * Starts a broker whose clients may also come by another transport.
     *
     * @param command has {load-port} for the port where they come, unless it is plain TCP
     */
    static BrokerProcess command(
            Path folder, String name, String command, String javaOptions, Transport transport)
            throws IOException {
        return launch(folder, name, command, javaOptions, transport).awaitAnswer();
    }

    /** The same, but does not wait until it answers. */
    public static BrokerProcess launch(Path folder, String name, String command, String javaOptions)
            throws IOException {
        return launch(folder, name, command, javaOptions, Transport.PLAIN);
    }

    private static BrokerProcess launch(
            Path folder, String name, String command, String javaOptions, Transport transport)
            throws IOException {
        int port = freePort();
        int loadPort = transport.isPlain() ? port : freePort();
        int adminPort = command.contains("{admin-port}") ? freePort() : 0;
        String filled =
                command.replace("{port}", Integer.toString(port))
                        .replace("{load-port}", Integer.toString(loadPort))
                        .replace("{ws-port}", Integer.toString(freePort()))
                        .replace("{admin-port}", Integer.toString(adminPort))
                        .replace("{dir}", Files.createDirectories(folder.resolve(name)).toString());
        return launch(
                new Start(name, filled, port, adminPort, folder, javaOptions, loadPort, transport));
    }

    /** Starts the same command once more, with the same ports and folder; this one has ended. */
    BrokerProcess again() throws IOException {
        return start(start);
    }

    /** The same, but does not wait until it answers. */
    public BrokerProcess launchAgain() throws IOException {
        return launch(start);
    }

    public String name() {
        return start.name();
    }

    /** 0 = it has none. */
    public int adminPort() {
        return start.adminPort();
    }

    public long pid() {
        return process.pid();
    }

    public InetSocketAddress address() {
        return address;
    }

    /** Where the clients of a load connect, by {@link #transport}. */
    InetSocketAddress loadAddress() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), start.loadPort());
    }

    Transport transport() {
        return start.transport();
    }

    public boolean alive() {
        return process.isAlive();
    }

    /** Bytes of the files in its own folder. */
    long folderBytes() throws IOException {
        try (Stream<Path> files = Files.walk(start.folder().resolve(start.name()))) {
            long sum = 0;
            for (Path file : files.filter(Files::isRegularFile).toList()) sum += Files.size(file);
            return sum;
        }
    }

    /** Of one that has ended: its exit code; 128 and the signal's number when that ended it. */
    public int exitCode() {
        return process.exitValue();
    }

    /** When its launcher was started, as {@link System#nanoTime}. */
    public long launchedNanos() {
        return launchedNanos;
    }

    /**
     * Sends it a signal.
     *
     * @param name such as "STOP"
     */
    public void signal(String name) throws IOException {
        try {
            int exit = new ProcessBuilder("kill", "-" + name, "" + pid()).start().waitFor();
            if (exit != 0) throw new IOException("kill -" + name + " " + name() + ": " + exit);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Ends it by SIGKILL. */
    public void kill() throws IOException {
        try {
            process.destroyForcibly().waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    @Override
    public void close() throws IOException {
        process.destroy();
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS))
                process.destroyForcibly().waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static BrokerProcess start(Start start) throws IOException {
        return launch(start).awaitAnswer();
    }

    private static BrokerProcess launch(Start start) throws IOException {
        File log = start.folder().resolve(start.name() + ".log").toFile();
        ProcessBuilder builder =
                new ProcessBuilder("sh", "-c", "exec " + start.command())
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(log));
        if (!start.javaOptions().isEmpty())
            builder.environment().put("GODWIT_JAVA_OPTS", start.javaOptions());
        return new BrokerProcess(start, builder.start());
    }

    /** Waits until it answers a CONNECT. */
    public BrokerProcess awaitAnswer() throws IOException {
        while (!answers()) {
            if (!process.isAlive() || System.nanoTime() - launchedNanos > START_LIMIT_NANOS) {
                close();
                throw new IOException(
                        name() + " did not start: " + start.command() + "\n" + output());
            }
            Filling.pause(ANSWER_POLL_MS);
        }
        return this;
    }

    /** What it has said so far. */
    public String output() throws IOException {
        return Files.readString(start.folder().resolve(name() + ".log"));
    }

    /** True when it answers a CONNECT. */
    public boolean answers() {
        try (Socket socket = new Socket()) {
            socket.connect(address, 1_000);
            socket.setSoTimeout(1_000);
            ByteBuffer connect = Frames.connect("probe-" + start.port(), 60, true);
            byte[] bytes = new byte[connect.remaining()];
            connect.get(bytes);
            socket.getOutputStream().write(bytes);
            InputStream in = socket.getInputStream();
            return in.readNBytes(4).length == 4;
        } catch (IOException e) {
            return false;
        }
    }

    /** A port of loopback that nobody listens on, each time another one. */
    public static int freePort() {
        for (int tries = 0; tries < PORTS; tries++) {
            int port = PORT_FIRST + NEXT_PORT.getAndIncrement() % PORTS;
            try (ServerSocket socket =
                    new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException e) {
                // Somebody has it.
            }
        }
        throw new IllegalStateException("no free port from " + PORT_FIRST + " on");
    }
}
