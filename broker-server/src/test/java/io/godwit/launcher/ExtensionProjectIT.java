package io.godwit.launcher;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5ConnAckException;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import io.godwit.loopback.FreePorts;
import io.godwit.server.Version;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The project of a new extension, from the distribution to a client that it lets in. */
class ExtensionProjectIT {
    private static final String ID = "front-door";

    @TempDir private Path folder;

    @Test
    @Timeout(180)
    void project_from_the_distribution_is_built_installed_and_lets_a_client_in() throws Exception {
        Path home = folder.toRealPath().resolve("god wit");
        LauncherIT.copy(Path.of("target", "godwit-" + Version.current()), home);
        String launcher = home.resolve("godwit").toString();
        Path project = folder.resolve("project");
        run(launcher, "extension", "new", project.toString(), "--id", ID, "--package", "org.door");
        build(project);
        assertThat(project.resolve("target").resolve(ID).toFile().list())
                .containsExactlyInAnyOrder(
                        ID + "-0.1.0.jar", "extension.yaml", "config.sample.yaml");

        Path extensions = Files.createDirectory(folder.resolve("extensions"));
        int port = FreePorts.next();
        Process broker = start(launcher, port, extensions);
        try {
            run(
                    launcher,
                    "extension",
                    "install",
                    project.resolve("target").resolve(ID + ".zip").toString(),
                    "--set=extensions.folder=" + extensions);
            Awaitility.await()
                    .atMost(60, TimeUnit.SECONDS)
                    .until(() -> answer(port, "wrong").equals("wrong password"));
            assertThat(answer(port, "secret")).isEqualTo("let in");
            assertSenderIsNamed(port);
        } finally {
            broker.destroy();
            broker.waitFor(60, TimeUnit.SECONDS);
            broker.destroyForcibly();
        }
    }

    private static void run(String... command) {
        Shell.Result result = Shell.run(Map.of(), command);
        assertThat(result.exitCode()).as(result.output()).isZero();
    }

    /** Builds with what this build has downloaded; the API is in the distribution only. */
    private void build(Path project) throws IOException {
        Shell.Result result =
                Shell.withFunctions(
                        Map.of("JAVA_HOME", System.getProperty("java.home")),
                        "locate; find_java javac; find_maven; cd '"
                                + project
                                + "'; \"$maven\" -B -ntp -o -Daether.offline.protocols=file"
                                + " '-Dmaven.repo.local="
                                + repositoryWithoutGodwit()
                                + "' verify");
        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(result.output()).contains("Tests run: 7, Failures: 0");
    }

    /** Links to what is in this build's local repository, but for io.godwit. */
    private Path repositoryWithoutGodwit() throws IOException {
        Path all = Path.of(System.getProperty("localRepository"));
        Path linked = folder.resolve("repository");
        link(all, linked, "io");
        link(all.resolve("io"), linked.resolve("io"), "godwit");
        return linked;
    }

    private static void link(Path from, Path to, String without) throws IOException {
        Files.createDirectories(to);
        if (!Files.exists(from)) {
            return;
        }
        try (Stream<Path> children = Files.list(from)) {
            for (Path each : children.toList()) {
                if (!each.endsWith(without)) {
                    Files.createSymbolicLink(to.resolve(each.getFileName()), each);
                }
            }
        }
    }

    private Process start(String launcher, int port, Path extensions) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(
                        launcher,
                        "run",
                        "--set=listeners.mqtt.bind=127.0.0.1:" + port,
                        "--set=listeners.ws.bind=127.0.0.1:0",
                        "--set=admin.bind=127.0.0.1:0",
                        "--set=node.memory=256MiB",
                        "--set=extensions.folder=" + extensions,
                        "--set=extensions.watch=1s",
                        "--set=extensions." + ID + ".config.password=secret");
        builder.environment().keySet().removeIf(name -> name.startsWith("GODWIT_"));
        return builder.redirectErrorStream(true)
                .redirectOutput(folder.resolve("broker.log").toFile())
                .start();
    }

    private static Mqtt5BlockingClient client(int port) {
        return MqttClient.builder()
                .useMqttVersion5()
                .identifier("c1")
                .serverHost("127.0.0.1")
                .serverPort(port)
                .buildBlocking();
    }

    private static void connect(Mqtt5BlockingClient client, String password) {
        client.connectWith()
                .simpleAuth()
                .username("demo")
                .password(password.getBytes(UTF_8))
                .applySimpleAuth()
                .send();
    }

    /** Returns what a client with the password is told. */
    private static String answer(int port, String password) {
        Mqtt5BlockingClient client = client(port);
        try {
            connect(client, password);
            client.disconnect();
            return "let in";
        } catch (Mqtt5ConnAckException refused) {
            return refused.getMqttMessage()
                    .getReasonString()
                    .map(Object::toString)
                    .orElse("refused");
        } catch (RuntimeException notReached) {
            return "not reached";
        }
    }

    private static void assertSenderIsNamed(int port) throws InterruptedException {
        Mqtt5BlockingClient client = client(port);
        connect(client, "secret");
        try (Mqtt5BlockingClient.Mqtt5Publishes got =
                client.publishes(MqttGlobalPublishFilter.ALL)) {
            client.subscribeWith().topicFilter("room/#").qos(MqttQos.AT_LEAST_ONCE).send();
            client.publishWith().topic("room/1").qos(MqttQos.AT_LEAST_ONCE).send();
            Mqtt5Publish publish = got.receive(20, TimeUnit.SECONDS).orElseThrow();
            assertThat(publish.getUserProperties().asList())
                    .extracting(each -> each.getName() + "=" + each.getValue())
                    .containsExactly("sender=c1");
        }
        client.disconnect();
    }
}
