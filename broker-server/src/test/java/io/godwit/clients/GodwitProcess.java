package io.godwit.clients;

import io.godwit.server.BrokerProcess;
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
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

/**
 * Godwit as a process of its own, with limits of its own, looked at from outside: its counters, its
 * processor time, its memory.
 */
public final class GodwitProcess implements AutoCloseable {
    private static final int TICKS_PER_SECOND = 100; // of /proc, on every Linux

    private static final int LAST_LINES = 40;

    private final BrokerProcess process;

    private GodwitProcess(BrokerProcess process) {
        this.process = process;
    }

    /** What a broker is started with; one plain listener and the admin port are always there. */
    public static final class Setup {
        private final List<String> settings = new ArrayList<>();
        private int heapMib = 256;
        private int directMib;
        private int storeMib;
        private int openFiles;
        private final BrokerProcess.Setup process = new BrokerProcess.Setup();

        /** Its data stands below this folder, which stays. */
        public Setup in(Path folder) {
            process.in(folder);
            return this;
        }

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

        /** {@code node.memory}, divided as the launcher does it (docs/decisions/0005). */
        public Setup nodeMib(int mib) {
            int rest = mib - 96;
            heapMib = rest / 2;
            directMib = rest / 5;
            storeMib = rest * 15 / 100;
            return this;
        }

        /** {@code ulimit -n}. */
        public Setup openFiles(int count) {
            openFiles = count;
            return this;
        }

        public GodwitProcess start() {
            long direct = directMib == 0 ? heapMib : directMib;
            List<String> flags =
                    new ArrayList<>(
                            List.of(
                                    "-Xms" + heapMib + "m",
                                    "-Xmx" + heapMib + "m",
                                    "-XX:MaxDirectMemorySize=" + direct + "m",
                                    "-Dio.netty.maxDirectMemory=" + (direct << 20),
                                    "-XX:+UseG1GC"));
            if (storeMib > 0) {
                flags.add("-Dgodwit.memory.store=" + ((long) storeMib << 20));
            }
            BrokerProcess started =
                    process.openFiles(openFiles)
                            .jvmFlags(flags)
                            .set(settings.toArray(String[]::new))
                            .start();
            started.readyLine(); // fails when there is none
            return new GodwitProcess(started);
        }
    }

    /** All four transports, for the client libraries. */
    static BrokerUnderTest startForClients() {
        Path folder = temporaryFolder();
        TlsFiles files = TlsFiles.in(folder);
        Setup setup = new Setup();
        for (String secure : List.of("tls", "wss")) {
            setup.set("listeners." + secure + ".type=" + secure)
                    .set("listeners." + secure + ".bind=127.0.0.1:0")
                    .set("listeners." + secure + ".tls.certificate=" + files.certificate())
                    .set("listeners." + secure + ".tls.key=" + files.key());
        }
        GodwitProcess broker = setup.start();
        Runtime.getRuntime().addShutdownHook(new Thread(broker::close));
        return new BrokerUnderTest(
                "127.0.0.1",
                Map.of(
                        Transport.TCP,
                        broker.port(),
                        Transport.TLS,
                        broker.process.port("tls"),
                        Transport.WS,
                        broker.process.port("ws"),
                        Transport.WSS,
                        broker.process.port("wss")),
                files.authority());
    }

    /** The port of the plain listener. */
    public int port() {
        return process.port("mqtt");
    }

    public int adminPort() {
        return process.port("admin");
    }

    public boolean isAlive() {
        return process.process().isAlive();
    }

    /** Sends SIGKILL, and waits for the end. */
    public void kill() {
        process.process().destroyForcibly();
        process.exitCode();
    }

    /** The end of what it has said: a stack trace with its cause, where it ended with one. */
    public String lastLines() {
        List<String> lines = process.output();
        int from = Math.max(0, lines.size() - LAST_LINES);
        return String.join(" / ", lines.subList(from, lines.size()));
    }

    private String output() {
        return String.join("\n", process.output());
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

    /** What is charged to a class of {@code MemoryClass}, in MiB. */
    public double accountMib(String of) {
        return samples("godwit_memory_account_bytes", "class=\"" + of + "\"").sum() / (1 << 20);
    }

    /** What {@code /metrics} shows. */
    public String metrics() {
        try (InputStream in =
                URI.create("http://127.0.0.1:" + process.port("admin") + "/metrics")
                        .toURL()
                        .openStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(output(), e);
        }
    }

    /** Output and counters that are not zero, for messages of failed assertions. */
    public String story() {
        return output()
                + metrics()
                        .lines()
                        .filter(line -> line.startsWith("godwit_") && !line.endsWith(" 0.0"))
                        .collect(Collectors.joining("\n", "\n", "\n"));
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
        return statusMib("VmRSS");
    }

    /** The most that it ever was. */
    public long residentMostMib() {
        return statusMib("VmHWM");
    }

    private long statusMib(String field) {
        return proc("status")
                .lines()
                .filter(line -> line.startsWith(field + ":"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024)
                .findFirst()
                .orElseThrow();
    }

    @Override
    public void close() {
        process.close();
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
            return Files.readString(Path.of("/proc/" + process.process().pid() + "/" + file));
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
