package io.godwit.clients;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/**
 * Godwit as a process of its own, with limits of its own: what a test does to it, it can't do to
 * the test. Not for the launcher, which has tests of its own: the flags here are those that it
 * gives.
 */
public final class GodwitProcess implements AutoCloseable {
    private static final Duration START_LIMIT = Duration.ofSeconds(30);
    private static final int TICKS_PER_SECOND = 100; // of /proc, on every Linux

    private final ProgramRun run;
    private final int port;
    private final int adminPort;

    private GodwitProcess(ProgramRun run, int port, int adminPort) {
        this.run = run;
        this.port = port;
        this.adminPort = adminPort;
    }

    /** What a broker is started with; one plain listener and the admin port are always there. */
    public static final class Setup {
        private final List<String> settings = new ArrayList<>();
        private int heapMib = 256;
        private int openFiles;

        /** {@code key=value}, as after {@code --set}. */
        public Setup set(String assignment) {
            settings.add(assignment);
            return this;
        }

        /** Java heap, and as much for network buffers. */
        public Setup heapMib(int mib) {
            heapMib = mib;
            return this;
        }

        /** {@code ulimit -n}. */
        public Setup openFiles(int count) {
            openFiles = count;
            return this;
        }

        public GodwitProcess start() {
            int port = Ports.free();
            int adminPort = Ports.free();
            ProgramRun run = ProgramRun.start(command(port, adminPort));
            try {
                run.awaitLine(line -> line.contains("ready"), START_LIMIT);
            } catch (AssertionError e) {
                run.close();
                throw e;
            }
            return new GodwitProcess(run, port, adminPort);
        }

        private List<String> command(int port, int adminPort) {
            List<String> command = new ArrayList<>();
            if (openFiles > 0) {
                // The JVM would raise the soft limit to the hard one again.
                command.addAll(
                        List.of("bash", "-c", "ulimit -n " + openFiles + "; exec \"$@\"", "-"));
            }
            command.add(ProcessHandle.current().info().command().orElseThrow());
            command.addAll(
                    List.of(
                            "-Xms" + heapMib + "m",
                            "-Xmx" + heapMib + "m",
                            "-XX:MaxDirectMemorySize=" + heapMib + "m",
                            "-Dio.netty.maxDirectMemory=" + ((long) heapMib << 20),
                            "-XX:+UseG1GC",
                            "-XX:+ExitOnOutOfMemoryError",
                            "--enable-native-access=ALL-UNNAMED",
                            "--sun-misc-unsafe-memory-access=allow",
                            "-cp",
                            System.getProperty(
                                    "surefire.test.class.path",
                                    System.getProperty("java.class.path")),
                            "io.godwit.server.Main",
                            "run"));
            Stream.concat(
                            Stream.of(
                                    "node.data=" + temporaryFolder(),
                                    "admin.bind=127.0.0.1:" + adminPort,
                                    "listeners.ws.enabled=false",
                                    "listeners.mqtt.bind=127.0.0.1:" + port),
                            settings.stream())
                    .forEach(setting -> command.addAll(List.of("--set", setting)));
            return command;
        }
    }

    /** All four transports, for the client libraries. */
    static BrokerUnderTest startForClients() {
        Path folder = temporaryFolder();
        TlsFiles files = TlsFiles.in(folder);
        int tls = Ports.free();
        int ws = Ports.free();
        int wss = Ports.free();
        Setup setup = new Setup();
        for (String secure : List.of("tls", "wss")) {
            setup.set("listeners." + secure + ".type=" + secure)
                    .set("listeners." + secure + ".tls.certificate=" + files.certificate())
                    .set("listeners." + secure + ".tls.key=" + files.key());
        }
        GodwitProcess broker =
                setup.set("listeners.tls.bind=127.0.0.1:" + tls)
                        .set("listeners.wss.bind=127.0.0.1:" + wss)
                        .set("listeners.plainws.type=ws")
                        .set("listeners.plainws.bind=127.0.0.1:" + ws)
                        .start();
        Runtime.getRuntime().addShutdownHook(new Thread(broker::close));
        return new BrokerUnderTest(
                "127.0.0.1",
                Map.of(
                        Transport.TCP,
                        broker.port(),
                        Transport.TLS,
                        tls,
                        Transport.WS,
                        ws,
                        Transport.WSS,
                        wss),
                files.authority());
    }

    /** Of the plain listener. */
    public int port() {
        return port;
    }

    public boolean isAlive() {
        return run.process().isAlive();
    }

    /** Everything that it has said, for messages of failed assertions. */
    public String output() {
        return run.toString();
    }

    /**
     * A counter, over all protocols.
     *
     * @param name as in {@code Metric}, such as {@code connects.refused}
     */
    public long counter(String name) {
        if (name.startsWith("dropped.")) {
            String cause = name.substring("dropped.".length()).replace('.', '-');
            return (long) samples("godwit_dropped_total", "cause=\"" + cause + "\"").sum();
        }
        return (long) samples(prometheusName(name) + "_total", "").sum();
    }

    /** The largest value of a gauge over all its tags. */
    public double gauge(String name) {
        return samples(prometheusName(name), "").max().orElseThrow();
    }

    /** What {@code /metrics} shows. */
    public String metrics() {
        try (InputStream in =
                URI.create("http://127.0.0.1:" + adminPort + "/metrics").toURL().openStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(output(), e);
        }
    }

    /** User and system time of the process. */
    public Duration cpuTime() {
        String stat = proc("stat");
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        long ticks = Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
        return Duration.ofMillis(ticks * 1000 / TICKS_PER_SECOND);
    }

    /** Resident memory, in MiB. */
    public long residentMib() {
        return proc("status")
                .lines()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024)
                .findFirst()
                .orElseThrow();
    }

    @Override
    public void close() {
        run.close();
    }

    private DoubleStream samples(String metric, String tag) {
        String page = metrics();
        List<String> lines =
                page.lines()
                        .filter(line -> line.matches(metric + "[ {].*") && line.contains(tag))
                        .toList();
        if (lines.isEmpty()) {
            throw new AssertionError(metric + " " + tag + " is not among the metrics:\n" + page);
        }
        return lines.stream()
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)));
    }

    private static String prometheusName(String name) {
        return "godwit_" + name.replace('.', '_');
    }

    private String proc(String file) {
        try {
            return Files.readString(Path.of("/proc/" + run.process().pid() + "/" + file));
        } catch (IOException e) {
            throw new UncheckedIOException(output(), e);
        }
    }

    private static Path temporaryFolder() {
        try {
            return Files.createTempDirectory("godwit");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
