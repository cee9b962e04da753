package io.godwit.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests what a broker does with the addresses that a proxy announces. */
class BehindProxyIT {
    private static final byte ACCEPTED = 0;
    private static final byte UNAVAILABLE = 3;
    private static final byte NOT_AUTHORIZED = 5;

    private static BrokerFixture start(String... more) {
        String[] all = new String[more.length + 2];
        all[0] = "listeners.mqtt.proxy-protocol=true";
        all[1] = "listeners.mqtt.trusted-proxies=127.0.0.0/8";
        System.arraycopy(more, 0, all, 2, more.length);
        return BrokerFixture.start(all);
    }

    /** The return code of CONNACK (MQTT 3.1.1). */
    private static byte connect(BrokerFixture broker, String source, String clientId)
            throws IOException {
        try (Socket socket = broker.connect()) {
            String family = source.indexOf(':') < 0 ? "TCP4" : "TCP6";
            String own = source.indexOf(':') < 0 ? "192.0.2.1" : "::1";
            String header = "PROXY " + family + " " + source + " " + own + " 40000 1883\r\n";
            socket.getOutputStream().write(header.getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().write(RawMqtt.connectDurable(clientId));
            return RawMqtt.read(socket)[3];
        }
    }

    @Test
    void sessions_are_counted_by_the_announced_address_and_by_its_first_64_bits() throws Exception {
        try (BrokerFixture broker =
                start("security.anonymous=everyone", "limits.sessions-per-address=1")) {
            assertThat(connect(broker, "192.0.2.7", "a")).isEqualTo(ACCEPTED);
            assertThat(connect(broker, "192.0.2.7", "b")).isEqualTo(UNAVAILABLE);
            assertThat(connect(broker, "192.0.2.8", "c")).isEqualTo(ACCEPTED);
            assertThat(connect(broker, "2001:db8:0:1::1", "d")).isEqualTo(ACCEPTED);
            assertThat(connect(broker, "2001:db8:0:1:ffff::2", "e")).isEqualTo(UNAVAILABLE);
            assertThat(connect(broker, "2001:db8:0:2::1", "f")).isEqualTo(ACCEPTED);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1", "::ffff:127.0.0.1", "192.0.2.7"})
    void nobody_who_comes_by_a_proxy_is_on_this_machine(String source) throws Exception {
        try (BrokerFixture broker = start("security.anonymous=loopback")) {
            assertThat(connect(broker, source, "a")).isEqualTo(NOT_AUTHORIZED);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "P", "PROXY TCP4 192.0.2.7 192.0.2.1 40000 1883\r"})
    void header_is_complete_within_the_time_limit_of_connect(String begin) throws Exception {
        try (BrokerFixture broker = start("limits.connect-timeout=200ms");
                Socket socket = broker.connect()) {
            socket.getOutputStream().write(begin.getBytes(StandardCharsets.US_ASCII));
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
            String metrics =
                    RawHttp.send(
                            broker.adminPort(),
                            "GET /metrics HTTP/1.1",
                            "Host: localhost",
                            "Connection: close");
            assertThat(metrics).containsPattern("godwit_connect_timeouts_total 1(\\.0)?\\n");
        }
    }
}
