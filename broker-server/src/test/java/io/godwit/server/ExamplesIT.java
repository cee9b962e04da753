package io.godwit.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.server.config.Config;
import io.godwit.server.config.ConfigLoader;
import io.godwit.server.config.ListenerConfig;
import io.godwit.server.tls.TestCertificates;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each file of {@code conf/examples} starts a broker; only ports, folders and certificates differ.
 */
class ExamplesIT {
    private static final Path EXAMPLES = Path.of("../conf/examples");

    @TempDir Path folder;

    static Stream<Path> examples() throws IOException {
        try (Stream<Path> files = Files.list(EXAMPLES)) {
            List<Path> all = files.sorted().toList();
            assertThat(all).isNotEmpty();
            return all.stream();
        }
    }

    @ParameterizedTest
    @MethodSource("examples")
    void an_example_starts_a_broker_that_answers(Path example) throws Exception {
        Config asWritten = ConfigLoader.load(example, Map.of(), List.of());
        List<String> sets =
                new ArrayList<>(
                        List.of(
                                "node.data=" + folder.resolve("data"),
                                "admin.bind=127.0.0.1:0",
                                "log.level=error"));
        TestCertificates.Identity authority = TestCertificates.authority("ca");
        TestCertificates.Identity own = TestCertificates.server(authority);
        for (ListenerConfig listener : asWritten.listeners()) {
            String prefix = "listeners." + listener.name() + ".";
            sets.add(prefix + "bind=127.0.0.1:0");
            if (listener.proxies().protocol()) {
                sets.add(prefix + "trusted-proxies=127.0.0.1");
            }
            if (listener.tls() != null) {
                sets.add(prefix + "tls.certificate=" + certificate("server", own));
                sets.add(
                        prefix
                                + "tls.key="
                                + TestCertificates.writeKey(folder.resolve("key.pem"), own.key()));
            }
            if (listener.tls() != null && listener.tls().clientCa() != null) {
                sets.add(prefix + "tls.client-ca=" + certificate("ca", authority));
            }
            if (listener.tls() != null && !listener.tls().clientCrl().isEmpty()) {
                sets.add(prefix + "tls.client-crl=" + revocationList(authority));
            }
        }
        if (asWritten.security().users() != null) {
            sets.add("security.users=" + Files.writeString(folder.resolve("users"), ""));
        }
        if (asWritten.security().rules() != null) {
            Path rules = folder.resolve("rules.yaml");
            sets.add("security.rules=" + Files.writeString(rules, "rules: []\n"));
        }
        Config config = ConfigLoader.load(example, Map.of(), sets);
        assertThat(config.mqtt()).isEqualTo(asWritten.mqtt());
        try (Server server = Server.start(config)) {
            for (ListenerConfig listener : config.listeners()) {
                if (listener.type() == ListenerConfig.Type.TCP) {
                    connect(server.port(listener.name()), listener.proxies().protocol());
                } else {
                    assertThat(server.port(listener.name())).isPositive();
                }
            }
            String health =
                    RawHttp.send(
                            server.adminPort(),
                            "GET /health/ready HTTP/1.1",
                            "Host: localhost",
                            "Connection: close");
            assertThat(health).startsWith("HTTP/1.1 200 ").contains("\"ready\"");
            assertThat(server.fault()).isNull();
        }
    }

    private Path revocationList(TestCertificates.Identity authority) {
        return TestCertificates.writeLists(
                folder.resolve("ca.crl"),
                TestCertificates.revocationList(authority, Instant.now().plus(Duration.ofDays(1))));
    }

    private Path certificate(String name, TestCertificates.Identity of) {
        return TestCertificates.writeCertificates(folder.resolve(name + ".pem"), of.certificate());
    }

    private static void connect(int port, boolean byProxy) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(60_000);
            if (byProxy) {
                String header = "PROXY TCP4 192.0.2.7 192.0.2.8 40000 1883\r\n";
                socket.getOutputStream().write(header.getBytes(StandardCharsets.US_ASCII));
            }
            socket.getOutputStream().write(RawMqtt.connect(RawMqtt.V5, "example"));
            assertThat(RawMqtt.read(socket)[0]).isEqualTo((byte) 0x20);
        }
    }
}
