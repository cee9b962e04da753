package io.godwit.clients;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** mosquitto_pub and mosquitto_sub, which most people try first, in each of their versions. */
@Execution(ExecutionMode.SAME_THREAD)
@Timeout(180)
class MosquittoClientsIT {
    private static final String HOW_TO_GET = "apt-get install mosquitto-clients";
    private static final Duration SOON = Duration.ofSeconds(60);

    private final BrokerUnderTest broker = BrokerUnderTest.shared();
    private final List<ProgramRun> open = new ArrayList<>();
    private String topics = "";

    @BeforeEach
    void choose_topics_that_no_other_test_has() {
        topics = "t" + HexFormat.of().toHexDigits(System.nanoTime());
    }

    @AfterEach
    void end_what_runs() {
        open.forEach(ProgramRun::close);
    }

    @ParameterizedTest
    @ValueSource(strings = {"mqttv31", "mqttv311", "mqttv5"})
    void a_wildcard_subscription_gets_what_it_matches(String version) {
        ProgramRun reader =
                subscriber(
                        version,
                        "-C",
                        "2",
                        "-t",
                        topics + "/+/temperature",
                        "-t",
                        topics + "/house/#");
        publish(version, "-t", topics + "/kitchen/humidity", "-m", "no", "-q", "1");
        publish(version, "-t", topics + "/kitchen/temperature", "-m", "21", "-q", "1");
        publish(version, "-t", topics + "/house/cellar/door", "-m", "open", "-q", "1");

        assertThat(messages(reader.awaitEnd(SOON)))
                .containsExactly(
                        "0 0 " + topics + "/kitchen/temperature 21",
                        "0 0 " + topics + "/house/cellar/door open");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mqttv31", "mqttv311", "mqttv5"})
    void every_qos_reaches_every_granted_qos(String version) {
        List<String> expected = new ArrayList<>();
        List<ProgramRun> readers = new ArrayList<>();
        for (int granted = 0; granted <= 2; granted++) {
            readers.add(
                    subscriber(
                            version, "-C", "3", "-q", "" + granted, "-t", topics + "/" + granted));
        }
        for (int granted = 0; granted <= 2; granted++) {
            for (int sent = 0; sent <= 2; sent++) {
                String topic = topics + "/" + granted;
                publish(version, "-q", "" + sent, "-t", topic, "-m", "sent" + sent);
                expected.add(Math.min(granted, sent) + " 0 " + topic + " sent" + sent);
            }
        }

        List<String> received = new ArrayList<>();
        readers.forEach(reader -> received.addAll(messages(reader.awaitEnd(SOON))));
        assertThat(received).containsExactlyInAnyOrderElementsOf(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"mqttv31", "mqttv311", "mqttv5"})
    void a_retained_message_waits_for_subscribers_until_it_is_cleared(String version) {
        publish(version, "-q", "1", "-r", "-t", topics + "/kept", "-m", "kept");
        ProgramRun first = subscriber(version, "-C", "1", "-t", topics + "/+");
        assertThat(messages(first.awaitEnd(SOON))).containsExactly("0 1 " + topics + "/kept kept");

        publish(version, "-q", "1", "-r", "-n", "-t", topics + "/kept");
        ProgramRun second = subscriber(version, "-C", "1", "-t", topics + "/+");
        publish(version, "-q", "1", "-t", topics + "/after", "-m", "after");
        assertThat(messages(second.awaitEnd(SOON)))
                .containsExactly("0 0 " + topics + "/after after");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mqttv31", "mqttv311", "mqttv5"})
    void a_will_is_published_when_the_client_is_killed(String version) {
        ProgramRun watcher = subscriber(version, "-C", "1", "-q", "1", "-t", topics + "/will");
        ProgramRun victim =
                subscriber(
                        version,
                        "-t",
                        topics + "/any",
                        "--will-topic",
                        topics + "/will",
                        "--will-payload",
                        "gone",
                        "--will-qos",
                        "1");
        victim.kill();

        assertThat(messages(watcher.awaitEnd(SOON)))
                .containsExactly("1 0 " + topics + "/will gone");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mqttv31", "mqttv311", "mqttv5"})
    void a_shared_subscription_gives_each_message_to_one_member(String version) {
        String filter = "$share/group/" + topics + "/#";
        ProgramRun left = subscriber(version, "-C", "10", "-q", "1", "-t", filter);
        ProgramRun right = subscriber(version, "-C", "10", "-q", "1", "-t", filter);
        ProgramRun writer =
                run(
                        "mosquitto_pub",
                        version,
                        "-q",
                        "1",
                        "-t",
                        topics + "/work",
                        "--repeat",
                        "20",
                        "-m",
                        "job");
        assertThat(writer.awaitEnd(SOON)).isEmpty();

        assertThat(Stream.of(left, right).flatMap(r -> messages(r.awaitEnd(SOON)).stream()))
                .hasSize(20)
                .allMatch(line -> line.equals("1 0 " + topics + "/work job"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"mqttv31", "mqttv311", "mqttv5"})
    void ten_mebibytes_arrive_unchanged(String version, @TempDir Path folder) throws IOException {
        byte[] payload = new byte[10 * 1024 * 1024];
        new Random(10).nextBytes(payload);
        Path sent = Files.write(folder.resolve("sent"), payload);
        Path received = folder.resolve("received");
        // -d tells of the SUBACK on the same stream as the message: -x prints the message as hex.
        ProgramRun reader =
                run(
                        "mosquitto_sub",
                        version,
                        "-d",
                        "-C",
                        "1",
                        "-q",
                        "1",
                        "-F",
                        "message:%x",
                        "-t",
                        topics + "/large");
        reader.awaitLine(line -> line.startsWith("Subscribed"), SOON);
        publish(version, "-q", "1", "-t", topics + "/large", "-f", sent.toString());

        String hex =
                reader.awaitEnd(SOON).stream()
                        .filter(line -> line.startsWith("message:"))
                        .findFirst()
                        .orElseThrow()
                        .substring("message:".length());
        Files.write(received, HexFormat.of().parseHex(hex));
        assertThat(Files.mismatch(sent, received)).isEqualTo(-1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"mqttv31", "mqttv311", "mqttv5"})
    void a_session_keeps_messages_while_its_client_is_away(String version) {
        List<String> session =
                new ArrayList<>(List.of("-c", "-i", topics, "-q", "2", "-t", topics + "/queue"));
        if (version.equals("mqttv5")) {
            session.addAll(List.of("-x", "600"));
        }
        ProgramRun before = subscriber(version, session.toArray(String[]::new));
        before.kill();
        for (int i = 0; i < 3; i++) {
            publish(version, "-q", "2", "-t", topics + "/queue", "-m", "m" + i);
        }
        session.addAll(List.of("-C", "3"));
        // It gets them, and ends, perhaps before its SUBACK has come.
        ProgramRun after = subscribing(version, session.toArray(String[]::new));

        assertThat(messages(after.awaitEnd(SOON)))
                .isEqualTo(
                        IntStream.range(0, 3)
                                .mapToObj(i -> "2 0 " + topics + "/queue m" + i)
                                .toList());
    }

    private ProgramRun subscribing(String version, String... arguments) {
        List<String> all = new ArrayList<>(List.of("-d", "-F", "message:%q %r %t %p"));
        all.addAll(List.of(arguments));
        return run("mosquitto_sub", version, all.toArray(String[]::new));
    }

    /** A mosquitto_sub whose SUBACK has come. */
    private ProgramRun subscriber(String version, String... arguments) {
        ProgramRun run = subscribing(version, arguments);
        run.awaitLine(line -> line.startsWith("Subscribed"), SOON);
        return run;
    }

    private void publish(String version, String... arguments) {
        ProgramRun run = run("mosquitto_pub", version, arguments);
        assertThat(run.awaitEnd(SOON)).isEmpty();
        assertThat(run.exitCode()).isZero();
    }

    private ProgramRun run(String program, String version, String... arguments) {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Tool.require("stdbuf", "apt-get install coreutils"),
                                "-oL", // mosquitto_sub tells a pipe of its SUBACK too late
                                Tool.require(program, HOW_TO_GET),
                                "-h",
                                broker.host(),
                                "-p",
                                "" + broker.port(Transport.TCP),
                                "-V",
                                version));
        command.addAll(List.of(arguments));
        ProgramRun run = ProgramRun.start(command);
        open.add(run);
        return run;
    }

    private static List<String> messages(List<String> lines) {
        return lines.stream()
                .filter(line -> line.startsWith("message:"))
                .map(line -> line.substring("message:".length()))
                .toList();
    }
}
