package io.godwit.server.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.server.BrokerFixture;
import io.godwit.server.tls.TestCertificates;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClientCommandIT {
    @TempDir Path folder;

    @ParameterizedTest
    @CsvSource({"5,0", "5,1", "5,2", "3.1.1,0", "3.1.1,1", "3.1.1,2", "3.1,1"})
    void a_subscriber_that_says_it_is_subscribed_gets_what_is_published_then(
            String version, String qos) throws Exception {
        try (BrokerFixture broker = BrokerFixture.start()) {
            Typed sub =
                    Typed.sub(broker.port(), "-V", version, "-t", "a/#", "-q", qos, "-C", "2", "-v")
                            .awaitSaid("subscribed to a/#");
            for (String text : new String[] {"one", "two"}) {
                Typed pub =
                        Typed.pub(broker.port(), "-V", version, "-t", "a/b", "-q", qos, "-m", text);
                assertThat(pub.exitCode()).as(pub.said()).isZero();
                assertThat(pub.said()).isEmpty();
            }
            assertThat(sub.exitCode()).isZero();
            assertThat(sub.printed()).isEqualTo("a/b one\na/b two\n");
        }
    }

    @Test
    void a_retained_greeting_arrives_whichever_of_the_two_commands_is_faster() throws Exception {
        try (BrokerFixture broker = BrokerFixture.start()) {
            for (int i = 0; i < 20; i++) {
                String topic = "greetings/" + i;
                String[] publish = {"-t", topic, "-q", "1", "-r", "-m", "hello"};
                Typed sub = Typed.sub(broker.port(), "-t", topic, "-C", "1");
                Typed pub = Typed.pub(broker.port(), publish);
                assertThat(pub.exitCode()).as(pub.said()).isZero();
                assertThat(sub.exitCode()).as(sub.said()).isZero();
                assertThat(sub.printed()).isEqualTo("hello\n");
            }
        }
    }

    @Test
    void each_line_of_standard_input_is_a_message_and_all_are_acknowledged() throws Exception {
        try (BrokerFixture broker = BrokerFixture.start()) {
            StringBuilder lines = new StringBuilder();
            for (int i = 0; i < 3_000; i++) lines.append("line ").append(i).append('\n');
            Typed sub =
                    Typed.sub(broker.port(), "-t", "lines", "-q", "2", "-C", "3000")
                            .awaitSaid("subscribed");
            Typed pub =
                    Typed.pubReading(
                            lines.toString(), broker.port(), "-t", "lines", "-q", "2", "-l");
            assertThat(pub.exitCode()).as(pub.said()).isZero();
            assertThat(sub.exitCode()).isZero();
            assertThat(sub.printed()).isEqualTo(lines.toString());
        }
    }

    @Test
    void a_message_is_all_of_standard_input_or_a_file() throws Exception {
        Path file = folder.resolve("message");
        Files.writeString(file, "from a\nfile");
        try (BrokerFixture broker = BrokerFixture.start()) {
            Typed sub = Typed.sub(broker.port(), "-t", "t", "-C", "2").awaitSaid("subscribed");
            assertThat(
                            Typed.pubReading("a\nb", broker.port(), "-t", "t", "-q", "1", "-s")
                                    .exitCode())
                    .isZero();
            assertThat(Typed.pub(broker.port(), "-t", "t", "-f", file.toString()).exitCode())
                    .isZero();
            assertThat(sub.exitCode()).isZero();
            assertThat(sub.printed()).isEqualTo("a\nb\nfrom a\nfile\n");
        }
    }

    @Test
    void a_durable_session_gets_what_came_while_it_was_away() throws Exception {
        try (BrokerFixture broker = BrokerFixture.start()) {
            String[] durable = {"-i", "me", "-c", "-t", "t", "-q", "1", "-W", "1"};
            assertThat(Typed.sub(broker.port(), durable).exitCode()).isZero();
            Typed.pub(broker.port(), "-t", "t", "-q", "1", "-m", "late").exitCode();
            Typed again = Typed.sub(broker.port(), "-i", "me", "-c", "-t", "t", "-C", "1");
            assertThat(again.exitCode()).isZero();
            assertThat(again.printed()).isEqualTo("late\n");
        }
    }

    @Test
    void a_subscriber_without_enough_messages_in_time_ends_with_1() throws Exception {
        try (BrokerFixture broker = BrokerFixture.start()) {
            Typed sub = Typed.sub(broker.port(), "-t", "t", "-C", "1", "-W", "1");
            assertThat(sub.exitCode()).isEqualTo(1);
        }
    }

    @Test
    void a_refused_client_reads_the_reason_that_the_broker_gives() throws Exception {
        try (BrokerFixture broker = BrokerFixture.start("security.anonymous=nobody")) {
            Typed pub = Typed.pub(broker.port(), "-t", "t", "-m", "x");
            assertThat(pub.exitCode()).isEqualTo(1);
            assertThat(pub.said())
                    .startsWith("godwit pub: the broker at 127.0.0.1:")
                    .contains("refused the connection: not authorized (0x87)")
                    .hasLineCount(1);
            Typed old = Typed.sub(broker.port(), "-V", "3.1.1", "-t", "t");
            assertThat(old.exitCode()).isEqualTo(1);
            assertThat(old.said()).contains("refused the connection: not authorized");
        }
    }

    @Test
    void a_broker_that_is_not_there_is_one_sentence() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        Typed pub = Typed.pub(port, "-t", "t", "-m", "x");
        assertThat(pub.exitCode()).isEqualTo(1);
        assertThat(pub.said())
                .isEqualTo(
                        "godwit pub: no broker answers at 127.0.0.1:"
                                + port
                                + ": connection refused\n");
    }

    @Test
    void something_else_than_a_broker_is_one_sentence() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Typed sub = Typed.sub(other.getLocalPort(), "-t", "t");
            try (Socket socket = other.accept()) {
                socket.getOutputStream()
                        .write(
                                "HTTP/1.1 400 Bad Request\r\n\r\n"
                                        .getBytes(StandardCharsets.US_ASCII));
                assertThat(sub.exitCode()).isEqualTo(1);
                assertThat(sub.said()).contains("does not speak MQTT").hasLineCount(1);
            }
        }
    }

    @Test
    void a_subscriber_connects_again_when_its_broker_is_back() throws Exception {
        Typed sub;
        int port;
        try (BrokerFixture broker = BrokerFixture.start()) {
            port = broker.port();
            sub = Typed.sub(port, "-t", "t", "-C", "1").awaitSaid("subscribed");
        }
        sub.awaitSaid("connecting again in 1 s");
        try (BrokerFixture broker = BrokerFixture.start("listeners.mqtt.bind=127.0.0.1:" + port)) {
            Typed.pub(broker.port(), "-t", "t", "-r", "-q", "1", "-m", "back").exitCode();
            assertThat(sub.exitCode()).as(sub.said()).isZero();
            assertThat(sub.printed()).isEqualTo("back\n");
        }
    }

    @Test
    void a_client_that_another_one_replaces_does_not_come_back() throws Exception {
        try (BrokerFixture broker = BrokerFixture.start()) {
            Typed sub = Typed.sub(broker.port(), "-i", "x", "-t", "t").awaitSaid("subscribed");
            Typed.pub(broker.port(), "-i", "x", "-t", "u", "-m", "m").exitCode();
            assertThat(sub.exitCode()).isEqualTo(1);
            assertThat(sub.said()).contains("session taken over (0x8E)");
        }
    }

    @Test
    void each_limit_of_the_broker_that_a_message_exceeds_is_a_sentence() throws Exception {
        try (BrokerFixture broker =
                BrokerFixture.start(
                        "mqtt.maximum-packet-size=2KiB",
                        "mqtt.maximum-qos=1",
                        "mqtt.retain-available=false")) {
            Typed large = Typed.pub(broker.port(), "-t", "t", "-m", "x".repeat(3_000));
            assertThat(large.exitCode()).isEqualTo(1);
            assertThat(large.said()).contains("3000 bytes", "up to 2048");
            Typed qos = Typed.pub(broker.port(), "-t", "t", "-m", "x", "-q", "2");
            assertThat(qos.exitCode()).isEqualTo(1);
            assertThat(qos.said()).contains("QoS 0 to 1 only");
            Typed retained = Typed.pub(broker.port(), "-t", "t", "-m", "x", "-r");
            assertThat(retained.exitCode()).isEqualTo(1);
            assertThat(retained.said()).contains("no retained messages");
        }
    }

    @Test
    void a_connection_is_encrypted_and_the_certificate_counts_unless_somebody_waives_it()
            throws Exception {
        TestCertificates.Identity authority = TestCertificates.authority("ca");
        TestCertificates.Identity server = TestCertificates.server(authority);
        Path ca =
                TestCertificates.writeCertificates(
                        folder.resolve("ca.pem"), authority.certificate());
        Path chain =
                TestCertificates.writeCertificates(
                        folder.resolve("server.pem"), server.certificate());
        Path key = TestCertificates.writeKey(folder.resolve("key.pem"), server.key());
        try (BrokerFixture broker =
                BrokerFixture.start(
                        "listeners.mqtt.type=tls",
                        "listeners.mqtt.tls.certificate=" + chain,
                        "listeners.mqtt.tls.key=" + key)) {
            String[] message = {"-h", "localhost", "-t", "t", "-q", "1", "-m", "x"};
            assertThat(Typed.pub(broker.port(), with(message, "--ca", ca.toString())).exitCode())
                    .isZero();
            assertThat(Typed.pub(broker.port(), with(message, "--insecure")).exitCode()).isZero();
            Typed unknown = Typed.pub(broker.port(), with(message, "--tls"));
            assertThat(unknown.exitCode()).isEqualTo(1);
            assertThat(unknown.said()).contains("not signed by a certificate authority");
            Typed missing = Typed.pub(broker.port(), with(message, "--ca", "/nowhere/ca.pem"));
            assertThat(missing.exitCode()).isEqualTo(1);
            assertThat(missing.said())
                    .contains("--ca: /nowhere/ca.pem can't be read: it does not exist");
        }
        try (BrokerFixture plain = BrokerFixture.start()) {
            Typed pub = Typed.pub(plain.port(), "-t", "t", "-m", "x", "--insecure");
            assertThat(pub.exitCode()).isEqualTo(1);
            assertThat(pub.said()).hasLineCount(1).doesNotContain("Exception");
        }
    }

    private static String[] with(String[] some, String... more) {
        String[] all = Arrays.copyOf(some, some.length + more.length);
        System.arraycopy(more, 0, all, some.length, more.length);
        return all;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-m|x",
                "-t|a",
                "-t|a/#|-m|x",
                "-t|a|-m|x|-n",
                "-t|a|-m|x|-q|3",
                "-t|a|-m|x|-q|one",
                "-t|a|-m|x|-p|0",
                "-t|a|-m|x|-V|6",
                "-t|a|-m|x|--nothing",
                "-t|a|-m|x|--tls=yes",
                "-t|a|-m"
            })
    void wrong_arguments_are_a_sentence_and_exit_code_2(String arguments) throws Exception {
        Typed pub = Typed.pub(1, arguments.split("\\|"));
        assertThat(pub.exitCode()).isEqualTo(2);
        assertThat(pub.said())
                .startsWith("godwit pub: ")
                .endsWith("; see godwit pub --help\n")
                .hasLineCount(1);
    }

    @Test
    void help_names_every_option_once_and_does_nothing_else() throws Exception {
        for (Typed help : new Typed[] {Typed.pub(1, "--help"), Typed.sub(1, "--help")}) {
            assertThat(help.exitCode()).isZero();
            assertThat(help.printed()).startsWith("Usage: godwit ").contains("-h, --host HOST");
            assertThat(help.printed().lines()).allMatch(line -> line.length() <= 100);
        }
        Streams none = Streams.ofProcess();
        assertThat(new PubCommand(none).options().names()).doesNotHaveDuplicates();
        assertThat(new SubCommand(none).options().names()).doesNotHaveDuplicates();
    }
}
