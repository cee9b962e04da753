package io.godwit.server.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.server.BrokerFixture;
import io.godwit.server.RawHttp;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a web page that is open in somebody's browser can do with the WebSocket: its bytes. */
class OriginIT {
    private BrokerFixture broker;

    @BeforeEach
    void start() {
        broker =
                BrokerFixture.start("listeners.ws.origins=https://app.example.org,http://dev:3000");
    }

    @AfterEach
    void stop() {
        broker.close();
    }

    /** The status line of the answer to an upgrade. */
    private String upgrade(String host, String... more) throws IOException {
        List<String> lines =
                new ArrayList<>(
                        List.of(
                                "GET /mqtt HTTP/1.1",
                                "Host: " + host,
                                "Upgrade: websocket",
                                "Connection: Upgrade",
                                "Sec-WebSocket-Version: 13",
                                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                                "Sec-WebSocket-Protocol: mqtt"));
        lines.addAll(List.of(more));
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), broker.port("ws"))) {
            socket.setSoTimeout(60_000);
            String request = String.join("\r\n", lines) + "\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            StringBuilder line = new StringBuilder();
            for (int b = 0; b >= 0 && b != '\n'; ) {
                b = socket.getInputStream().read();
                line.append((char) b);
            }
            return line.toString().strip();
        }
    }

    private static String origin(String value) {
        return "Origin: " + value;
    }

    @Test
    void a_program_that_sends_no_origin_comes_in() throws IOException {
        assertThat(upgrade("whatever.example")).contains(" 101 ");
    }

    @ParameterizedTest
    @CsvSource({
        "localhost:8083, http://localhost:3000",
        "LOCALHOST, http://localhost",
        "127.0.0.1:8083, http://127.0.0.1",
        "'[::1]:8083', 'http://[::1]:8080'",
        "192.0.2.7:8083, https://192.0.2.7",
    })
    void a_page_of_the_same_host_comes_in(String host, String origin) throws IOException {
        assertThat(upgrade(host, origin(origin))).contains(" 101 ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://app.example.org",
                "https://app.example.org:443",
                "HTTPS://APP.example.org",
                "http://dev:3000"
            })
    void a_page_that_is_named_comes_in(String origin) throws IOException {
        assertThat(upgrade("broker.example.org:8083", origin(origin))).contains(" 101 ");
    }

    @ParameterizedTest
    @CsvSource({
        "localhost:8083, https://evil.example",
        "localhost:8083, http://localhost.evil.example",
        "127.0.0.1:8083, http://localhost:8083",
        "localhost:8083, null",
        "localhost:8083, 'http://localhost, https://app.example.org'",
        "localhost:8083, http://localhost@evil.example",
        "localhost:8083, http://localhost/path",
        "localhost:8083, http://app.example.org",
        "localhost:8083, https://app.example.org:8443",
        "localhost:8083, file://",
        "localhost:8083, ''",
        "evil.example:8083, http://evil.example:8083"
    })
    void any_other_page_gets_403(String host, String origin) throws IOException {
        assertThat(upgrade(host, origin(origin))).isEqualTo("HTTP/1.1 403 Forbidden");
    }

    @Test
    void two_origins_are_none() throws IOException {
        String own = origin("http://localhost");
        assertThat(upgrade("localhost", own, own)).contains(" 403 ");
    }

    @Test
    void refusals_are_counted_and_say_what_to_do() throws IOException {
        upgrade("localhost", origin("https://evil.example"));
        String answer =
                RawHttp.send(
                        broker.port("ws"),
                        "GET /mqtt HTTP/1.1",
                        "Host: localhost",
                        "Upgrade: websocket",
                        "Connection: Upgrade",
                        "Sec-WebSocket-Version: 13",
                        "Origin: https://evil.example");
        assertThat(answer).contains("https://evil.example", "listeners.ws.origins");
        assertThat(
                        RawHttp.send(
                                broker.adminPort(),
                                "GET /metrics HTTP/1.1",
                                "Host: localhost",
                                "Connection: close"))
                .contains("godwit_refused_origin_total 2.0\n");
    }

    @Test
    void a_star_lets_every_page_in() throws IOException {
        broker.close();
        broker = BrokerFixture.start("listeners.ws.origins=*");
        assertThat(upgrade("evil.example", origin("https://evil.example"))).contains(" 101 ");
        assertThat(upgrade("evil.example", origin("null"))).contains(" 101 ");
    }
}
