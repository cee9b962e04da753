package io.godwit.server.listener;

import static io.godwit.server.listener.ListenersFixture.listener;
import static io.godwit.server.listener.ProxyBytes.AUTHORITY;
import static io.godwit.server.listener.ProxyBytes.LOCAL;
import static io.godwit.server.listener.ProxyBytes.PROXY;
import static io.godwit.server.listener.ProxyBytes.SSL_CN;
import static io.godwit.server.listener.ProxyBytes.TCP4;
import static io.godwit.server.listener.ProxyBytes.addresses;
import static io.godwit.server.listener.ProxyBytes.binary;
import static io.godwit.server.listener.ProxyBytes.binaryOfLength;
import static io.godwit.server.listener.ProxyBytes.join;
import static io.godwit.server.listener.ProxyBytes.line;
import static io.godwit.server.listener.ProxyBytes.ssl;
import static io.godwit.server.listener.ProxyBytes.tlv;
import static io.godwit.server.listener.ProxyBytes.tlvOfLength;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.is;

import io.godwit.core.connection.Wire;
import io.godwit.core.metrics.Metric;
import io.godwit.core.settings.Network;
import io.godwit.server.RawMqtt;
import io.godwit.server.config.ListenerConfig.Type;
import io.godwit.server.config.ProxyConfig;
import io.godwit.server.config.TlsConfig;
import io.godwit.server.loop.Transport;
import io.godwit.server.tls.TestCertificates;
import io.godwit.server.tls.TestCertificates.Identity;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Listeners behind a proxy at 127.0.0.1; whoever comes from 127.0.0.2 is a stranger. */
class ProxyListenerIT {
    private static final byte[] HELLO = "hello".getBytes(StandardCharsets.UTF_8);
    private static final byte[] HEADER = binary(PROXY, TCP4, addresses("192.0.2.7", 40_000));

    @TempDir Path folder;

    private final Identity authority = TestCertificates.authority("ca");
    private ListenersFixture fixture;
    private int port;

    @BeforeEach
    void open() {
        fixture = new ListenersFixture();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private static ProxyConfig proxies(boolean protocol, String... trusted) {
        return new ProxyConfig(
                protocol,
                Stream.of(trusted).map(text -> Network.parse(text).orElseThrow()).toList());
    }

    private void open(Type type) throws Exception {
        open(type, proxies(true, "127.0.0.1", "10.0.0.0/8"));
    }

    private void open(Type type, ProxyConfig proxies) throws Exception {
        TlsConfig tls = null;
        if (type.encrypted()) {
            Identity server = TestCertificates.server(authority);
            tls =
                    new TlsConfig(
                            TestCertificates.writeCertificates(
                                    folder.resolve("cert.pem"), server.certificate()),
                            TestCertificates.writeKey(folder.resolve("key.pem"), server.key()),
                            null,
                            TlsConfig.ClientAuth.NONE,
                            List.of("TLSv1.3"),
                            TlsConfig.Provider.AUTO);
        }
        port = fixture.open(listener(type, tls, 0, proxies));
    }

    private Socket connect() throws IOException {
        return connectFrom("127.0.0.1");
    }

    private Socket connectFrom(String own) throws IOException {
        Socket socket =
                new Socket(InetAddress.getByName("127.0.0.1"), port, InetAddress.getByName(own), 0);
        socket.setSoTimeout(60_000);
        socket.setTcpNoDelay(true);
        return socket;
    }

    private SSLContext clientContext() {
        return TestCertificates.clientContext(authority, null);
    }

    private static void assertEcho(Socket socket) throws IOException {
        assertThat(new DataInputStream(socket.getInputStream()).readNBytes(HELLO.length))
                .isEqualTo(HELLO);
    }

    private static void assertClosed(Socket socket) {
        try {
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        } catch (IOException reset) {
            assertThat(reset).hasMessageContaining("reset");
        }
    }

    private Wire wire() {
        return fixture.wires.getLast();
    }

    private void assertRefused(int count, String why) {
        await().until(() -> fixture.failures.size() >= count);
        await().untilAtomic(fixture.closed, is(fixture.wires.size()));
        assertThat(fixture.failures)
                .hasSize(count)
                .allSatisfy(each -> assertThat(each).contains(why));
        assertThat(fixture.total(Metric.REFUSED_PROXY)).isEqualTo(count);
        assertThat(fixture.total(Metric.HANDSHAKES_FAILED)).isZero();
    }

    private void assertNothingSaid() {
        await().untilAtomic(fixture.closed, is(fixture.wires.size()));
        assertThat(fixture.failures).isEmpty();
        assertThat(fixture.total(Metric.REFUSED_PROXY)).isZero();
        assertThat(fixture.total(Metric.HANDSHAKES_FAILED)).isZero();
    }

    // ---------------------------------------------------------------- headers

    @Test
    void address_of_the_header_is_that_of_the_connection() throws Exception {
        open(Type.TCP);
        for (byte[] header : List.of(HEADER, line("TCP4 192.0.2.7 10.0.0.1 40000 1883"))) {
            try (Socket socket = connect()) {
                socket.getOutputStream().write(join(header, HELLO));
                assertEcho(socket);
                assertThat(wire().remoteAddress()).isEqualTo("192.0.2.7:40000");
                assertThat(wire().isLoopback()).isFalse();
            }
        }
        assertNothingSaid();
    }

    @Test
    void header_is_read_with_nio_too() throws Exception {
        try (var nio = new ListenersFixture(Transport.NIO, new Admission(10, 1))) {
            port = nio.open(listener(Type.TCP, null, 0, proxies(true, "127.0.0.0/8")));
            try (Socket socket = connectFrom("127.0.0.2")) {
                socket.getOutputStream().write(join(HEADER, HELLO));
                assertEcho(socket);
                assertThat(nio.wires.getLast().remoteAddress()).isEqualTo("192.0.2.7:40000");
            }
        }
    }

    @Test
    void header_that_is_torn_at_any_byte_is_read() throws Exception {
        open(Type.TCP);
        byte[] all = join(HEADER, HELLO);
        for (int first = 1; first < all.length; first++) {
            try (Socket socket = connect()) {
                socket.getOutputStream().write(all, 0, first);
                Thread.sleep(5); // so that it is another segment, in nearly every case
                socket.getOutputStream().write(all, first, all.length - first);
                assertEcho(socket);
                assertThat(wire().remoteAddress()).isEqualTo("192.0.2.7:40000");
            }
        }
        assertNothingSaid();
    }

    @Test
    void announced_loopback_address_is_never_loopback() throws Exception {
        open(Type.TCP);
        for (byte[] header :
                List.of(
                        binary(PROXY, TCP4, addresses("127.0.0.1", 40_000)),
                        line("TCP6 ::1 ::1 40000 1883"),
                        line("UNKNOWN"),
                        binary(LOCAL, 0))) {
            try (Socket socket = connect()) {
                socket.getOutputStream().write(join(header, HELLO));
                assertEcho(socket);
                assertThat(wire().isLoopback()).isFalse();
            }
        }
    }

    @Test
    void local_connection_has_the_address_of_the_socket() throws Exception {
        open(Type.TCP);
        try (Socket socket = connect()) {
            socket.getOutputStream().write(join(binary(LOCAL, 0), HELLO));
            assertEcho(socket);
            assertThat(wire().remoteAddress()).isEqualTo("127.0.0.1:" + socket.getLocalPort());
        }
    }

    @Test
    void tls_begins_behind_the_header() throws Exception {
        open(Type.TLS);
        try (Socket socket = connect()) {
            socket.getOutputStream()
                    .write(
                            binary(
                                    PROXY,
                                    TCP4,
                                    addresses("192.0.2.7", 40_000),
                                    tlv(AUTHORITY, "mqtt.example.org")));
            try (SSLSocket layered =
                    (SSLSocket)
                            clientContext()
                                    .getSocketFactory()
                                    .createSocket(socket, "localhost", port, true)) {
                layered.getOutputStream().write(HELLO);
                assertEcho(layered);
                assertThat(wire().remoteAddress()).isEqualTo("192.0.2.7:40000");
                assertThat(wire().isLoopback()).isFalse();
            }
        }
        assertNothingSaid();
    }

    @Test
    void header_may_come_together_with_the_first_bytes_of_tls() throws Exception {
        open(Type.TLS);
        SSLEngine engine = clientContext().createSSLEngine("localhost", port);
        engine.setUseClientMode(true);
        ByteBuffer clientHello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), clientHello);
        byte[] hello = new byte[clientHello.flip().remaining()];
        clientHello.get(hello);
        try (Socket socket = connect()) {
            socket.getOutputStream().write(join(HEADER, hello));
            assertThat(socket.getInputStream().read()).as("a handshake record").isEqualTo(22);
        }
    }

    @Test
    void connection_beyond_the_limit_gets_its_connack_behind_the_header() throws Exception {
        try (var full = new ListenersFixture(Transport.best(), new Admission(0, 10))) {
            port = full.open(listener(Type.TCP, null, 0, proxies(true, "127.0.0.1")));
            try (Socket socket = connect()) {
                socket.getOutputStream()
                        .write(join(HEADER, RawMqtt.connect(RawMqtt.V5, "one too many")));
                assertThat(RawMqtt.read(socket)).startsWith(0x20, 3, 0, 0x97);
            }
        }
    }

    // ---------------------------------------------------------------- who is refused

    @ParameterizedTest
    @EnumSource(Type.class)
    void stranger_is_closed_whatever_it_announces(Type type) throws Exception {
        open(type);
        try (Socket socket = connectFrom("127.0.0.2")) {
            assertClosed(socket);
        }
        assertRefused(1, "not in listeners.test.trusted-proxies");
        assertThat(fixture.wires).as("seen by core").isEmpty();
        assertThat(fixture.failures.getFirst()).startsWith("127.0.0.2:");
    }

    static List<byte[]> refused() {
        return List.of(
                RawMqtt.connect(RawMqtt.V5, "no header"),
                "GET /mqtt HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.UTF_8),
                new byte[] {22, 3, 1, 2, 0, 1},
                line("TCP4 192.0.2.7"),
                line("UNKNOWN " + "x".repeat(65_536)),
                binaryOfLength(0xFFFF, PROXY, TCP4, new byte[0xFFFF]),
                binaryOfLength(4, PROXY, TCP4, addresses("192.0.2.7", 1)),
                binary(
                        PROXY,
                        TCP4,
                        addresses("192.0.2.7", 1),
                        ssl(3, 0, tlvOfLength(0xFFFF, SSL_CN, HELLO))));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void connection_without_a_valid_header_is_closed(byte[] bytes) throws Exception {
        open(Type.TCP);
        try (Socket socket = connect()) {
            try {
                socket.getOutputStream().write(bytes);
            } catch (IOException closed) {
                // While much was being written.
            }
            assertClosed(socket);
        }
        assertRefused(1, "no valid PROXY header");
    }

    @ParameterizedTest
    @EnumSource(
            value = Type.class,
            names = {"TLS", "WS", "WSS"})
    void connection_without_a_valid_header_is_told_once(Type type) throws Exception {
        open(type);
        try (Socket socket = connect()) {
            socket.getOutputStream().write(line("TCP4"));
            assertClosed(socket);
        }
        assertRefused(1, "no valid PROXY header");
    }

    @ParameterizedTest
    @EnumSource(Type.class)
    void header_that_breaks_off_is_told_once(Type type) throws Exception {
        open(type);
        try (Socket socket = connect()) {
            socket.getOutputStream().write(HEADER, 0, HEADER.length - 1);
        }
        assertRefused(1, "ended too early");
    }

    // ---------------------------------------------------------------- health checks

    @ParameterizedTest
    @EnumSource(Type.class)
    void nothing_is_said_of_a_check_that_closes_at_once(Type type) throws Exception {
        open(type);
        for (byte[] header : List.of(binary(LOCAL, 0), line("UNKNOWN"), new byte[0])) {
            for (int lingerSeconds : new int[] {-1, 0}) { // in order, and by a reset
                int before = fixture.closed.get();
                try (Socket socket = connect()) {
                    socket.getOutputStream().write(header);
                    if (lingerSeconds == 0) {
                        socket.setSoLinger(true, 0);
                    }
                }
                await().untilAtomic(fixture.closed, is(before + 1));
            }
        }
        assertNothingSaid();
    }

    @Test
    void nothing_is_said_of_a_check_that_announces_the_socket_itself() throws Exception {
        open(Type.TLS);
        try (Socket socket = connect()) {
            String own = "127.0.0.1 127.0.0.1 " + socket.getLocalPort() + " " + port;
            socket.getOutputStream().write(line("TCP4 " + own));
        }
        await().untilAtomic(fixture.closed, is(1));
        assertNothingSaid();
    }

    @Test
    void nothing_is_said_of_a_check_that_is_answered_by_http() throws Exception {
        open(Type.WS);
        try (Socket socket = connect()) {
            socket.getOutputStream()
                    .write(
                            join(
                                    binary(LOCAL, 0),
                                    "GET /mqtt HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.UTF_8)));
            assertThat(WebSocketWire.head(socket)).startsWith("HTTP/1.1 426 ");
        }
        assertNothingSaid();
    }

    // ---------------------------------------------------------------- X-Forwarded-For

    private String addressOfWebSocket(byte[] header, String forwardedFor) throws Exception {
        return addressOfWebSocket("127.0.0.1", header, forwardedFor);
    }

    private String addressOfWebSocket(String own, byte[] header, String forwardedFor)
            throws Exception {
        String request = WebSocketWire.request("/mqtt", "mqtt");
        if (!forwardedFor.isEmpty()) {
            request = request.replace("\r\n\r\n", "\r\n" + forwardedFor + "\r\n\r\n");
        }
        try (Socket socket = connectFrom(own)) {
            socket.getOutputStream().write(join(header, request.getBytes(StandardCharsets.UTF_8)));
            assertThat(WebSocketWire.head(socket)).startsWith("HTTP/1.1 101 ");
            String address = wire().remoteAddress();
            return (wire().isLoopback() ? "loopback " : "")
                    + address.replace(":" + socket.getLocalPort(), "");
        }
    }

    @Test
    void forwarded_address_counts_from_a_trusted_proxy() throws Exception {
        open(Type.WS, proxies(false, "127.0.0.1", "10.0.0.0/8"));
        byte[] none = {};
        assertThat(addressOfWebSocket(none, "X-Forwarded-For: 192.0.2.7")).isEqualTo("192.0.2.7:0");
        assertThat(addressOfWebSocket(none, "x-forwarded-for: 6.6.6.6, 192.0.2.7, 10.0.0.1"))
                .isEqualTo("192.0.2.7:0");
        assertThat(
                        addressOfWebSocket(
                                none, "X-Forwarded-For: 6.6.6.6\r\nX-Forwarded-For: 192.0.2.7"))
                .isEqualTo("192.0.2.7:0");
        assertThat(addressOfWebSocket(none, "X-Forwarded-For: unknown")).isEqualTo("127.0.0.1");
        assertThat(addressOfWebSocket(none, "X-Forwarded-For: 127.0.0.1")).isEqualTo("127.0.0.1:0");
        assertThat(addressOfWebSocket(none, "")).isEqualTo("127.0.0.1");
        assertThat(
                        addressOfWebSocket(
                                none,
                                "X-Forwarded-For: 6.6.6.6, "
                                        + String.join(",", Collections.nCopies(999, "10.0.0.1"))))
                .isEqualTo("10.0.0.1:0");
    }

    @Test
    void forwarded_address_of_a_stranger_counts_for_nothing_but_that_it_came_by_a_proxy()
            throws Exception {
        open(Type.WS, proxies(false, "127.0.0.1"));
        byte[] none = {};
        assertThat(addressOfWebSocket("127.0.0.2", none, "X-Forwarded-For: 192.0.2.7"))
                .isEqualTo("127.0.0.2");
        assertThat(addressOfWebSocket("127.0.0.2", none, "")).isEqualTo("loopback 127.0.0.2");
    }

    @Test
    void forwarded_address_counts_if_the_one_of_the_header_is_a_trusted_proxy() throws Exception {
        open(Type.WS);
        byte[] proxy = binary(PROXY, TCP4, addresses("10.0.0.1", 1));
        assertThat(addressOfWebSocket(proxy, "X-Forwarded-For: 192.0.2.7"))
                .isEqualTo("192.0.2.7:0");
        assertThat(addressOfWebSocket(HEADER, "X-Forwarded-For: 6.6.6.6"))
                .isEqualTo("192.0.2.7:40000");
    }

    @Test
    void refused_web_socket_is_told_with_the_forwarded_address() throws Exception {
        open(Type.WS, proxies(false, "127.0.0.1"));
        try (Socket socket = connect()) {
            socket.getOutputStream()
                    .write(
                            "GET /x HTTP/1.1\r\nX-Forwarded-For: 192.0.2.7\r\n\r\n"
                                    .getBytes(StandardCharsets.UTF_8));
            assertThat(WebSocketWire.head(socket)).startsWith("HTTP/1.1 404 ");
        }
        assertThat(fixture.failures).hasSize(1);
        assertThat(fixture.failures.getFirst()).startsWith("192.0.2.7:0 ");
    }
}
