package io.godwit.server.listener;

import static io.godwit.server.listener.ListenersFixture.listener;
import static io.godwit.server.listener.WebSocketWire.MASK;
import static io.godwit.server.listener.WebSocketWire.assertClosedWith;
import static io.godwit.server.listener.WebSocketWire.frame;
import static io.godwit.server.listener.WebSocketWire.head;
import static io.godwit.server.listener.WebSocketWire.readData;
import static io.godwit.server.listener.WebSocketWire.readFrame;
import static io.godwit.server.listener.WebSocketWire.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.is;

import io.godwit.core.metrics.Metric;
import io.godwit.server.config.ListenerConfig.Type;
import io.godwit.server.listener.WebSocketWire.Frame;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WebSocketIT {
    private ListenersFixture fixture;
    private int port;

    @BeforeEach
    void open() throws Exception {
        fixture = new ListenersFixture();
        port = fixture.open(listener(Type.WS, null));
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(60_000);
        socket.setTcpNoDelay(true);
        return socket;
    }

    private Socket upgraded() throws IOException {
        Socket socket = connect();
        socket.getOutputStream().write(request("/mqtt", "mqtt").getBytes(StandardCharsets.UTF_8));
        assertThat(head(socket)).startsWith("HTTP/1.1 101 ");
        return socket;
    }

    @Test
    void the_handshake_answers_as_the_standard_says() throws Exception {
        try (Socket socket = connect()) {
            socket.getOutputStream()
                    .write(request("/mqtt?x=1", "foo, mqtt").getBytes(StandardCharsets.UTF_8));

            assertThat(head(socket).toLowerCase())
                    .startsWith("http/1.1 101 switching protocols\r\n")
                    .contains("upgrade: websocket\r\n")
                    .contains("connection: upgrade\r\n")
                    .contains("sec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo=\r\n")
                    .contains("sec-websocket-protocol: mqtt\r\n");
        }
    }

    @Test
    void the_subprotocol_of_old_clients_is_taken() throws Exception {
        try (Socket socket = connect()) {
            socket.getOutputStream()
                    .write(request("/mqtt", "mqttv3.1").getBytes(StandardCharsets.UTF_8));

            assertThat(head(socket).toLowerCase()).contains("sec-websocket-protocol: mqttv3.1\r\n");
        }
    }

    @Test
    void handshake_is_accepted_at_each_path_and_with_headers_up_to_the_limit() throws Exception {
        String long9000 =
                request("/ws", "mqtt")
                        .replace("\r\n\r\n", "\r\nCookie: a=" + "c".repeat(9_000) + "\r\n\r\n");
        try (Socket socket = connect()) {
            socket.getOutputStream().write(long9000.getBytes(StandardCharsets.UTF_8));
            assertThat(head(socket)).startsWith("HTTP/1.1 101 ");
        }
    }

    @Test
    void anything_else_gets_its_http_answer_and_is_closed() throws Exception {
        String good = request("/mqtt", "mqtt");
        assertRefused(request("/", "mqtt"), "404");
        assertRefused(request("/mqtt", ""), "400");
        assertRefused(request("/mqtt", "stomp"), "400");
        assertRefused(good.replace("GET", "PUT"), "405");
        assertRefused("GET /mqtt HTTP/1.1\r\nHost: localhost\r\n\r\n", "426");
        assertRefused(good.replace("Version: 13", "Version: 8"), "426");
        assertRefused(good.replace("dGhlIHNhbXBsZSBub25jZQ==", "short"), "400");
        assertRefused("GET /mqtt HTTP/1.1\r\nX: " + "y".repeat(11_000) + "\r\n\r\n", "431");
        assertRefused("GET /" + "y".repeat(5_000) + " HTTP/1.1\r\n\r\n", "414");
        assertRefused("\020\014 no HTTP at all\r\n\r\n", "400");
        await().untilAtomic(fixture.closed, is(10));
        assertThat(fixture.total(Metric.HANDSHAKES_FAILED)).isEqualTo(10);
    }

    private void assertRefused(String request, String status) throws IOException {
        try (Socket socket = connect()) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            String answer =
                    new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
            assertThat(answer).startsWith("HTTP/1.1 " + status + " ");
        }
    }

    @ParameterizedTest
    @CsvSource({"1", "2", "7", "1000", "100000"})
    void packets_may_be_cut_anywhere_by_frames_and_by_reads(int piece) throws Exception {
        byte[] sent = new byte[70_000];
        new Random(4).nextBytes(sent);
        ByteArrayOutputStream frames = new ByteArrayOutputStream();
        int[] sizes = {1, 0, 3, 125, 126, 200, 66_000};
        int from = 0;
        for (int i = 0; from < sent.length; i++) {
            int to = Math.min(sent.length, from + sizes[i % sizes.length]);
            byte[] payload = Arrays.copyOfRange(sent, from, to);
            if (i % 3 == 0
                    && payload.length > 1) { // one message in two fragments and a ping between
                byte[] one = Arrays.copyOf(payload, 1);
                byte[] rest = Arrays.copyOfRange(payload, 1, payload.length);
                frames.writeBytes(frame(0x02, one));
                frames.writeBytes(frame(0x8A, new byte[0])); // an unsolicited pong
                frames.writeBytes(frame(0x80, rest));
            } else {
                frames.writeBytes(frame(0x82, payload));
            }
            from = to;
        }
        byte[] bytes = frames.toByteArray();
        try (Socket socket = upgraded()) {
            Thread writer =
                    Thread.ofVirtual()
                            .start(() -> {
                                try {
                                    OutputStream out = socket.getOutputStream();
                                    // The first frames byte by byte, the rest larger.
                                    int at = 0;
                                    while (at < bytes.length) {
                                        int count =
                                                Math.min(
                                                        at < 2_000 ? piece : 30_000,
                                                        bytes.length - at);
                                        out.write(bytes, at, count);
                                        at += count;
                                    }
                                } catch (IOException e) {
                                    throw new AssertionError(e);
                                }
                            });
            assertThat(readData(socket, sent.length)).isEqualTo(sent);
            writer.join();
        }
        await().untilAtomic(fixture.closed, is(1));
    }

    @Test
    void frames_that_come_with_the_handshake_are_not_lost() throws Exception {
        try (Socket socket = connect()) {
            ByteArrayOutputStream both = new ByteArrayOutputStream();
            both.writeBytes(request("/mqtt", "mqtt").getBytes(StandardCharsets.UTF_8));
            both.writeBytes(frame(0x82, new byte[] {1, 2, 3}));
            socket.getOutputStream().write(both.toByteArray());

            assertThat(head(socket)).startsWith("HTTP/1.1 101 ");
            assertThat(readData(socket, 3)).containsExactly(1, 2, 3);
        }
    }

    @Test
    void a_ping_is_answered_with_its_payload() throws Exception {
        try (Socket socket = upgraded()) {
            socket.getOutputStream().write(frame(0x89, "hello".getBytes(StandardCharsets.UTF_8)));

            Frame pong = readFrame(socket);
            assertThat(pong.first()).isEqualTo(0x8A);
            assertThat(pong.payload()).isEqualTo("hello".getBytes(StandardCharsets.UTF_8));
        }
    }

    @Test
    void a_close_is_answered_and_ends_the_connection() throws Exception {
        try (Socket socket = upgraded()) {
            socket.getOutputStream().write(frame(0x88, new byte[] {0x03, (byte) 0xE9, 'b', 'y'}));

            assertClosedWith(socket, 1001);
        }
        await().untilAtomic(fixture.closed, is(1));
    }

    @ParameterizedTest
    @ValueSource(ints = {0x88, 0x81})
    void what_came_before_a_frame_that_closes_is_handed_on(int closing) throws Exception {
        try (Socket socket = upgraded()) {
            ByteArrayOutputStream both = new ByteArrayOutputStream();
            both.writeBytes(frame(0x82, new byte[] {1, 2}));
            both.writeBytes(frame(0x82, new byte[] {3}));
            both.writeBytes(frame(closing, new byte[] {0x03, (byte) 0xE9}));
            socket.getOutputStream().write(both.toByteArray());

            assertThat(readData(socket, 3)).containsExactly(1, 2, 3);
            assertClosedWith(socket, closing == 0x88 ? 1001 : 1003);
        }
    }

    @Test
    void a_close_of_ours_says_so_after_what_was_written() throws Exception {
        fixture.onBytes =
                (wire, in) -> {
                    in.skipBytes(in.readableBytes());
                    wire.write(wire.allocate(2).writeShort(0xE000));
                    wire.close();
                };
        try (Socket socket = upgraded()) {
            socket.getOutputStream().write(frame(0x82, new byte[] {1}));

            assertThat(readData(socket, 2)).containsExactly(0xE0, 0);
            assertClosedWith(socket, 1000);
        }
        await().untilAtomic(fixture.closed, is(1));
    }

    @Test
    void a_text_frame_closes() throws Exception {
        try (Socket socket = upgraded()) {
            socket.getOutputStream().write(frame(0x81, "text".getBytes(StandardCharsets.UTF_8)));

            assertClosedWith(socket, 1003);
        }
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                0x80, // a continuation of nothing
                0x83, // reserved opcodes
                0x8B, 0xC2, // a reserved bit
                0x09, // a ping in fragments
                0x08
            })
    void an_illegal_frame_closes(int first) throws Exception {
        try (Socket socket = upgraded()) {
            socket.getOutputStream().write(frame(first, new byte[] {1}));

            assertClosedWith(socket, 1002);
        }
    }

    @Test
    void other_breaches_close() throws Exception {
        try (Socket socket = upgraded()) {
            socket.getOutputStream().write(new byte[] {(byte) 0x82, 1, 0}); // not masked
            assertClosedWith(socket, 1002);
        }
        try (Socket socket = upgraded()) { // a new message inside one
            socket.getOutputStream().write(frame(0x02, new byte[] {1}));
            assertThat(readData(socket, 1)).containsExactly(1);
            socket.getOutputStream().write(frame(0x82, new byte[] {2}));
            assertClosedWith(socket, 1002);
        }
        try (Socket socket = upgraded()) { // a ping of 126 bytes
            socket.getOutputStream().write(frame(0x89, new byte[126]));
            assertClosedWith(socket, 1002);
        }
        try (Socket socket = upgraded()) { // half a status code
            socket.getOutputStream().write(frame(0x88, new byte[1]));
            assertClosedWith(socket, 1002);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {(1 << 20) * 2L + 1, 1L << 40, -1L})
    void a_frame_beyond_the_bound_closes_at_its_header(long length) throws Exception {
        try (Socket socket = upgraded()) {
            ByteBuffer header = ByteBuffer.allocate(14).put((byte) 0x82).put((byte) 0xFF);
            socket.getOutputStream().write(header.putLong(length).put(MASK).array());

            assertClosedWith(socket, 1009);
        }
    }

    @Test
    void pings_without_reading_the_pongs_gather_nothing() throws Exception {
        try (Socket socket = upgraded()) {
            socket.setReceiveBufferSize(4_096);
            byte[] ping = frame(0x89, new byte[125]);
            ByteArrayOutputStream many = new ByteArrayOutputStream();
            for (int i = 0; i < 1_000; i++) {
                many.writeBytes(ping);
            }
            for (int i = 0; i < 60; i++) {
                socket.getOutputStream().write(many.toByteArray());
            }
            await().until(() -> fixture.wires.size() == 1);
            assertThat(fixture.pendingBytes(fixture.wires.getFirst()))
                    .isLessThan((1 << 20) + 100_000);
        }
    }

    @Test
    void the_client_of_the_jdk_gets_its_bytes_back() throws Exception {
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        ByteArrayOutputStream received = new ByteArrayOutputStream();
        byte[] sent = new byte[100_000];
        new Random(5).nextBytes(sent);
        try (HttpClient client = HttpClient.newHttpClient()) {
            WebSocket socket =
                    client.newWebSocketBuilder()
                            .subprotocols("mqtt")
                            .buildAsync(
                                    URI.create("ws://127.0.0.1:" + port + "/mqtt"),
                                    new WebSocket.Listener() {
                                        @Override
                                        public @Nullable CompletionStage<?> onBinary(
                                                WebSocket from, ByteBuffer data, boolean last) {
                                            byte[] bytes = new byte[data.remaining()];
                                            data.get(bytes);
                                            received.writeBytes(bytes);
                                            if (received.size() == sent.length) {
                                                answer.complete(received.toByteArray());
                                            }
                                            from.request(1);
                                            return null;
                                        }
                                    })
                            .get(60, TimeUnit.SECONDS);
            socket.sendBinary(ByteBuffer.wrap(sent, 0, 40_000), false).get(60, TimeUnit.SECONDS);
            socket.sendBinary(ByteBuffer.wrap(sent, 40_000, 60_000), true)
                    .get(60, TimeUnit.SECONDS);

            assertThat(answer.get(60, TimeUnit.SECONDS)).isEqualTo(sent);
            assertThat(socket.getSubprotocol()).isEqualTo("mqtt");
            socket.sendClose(WebSocket.NORMAL_CLOSURE, "").get(60, TimeUnit.SECONDS);
        }
        await().untilAtomic(fixture.closed, is(1));
    }
}
