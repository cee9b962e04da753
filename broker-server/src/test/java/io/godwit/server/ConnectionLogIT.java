package io.godwit.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the log says of connections at each level. */
class ConnectionLogIT {
    private static final byte[] PING = {(byte) 0xC0, 0};

    @Test
    void at_info_a_takeover_a_refusal_and_a_keep_alive_leave_one_line_however_many_there_are()
            throws IOException {
        try (BrokerProcess broker =
                BrokerProcess.start("log.level=info", "mqtt.keep-alive-maximum=1")) {
            Socket silent = connected(broker, "silent");
            for (int i = 0; i < 5; i++) {
                connected(broker, "twice");
                refused(broker);
            }
            assertThatThrownBy(() -> RawMqtt.read(silent)).isInstanceOf(EOFException.class);
            String took = "Client twice has connected again: closed its connection from 127.0.0.1";
            String refused = "Refused the CONNECT of 127.0.0.1";
            String away = "Closed silent from 127.0.0.1";
            awaitLine(broker, away);
            // A shard logs each once in ten seconds; clients are spread over the shards.
            int shards = Runtime.getRuntime().availableProcessors();
            assertThat(lines(broker, took)).isBetween(1L, (long) Math.min(shards, 4));
            assertThat(lines(broker, refused)).isBetween(1L, (long) Math.min(shards, 5));
            assertThat(lines(broker, "connected from")).isZero();
        }
    }

    @Test
    void client_that_is_closed_for_what_it_sent_leaves_a_line_and_a_count_with_the_cause()
            throws Exception {
        try (BrokerProcess broker = BrokerProcess.start("log.level=info")) {
            closedFor(broker, "wild", new byte[] {0x30, 6, 0, 3, 'a', '/', '+', 'x'});
            awaitLine(
                    broker,
                    "on listener mqtt: malformed packet, Topic Name is not UTF-8 or has a"
                            + " wildcard");
            assertThat(lines(broker, "Closed wild from 127.0.0.1")).isEqualTo(1);
            closedFor(broker, "reserved", new byte[] {0x0A, 0});
            awaitLine(broker, "Closed reserved from 127.0.0.1");
            try (Socket socket = broker.connect()) {
                socket.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(UTF_8));
                assertThat(socket.getInputStream().read()).isEqualTo(-1);
            }
            awaitLine(broker, "no MQTT CONNECT, looks like HTTP");
        }
    }

    private static void closedFor(BrokerProcess broker, String clientId, byte[] packet)
            throws IOException {
        try (Socket socket = connected(broker, clientId)) {
            socket.getOutputStream().write(packet);
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void at_debug_each_connection_has_a_line_and_at_trace_each_packet() throws IOException {
        for (String level : List.of("debug", "trace")) {
            try (BrokerProcess broker = BrokerProcess.start("log.level=" + level)) {
                Socket socket = connected(broker, "talks");
                socket.getOutputStream().write(RawMqtt.publish(RawMqtt.V311, "a/b", new byte[7]));
                socket.getOutputStream().write(PING);
                assertThat(RawMqtt.read(socket)).startsWith(0xD0);
                socket.close();
                awaitLine(broker, "The connection of client talks from 127.0.0.1");
                assertThat(lines(broker, "Client talks connected from 127.0.0.1")).isEqualTo(1);
                long each = level.equals("trace") ? 1 : 0;
                assertThat(lines(broker, "sent PUBLISH to a/b, QoS 0, packet id 0, 7 bytes"))
                        .isEqualTo(each);
                assertThat(lines(broker, " gets PINGRESP")).isEqualTo(each);
                assertThat(lines(broker, " sent CONNECT")).isEqualTo(each);
            }
        }
    }

    private static Socket connected(BrokerProcess broker, String clientId) throws IOException {
        Socket socket = broker.connect();
        socket.getOutputStream().write(RawMqtt.connect(RawMqtt.V311, clientId));
        assertThat(RawMqtt.read(socket)).startsWith(0x20).endsWith(0);
        return socket;
    }

    /** CONNECT without a client id that asks for a session. */
    private static void refused(BrokerProcess broker) throws IOException {
        try (Socket socket = broker.connect()) {
            socket.getOutputStream().write(RawMqtt.connectDurable(""));
            assertThat(RawMqtt.read(socket)).startsWith(0x20).endsWith(2);
        }
    }

    private static void awaitLine(BrokerProcess broker, String part) {
        await().untilAsserted(() -> assertThat(broker.output()).anyMatch(l -> l.contains(part)));
    }

    private static long lines(BrokerProcess broker, String part) {
        return broker.output().stream().filter(line -> line.contains(part)).count();
    }
}
