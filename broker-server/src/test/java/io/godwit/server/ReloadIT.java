package io.godwit.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.godwit.server.tls.TestCertificates;
import io.godwit.server.tls.TestCertificates.Identity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that change under a broker that is a process, with OpenSSL's own client. */
class ReloadIT {
    @TempDir Path folder;

    private final Identity authority = TestCertificates.authority("ca");
    private final Identity first = TestCertificates.server(authority);
    private final Identity second = TestCertificates.server(authority);
    private Path certificate;
    private Path key;

    @BeforeEach
    void writeFiles() {
        certificate =
                TestCertificates.writeCertificates(folder.resolve("cert.pem"), first.certificate());
        key = TestCertificates.writeKey(folder.resolve("key.pem"), first.key());
        TestCertificates.writeCertificates(folder.resolve("ca.pem"), authority.certificate());
    }

    private BrokerProcess broker(String... more) {
        return new BrokerProcess.Setup()
                .set(
                        "log.level=info",
                        "listeners.secure.type=tls",
                        "listeners.secure.bind=127.0.0.1:0",
                        "listeners.secure.tls.certificate=" + certificate,
                        "listeners.secure.tls.key=" + key)
                .set(more)
                .start();
    }

    /** The serial number of the certificate that openssl s_client is shown. */
    private String serial(BrokerProcess broker) throws Exception {
        Process client =
                new ProcessBuilder(
                                "openssl",
                                "s_client",
                                "-connect",
                                "127.0.0.1:" + broker.port("secure"),
                                "-CAfile",
                                folder.resolve("ca.pem").toString(),
                                "-verify_return_error")
                        .redirectErrorStream(true)
                        .start();
        client.getOutputStream().close(); // it ends after the handshake
        String said = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(client.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(said).contains("Verify return code: 0 (ok)");
        Path shown = Files.writeString(folder.resolve("shown.pem"), pem(said));
        Process reader =
                new ProcessBuilder("openssl", "x509", "-noout", "-serial", "-in", shown.toString())
                        .start();
        return new String(reader.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    }

    private static String pem(String text) {
        int begin = text.indexOf("-----BEGIN CERTIFICATE-----");
        String end = "-----END CERTIFICATE-----";
        return text.substring(begin, text.indexOf(end, begin) + end.length()) + "\n";
    }

    private static String serial(Identity identity) {
        String digits = identity.certificate().getSerialNumber().toString(16).toUpperCase();
        return "serial=" + (digits.length() % 2 == 0 ? digits : "0" + digits);
    }

    private static List<String> lines(BrokerProcess broker, String part) {
        return broker.output().stream().filter(line -> line.contains(part)).toList();
    }

    private static String metric(BrokerProcess broker, String name) throws IOException {
        return RawHttp.send(
                        broker.port("admin"),
                        "GET /metrics HTTP/1.1",
                        "Host: localhost",
                        "Connection: close")
                .lines()
                .filter(line -> line.startsWith(name + "{"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void a_key_that_comes_a_second_after_its_certificate_is_used_with_it() throws Exception {
        try (BrokerProcess broker = broker("tls.reload=1s")) {
            assertThat(serial(broker)).isEqualTo(serial(first));
            TestCertificates.writeCertificates(certificate, second.certificate());
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> !lines(broker, "does not belong to the certificate").isEmpty());
            Thread.sleep(2_500);
            assertThat(lines(broker, "does not belong to the certificate")).hasSize(1);
            assertThat(serial(broker)).isEqualTo(serial(first));
            assertThat(metric(broker, "godwit_tls_reload_failures_total"))
                    .startsWith("godwit_tls_reload_failures_total{listener=\"secure\"} ")
                    .doesNotEndWith(" 0.0");

            TestCertificates.writeKey(key, second.key());
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> serial(broker).equals(serial(second)));
            assertThat(lines(broker, "are new; the certificate is valid until")).hasSize(1);
            assertThat(metric(broker, "godwit_tls_certificate_expiry_seconds"))
                    .matches(".*listener=\"secure\"} 8[56][0-9]{3}\\.0|.*} 8\\.[56][0-9]+E4");
        }
    }

    @Test
    void sighup_reloads_and_the_broker_goes_on() throws Exception {
        try (BrokerProcess broker = broker("tls.reload=0")) {
            TestCertificates.writeCertificates(certificate, second.certificate());
            TestCertificates.writeKey(key, second.key());
            hangUp(broker);
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> !lines(broker, "Reload: listeners.secure.tls: ").isEmpty());
            assertThat(serial(broker)).isEqualTo(serial(second));

            hangUp(broker);
            await().atMost(Duration.ofSeconds(30))
                    .until(() ->
                            !lines(broker, "Reload: listeners.secure.tls: unchanged").isEmpty());
            assertThat(broker.process().isAlive()).isTrue();
        }
    }

    private static void hangUp(BrokerProcess broker) throws Exception {
        new ProcessBuilder("kill", "-HUP", Long.toString(broker.process().pid())).start().waitFor();
    }

    @Test
    void post_reload_answers_with_what_changed_or_which_mistake_kept_the_old_files()
            throws Exception {
        try (BrokerProcess broker = broker("tls.reload=0")) {
            assertThat(post(broker, "Godwit-Command: kick")).startsWith("HTTP/1.1 403");
            assertThat(post(broker, "Godwit-Command: reload"))
                    .startsWith("HTTP/1.1 200")
                    .contains(
                            "{\"parts\":[{\"name\":\"listeners.secure.tls\","
                                    + "\"result\":\"unchanged\",\"text\":\"\"},"
                                    + "{\"name\":\"log.level\",\"result\":\"unchanged\","
                                    + "\"text\":\"\"}]}");
            Files.writeString(key, "nothing");
            assertThat(post(broker, "Godwit-Command: reload"))
                    .startsWith("HTTP/1.1 409")
                    .contains("\"result\":\"failed\"", key + " holds no private key");
            TestCertificates.writeCertificates(certificate, second.certificate());
            TestCertificates.writeKey(key, second.key());
            assertThat(post(broker, "Godwit-Command: reload"))
                    .startsWith("HTTP/1.1 200")
                    .contains("\"result\":\"changed\"");
            assertThat(serial(broker)).isEqualTo(serial(second));
        }
    }

    private static String post(BrokerProcess broker, String header) throws IOException {
        return RawHttp.send(
                broker.port("admin"),
                "POST /reload HTTP/1.1",
                "Host: localhost",
                header,
                "Content-Length: 0",
                "Connection: close");
    }
}
