package io.godwit.clients;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.server.BrokerFixture;
import io.godwit.server.RawHttp;
import io.godwit.server.security.users.NewHashes;
import io.godwit.server.tls.TestCertificates;
import io.godwit.server.tls.TestCertificates.Identity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** MQTT.js in a page that a real browser has open, over secure WebSocket. */
@Timeout(180)
class BrowserIT {
    private static final String RULES =
            """
            rules:
              - {allow: connect, user: ann}
              - {allow: [publish, subscribe], topic: "room/#"}
            """;

    @TempDir Path folder;
    private final Identity server =
            TestCertificates.server(TestCertificates.authority("Godwit test authority"));
    private WebPage page;
    private BrokerFixture broker;

    @BeforeAll
    static void require() {
        WebPage.browser();
    }

    @BeforeEach
    void start() throws IOException {
        page = new WebPage();
        NewHashes hashes = new NewHashes(new SecureRandom());
        String line = "ann:" + hashes.ofPassword("right".getBytes(UTF_8)).text();
        broker =
                BrokerFixture.start(
                        "security.users=" + Files.writeString(folder.resolve("users"), line),
                        "security.rules=" + Files.writeString(folder.resolve("rules"), RULES),
                        "listeners.wss.type=wss",
                        "listeners.wss.bind=127.0.0.1:0",
                        "listeners.wss.origins=" + page.origin("localhost"),
                        "listeners.wss.tls.certificate="
                                + TestCertificates.writeCertificates(
                                        folder.resolve("cert.pem"), server.certificate()),
                        "listeners.wss.tls.key="
                                + TestCertificates.writeKey(
                                        folder.resolve("key.pem"), server.key()));
    }

    @AfterEach
    void stop() {
        page.close();
        broker.close();
    }

    private String url() {
        return "wss://127.0.0.1:" + broker.port("wss") + "/mqtt";
    }

    private String metrics() throws IOException {
        return RawHttp.send(
                broker.adminPort(),
                "GET /metrics HTTP/1.1",
                "Host: localhost",
                "Connection: close");
    }

    @Test
    void page_of_a_named_origin_does_what_rules_allow_and_nothing_else() {
        assertThat(page.open(folder.resolve("a"), server.keys(), "localhost", url(), false))
                .containsExactly(
                        "PASS wrong_password",
                        "PASS connect",
                        "PASS every_qos",
                        "PASS refused_filter",
                        "PASS refused_publish",
                        "PASS disconnect");
    }

    @Test
    void page_of_another_origin_is_refused() throws IOException {
        String elsewhere = url().replace("127.0.0.1", "localhost");
        // The origin is http://127.0.0.1, the host that is asked localhost.
        assertThat(page.open(folder.resolve("b"), server.keys(), "127.0.0.1", elsewhere, true))
                .containsExactly("PASS no_connection");
        assertThat(metrics()).contains("godwit_refused_origin_total 1.0\n");
    }

    @Test
    void browser_that_does_not_trust_the_certificate_never_sends_connect() throws IOException {
        assertThat(page.open(folder.resolve("c"), null, "localhost", url(), true))
                .containsExactly("PASS no_connection");
        assertThat(metrics())
                .contains("godwit_refused_origin_total 0.0\n")
                .containsPattern("godwit_handshakes_failed_total [1-9]");
    }
}
