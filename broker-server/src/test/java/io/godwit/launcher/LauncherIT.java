package io.godwit.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.server.RawMqtt;
import io.godwit.server.Version;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The distribution as a stranger gets it: another folder, no sources, no Maven. */
@Tag("alone")
class LauncherIT {
    /** A check tries the ports, and others of this machine may have the usual ones. */
    private static final Map<String, String> ANY_PORTS =
            Map.of(
                    "GODWIT_LISTENERS_MQTT_BIND", "127.0.0.1:0",
                    "GODWIT_LISTENERS_WS_BIND", "127.0.0.1:0",
                    "GODWIT_ADMIN_BIND", "127.0.0.1:0");

    /** Of starts that are ended early: what was wrong was so in one of twenty. */
    private static final int ROUNDS = 10;

    /** Where it is unpacked; what a test writes has a folder of its own. */
    private static Path home;

    private static String launcher = "";

    @BeforeAll
    static void unpack(@TempDir Path folder) throws IOException {
        Path built = Path.of("target", "godwit-" + Version.current());
        home = folder.toRealPath().resolve("unpacked");
        copy(built, home);
        launcher = home.resolve("godwit").toString();
    }

    static void copy(Path from, Path to) throws IOException {
        Files.walkFileTree(
                from,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(Path each, BasicFileAttributes a)
                            throws IOException {
                        Files.createDirectories(to.resolve(from.relativize(each).toString()));
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path each, BasicFileAttributes a)
                            throws IOException {
                        Files.copy(
                                each,
                                to.resolve(from.relativize(each).toString()),
                                StandardCopyOption.COPY_ATTRIBUTES);
                        return FileVisitResult.CONTINUE;
                    }
                });
    }

    @Test
    void extension_http_is_shipped_with_its_own_jars_and_switched_off() throws IOException {
        Path extension = home.resolve("extensions/http");
        try (Stream<Path> files = Files.list(extension)) {
            assertThat(
                            files.map(file -> file.getFileName().toString())
                                    .map(name -> name.replaceFirst("-[0-9].*\\.jar$", ".jar")))
                    .containsExactlyInAnyOrder(
                            "DISABLED",
                            "config.sample.yaml",
                            "extension.yaml",
                            "extension-http.jar",
                            "jackson-core.jar");
        }
        assertThat(extension.resolve("extension.yaml"))
                .content()
                .contains("\nversion: " + Version.current() + "\n");
        assertThat(home.resolve("lib").toFile().list())
                .noneMatch(name -> name.startsWith("extension-http"));
    }

    @Test
    void it_says_its_version_and_that_its_configuration_is_right() {
        Shell.Result version = Shell.run(Map.of(), launcher, "version");
        assertThat(version.exitCode()).isZero();
        assertThat(version.output()).matches("(?s)godwit [0-9].*\njava [0-9].*");
        Shell.Result check = Shell.run(ANY_PORTS, launcher, "run", "--check");
        assertThat(check.exitCode()).as(check.output()).isZero();
        assertThat(check.output())
                .startsWith("The configuration is valid: ")
                .endsWith("/conf/godwit.yaml")
                .hasLineCount(1);
    }

    @Test
    void mistakes_are_sentences_and_the_exit_code_is_one() {
        Shell.Result result =
                Shell.run(
                        Map.of("GODWIT_LOG_LEVEL", "loud"),
                        launcher,
                        "run",
                        "--check",
                        "--set",
                        "mqtt.maximum-qos=3");
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.output().lines())
                .containsExactlyInAnyOrder(
                        "GODWIT_LOG_LEVEL: log.level = loud: allowed: error, warn, info, debug, trace",
                        "--set: mqtt.maximum-qos = 3: allowed: 0..2");
    }

    @Test
    void memory_is_divided_as_any_yaml_says(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("g.yaml"), "{node: {\n memory: 1GiB}}\n");
        Shell.Result result =
                Shell.run(
                        ANY_PORTS,
                        launcher,
                        "run",
                        "--verbose",
                        "--check",
                        "--config",
                        file.toString());
        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(result.output())
                .contains("memory: 1024 MiB (node.memory): heap 464 MiB", "-Xmx464m");
    }

    @Test
    void wrong_arguments_are_named_and_the_exit_code_is_two() {
        Shell.Result result = Shell.run(Map.of(), launcher, "run", "--config");
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.output()).isEqualTo("godwit: --config needs a value: --config FILE");
        assertThat(Shell.run(Map.of(), launcher, "run", "--conf=x").output())
                .isEqualTo(
                        "godwit: there is no option --conf of run; godwit run --help names them");
        Shell.Result help = Shell.run(Map.of(), launcher, "run", "--help");
        assertThat(help.exitCode()).isZero();
        assertThat(help.output()).startsWith("Usage: godwit run ");
    }

    @Test
    @Timeout(240)
    void it_becomes_ready_names_what_it_serves_and_stops_in_order_on_sigterm() throws Exception {
        ProcessBuilder builder =
                new ProcessBuilder(
                        launcher,
                        "run",
                        "--set=listeners.mqtt.bind=127.0.0.1:0",
                        "--set=listeners.ws.bind=127.0.0.1:0",
                        "--set=admin.bind=127.0.0.1:0",
                        "--set=node.memory=256MiB");
        builder.environment().keySet().removeIf(name -> name.startsWith("GODWIT_"));
        Process broker = builder.redirectErrorStream(true).start();
        try (BufferedReader out = broker.inputReader(StandardCharsets.UTF_8)) {
            String ready = out.readLine();
            while (ready != null && !ready.contains("ready")) ready = out.readLine();
            assertThat(ready)
                    .contains("mqtt", "ws", "127.0.0.1:", home.resolve("data").toString())
                    .containsPattern("[0-9]+\\.[0-9]+\\.[0-9]+");
            assertThat(broker.info().command().orElseThrow())
                    .as("the launcher's process has become Java's")
                    .endsWith("/bin/java");
            broker.destroy();
            assertThat(broker.waitFor(180, TimeUnit.SECONDS)).isTrue();
            assertThat(broker.exitValue()).isZero();
        } finally {
            broker.destroyForcibly();
        }
    }

    @Test
    @Timeout(240)
    void broker_that_receives_sighup_and_sigusr1_logs_a_line_each_and_stops_on_sigterm()
            throws Exception {
        ProcessBuilder builder =
                new ProcessBuilder(
                        launcher,
                        "run",
                        "--set=listeners.mqtt.bind=127.0.0.1:0",
                        "--set=listeners.ws.bind=127.0.0.1:0",
                        "--set=admin.bind=127.0.0.1:0",
                        "--set=node.memory=256MiB",
                        "--set=node.data=" + home.resolve("signals"));
        builder.environment().keySet().removeIf(name -> name.startsWith("GODWIT_"));
        Process broker = builder.redirectErrorStream(true).start();
        try (BufferedReader out = broker.inputReader(StandardCharsets.UTF_8)) {
            awaitLine(out, " is ready after ");
            for (String signal : isIgnored(1) ? List.of("USR1") : List.of("HUP", "USR1", "HUP")) {
                Shell.run(Map.of(), "kill", "-" + signal, Long.toString(broker.pid()));
                String line = awaitLine(out, signal.equals("HUP") ? "Reload: " : "SIGUSR1");
                assertThat(line)
                        .contains(
                                signal.equals("HUP")
                                        ? "log.level: unchanged"
                                        : "nothing to reload");
            }
            assertThat(broker.isAlive()).isTrue();
            broker.destroy();
            assertThat(broker.waitFor(180, TimeUnit.SECONDS)).isTrue();
            assertThat(broker.exitValue()).isZero();
        } finally {
            broker.destroyForcibly();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 20, 50, 100})
    @Timeout(120)
    void launcher_that_receives_sigterm_before_the_broker_runs_ends_with_143_and_leaves_no_process(
            int afterMs) throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            String data = "node.data=" + home.resolve("early-" + afterMs + "-" + round);
            ProcessBuilder builder =
                    new ProcessBuilder(
                            launcher,
                            "run",
                            "--set=listeners.mqtt.bind=127.0.0.1:0",
                            "--set=listeners.ws.bind=127.0.0.1:0",
                            "--set=admin.bind=127.0.0.1:0",
                            "--set=node.memory=256MiB",
                            "--set=" + data);
            builder.environment().keySet().removeIf(name -> name.startsWith("GODWIT_"));
            Path said = home.resolve("early.txt");
            builder.redirectErrorStream(true).redirectOutput(said.toFile());
            Process early = builder.start();
            try {
                Thread.sleep(afterMs);
                early.destroy();
                assertThat(early.waitFor(60, TimeUnit.SECONDS)).isTrue();
                if (!isSaidByInitializingJvm(early.exitValue(), Files.readString(said))) {
                    assertThat(early.exitValue()).as(Files.readString(said)).isEqualTo(143);
                    assertThat(said).isEmptyFile();
                }
                awaitNone(data);
            } finally {
                early.destroyForcibly();
            }
        }
    }

    /**
     * Recognizes what a JVM says of SIGTERM in the some 40 ms in which it initializes itself,
     * before any code of ours: its shutdown runs beside its start, and each may meet the other half
     * done.
     */
    private static boolean isSaidByInitializingJvm(int exitCode, String said) {
        return exitCode == 143 && said.matches("Runtime\\.exit\\(143\\) logging failed: .*\n")
                || exitCode == 1 && said.startsWith("Error occurred during initialization of VM\n");
    }

    /**
     * Waits until no process has the argument: a subshell of the launcher ends some milliseconds
     * after it.
     */
    private static void awaitNone(String argument) throws InterruptedException {
        List<String> left = with(argument);
        for (int tries = 0; tries < 100 && !left.isEmpty(); tries++) {
            Thread.sleep(10);
            left = with(argument);
        }
        assertThat(left).isEmpty();
    }

    private static List<String> with(String argument) {
        return ProcessHandle.allProcesses()
                .flatMap(each -> each.info().commandLine().stream())
                .filter(line -> line.contains(argument))
                .toList();
    }

    private static String awaitLine(BufferedReader out, String part) throws IOException {
        StringBuilder said = new StringBuilder();
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            if (line.contains(part)) {
                return line;
            }
            said.append(line).append('\n');
        }
        throw new AssertionError("no line with '" + part + "' in:\n" + said);
    }

    @Test
    @Timeout(300)
    void the_demo_is_three_nodes_that_hear_each_other_and_leaves_no_process() throws Exception {
        int port = freeRange();
        ProcessBuilder builder = new ProcessBuilder(launcher, "cluster", "demo", "--port=" + port);
        builder.environment().keySet().removeIf(name -> name.startsWith("GODWIT_"));
        Process demo = builder.redirectErrorStream(true).start();
        List<ProcessHandle> children = List.of();
        try (BufferedReader out = demo.inputReader(StandardCharsets.UTF_8)) {
            StringBuilder said = new StringBuilder();
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                said.append(line).append('\n');
                if (line.contains("Ctrl-C ends everything")) {
                    break;
                }
            }
            children = demo.descendants().toList();
            assertThat(said)
                    .contains("n1: MQTT at 127.0.0.1:" + (port + 1), "n3: MQTT at", "HAProxy");
            assertThat(children).as(said.toString()).hasSizeBetween(3, 5);
            Shell.Result status =
                    Shell.run(
                            Map.of(),
                            launcher,
                            "cluster",
                            "status",
                            "--admin=127.0.0.1:" + (port + 11));
            assertThat(status.output())
                    .contains("cluster=demo ")
                    .containsPattern("node=n1 .* this")
                    .containsPattern("node=n2 .* live")
                    .containsPattern("node=n3 .* live");
            boolean balanced = said.indexOf("HAProxy spreads") >= 0;
            assertHears(balanced ? port : port + 1, port + 2);

            // As Ctrl-C does it, but that only the launcher gets it.
            Shell.run(Map.of(), "kill", ctrlC(), Long.toString(demo.pid()));
            assertThat(demo.waitFor(180, TimeUnit.SECONDS)).isTrue();
            assertThat(demo.exitValue()).isZero();
            assertThat(children).noneMatch(ProcessHandle::isAlive);
        } finally {
            children.forEach(ProcessHandle::destroyForcibly);
            demo.descendants().forEach(ProcessHandle::destroyForcibly);
            demo.destroyForcibly();
        }
    }

    /** What runs in the background of a script has SIGINT ignored, and hands that on. */
    private static String ctrlC() throws IOException {
        boolean isIgnored = isIgnored(2);
        if (isIgnored) {
            System.out.println("SIGINT is ignored here: the demo is ended by SIGTERM instead");
        }
        return isIgnored ? "-TERM" : "-INT";
    }

    /** Asks whether this process, and so what it starts, ignores a signal: 1 HUP, 2 INT. */
    private static boolean isIgnored(int signal) throws IOException {
        String ignored =
                Files.readAllLines(Path.of("/proc/self/status")).stream()
                        .filter(line -> line.startsWith("SigIgn:"))
                        .map(line -> line.substring(line.indexOf('\t') + 1))
                        .findFirst()
                        .orElse("0");
        return (Long.parseUnsignedLong(ignored.strip(), 16) & 1L << signal - 1) != 0;
    }

    private static void assertHears(int subscribeAt, int publishAt) throws IOException {
        try (Socket subscriber = new Socket("127.0.0.1", subscribeAt);
                Socket publisher = new Socket("127.0.0.1", publishAt)) {
            subscriber.setSoTimeout(60_000);
            publisher.setSoTimeout(60_000);
            connect(subscriber, "demo-subscriber");
            subscriber.getOutputStream().write(RawMqtt.subscribe(RawMqtt.V311, "demo/#"));
            assertThat(RawMqtt.read(subscriber)).startsWith(0x90);
            connect(publisher, "demo-publisher");
            byte[] packet =
                    RawMqtt.publish(
                            RawMqtt.V311, "demo/x", "hello".getBytes(StandardCharsets.UTF_8));
            publisher.getOutputStream().write(packet);
            assertThat(RawMqtt.read(subscriber)).isEqualTo(packet);
        }
    }

    private static void connect(Socket socket, String clientId) throws IOException {
        socket.getOutputStream().write(RawMqtt.connect(RawMqtt.V311, clientId));
        assertThat(RawMqtt.read(socket)).containsExactly(0x20, 2, 0, 0);
    }

    /** The first of 24 free ports, below those that are given to others meanwhile. */
    private static int freeRange() {
        for (int attempt = 0; attempt < 100; attempt++) {
            int first = ThreadLocalRandom.current().nextInt(20_000, 30_000);
            if (IntStream.range(first, first + 24).allMatch(LauncherIT::isFree)) {
                return first;
            }
        }
        throw new AssertionError("no 24 free ports in a row");
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
