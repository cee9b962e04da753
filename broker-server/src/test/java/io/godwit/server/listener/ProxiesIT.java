package io.godwit.server.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.godwit.core.metrics.Metric;
import io.godwit.core.settings.Network;
import io.godwit.loopback.FreePorts;
import io.godwit.server.BrokerProcess;
import io.godwit.server.RawHttp;
import io.godwit.server.RawMqtt;
import io.godwit.server.config.ListenerConfig.Type;
import io.godwit.server.config.ProxyConfig;
import io.godwit.server.config.TlsConfig;
import io.godwit.server.tls.TestCertificates;
import io.godwit.server.tls.TestCertificates.Identity;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Behind the real HAProxy and the real nginx. The proxies are at 127.0.0.1, the client elsewhere.
 */
class ProxiesIT {
    private static final String CLIENT = "127.0.0.3";
    private static final String SERVER_NAME = "mqtt.example.org";
    private static final byte[] HELLO = "hello".getBytes(StandardCharsets.UTF_8);

    @TempDir Path folder;

    private final Identity authority = TestCertificates.authority("ca");
    private final int front = FreePorts.next();

    private static ProxyConfig proxies(boolean protocol) {
        return new ProxyConfig(protocol, List.of(Network.parse("127.0.0.1").orElseThrow()));
    }

    private static int open(ListenersFixture fixture, Type type, boolean protocol)
            throws Exception {
        return fixture.open(ListenersFixture.listener(type, null, 0, proxies(protocol)));
    }

    private Socket connect() throws IOException {
        Socket socket =
                new Socket(
                        InetAddress.getByName("127.0.0.1"),
                        front,
                        InetAddress.getByName(CLIENT),
                        0);
        socket.setSoTimeout(60_000);
        return socket;
    }

    private static void echo(Socket socket) throws IOException {
        socket.getOutputStream().write(HELLO);
        assertThat(new DataInputStream(socket.getInputStream()).readNBytes(HELLO.length))
                .isEqualTo(HELLO);
    }

    /** Beside it there are the connections of health checks. */
    private static ChannelWire wireOf(ListenersFixture fixture, String address) {
        return fixture.wires.stream()
                .filter(wire -> wire.remoteAddress().equals(address))
                .map(ChannelWire.class::cast)
                .findFirst()
                .orElseThrow(() ->
                        new AssertionError(
                                address
                                        + " is not among "
                                        + fixture.wires.stream()
                                                .map(wire -> wire.remoteAddress())
                                                .toList()));
    }

    // ---------------------------------------------------------------- HAProxy

    @ParameterizedTest
    @ValueSource(strings = {"send-proxy", "send-proxy-v2", "send-proxy-v2-ssl-cn"})
    void haproxy_announces_the_address_of_the_client(String option) throws Exception {
        try (var fixture = new ListenersFixture()) {
            int port = open(fixture, Type.TCP, true);
            try (var proxy =
                    ProxyProgram.haproxy(
                            folder,
                            front,
                            """
                            listen mqtt
                              bind 127.0.0.1:%d
                              server godwit 127.0.0.1:%d %s
                            """
                                    .formatted(front, port, option))) {
                try (Socket socket = connect()) {
                    echo(socket);
                    ChannelWire wire = wireOf(fixture, CLIENT + ":" + socket.getLocalPort());
                    assertThat(wire.isLoopback()).isFalse();
                }
                assertThat(fixture.failures).as(proxy.toString()).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "send-proxy check",
                "send-proxy-v2 check",
                "send-proxy-v2 check check-send-proxy check-ssl verify none",
                "send-proxy-v2-ssl-cn check port %d"
            })
    void nothing_is_said_of_the_health_checks_of_haproxy(String options) throws Exception {
        Identity server = TestCertificates.server(authority);
        TlsConfig tls =
                new TlsConfig(
                        TestCertificates.writeCertificates(
                                folder.resolve("cert.pem"), server.certificate()),
                        TestCertificates.writeKey(folder.resolve("key.pem"), server.key()),
                        null,
                        TlsConfig.ClientAuth.NONE,
                        List.of("TLSv1.3"),
                        TlsConfig.Provider.AUTO);
        try (var fixture = new ListenersFixture()) {
            int port = fixture.open(ListenersFixture.listener(Type.TLS, tls, 0, proxies(true)));
            try (var proxy =
                    ProxyProgram.haproxy(
                            folder,
                            front,
                            """
                            listen status
                              mode http
                              bind 127.0.0.1:%d
                              stats enable
                              stats uri /
                            backend mqtt
                              server godwit 127.0.0.1:%d inter 20ms %s
                            """
                                    .formatted(front, port, options.formatted(port)))) {
                Thread.sleep(1_000); // fifty checks
                // Of those without a header most are reset before they are accepted.
                assertThat(fixture.closed.get()).isGreaterThan(options.contains("port") ? -1 : 10);
                assertThat(fixture.failures).as(proxy.toString()).isEmpty();
                assertThat(fixture.total(Metric.REFUSED_PROXY)).isZero();
                assertThat(fixture.total(Metric.HANDSHAKES_FAILED)).isZero();
                assertThat(RawHttp.send(front, "GET /;csv HTTP/1.0"))
                        .containsPattern("mqtt,godwit,.*,UP,");
            }
        }
    }

    @Test
    void haproxy_announces_the_certificate_that_it_has_verified_and_no_other() throws Exception {
        Identity server = TestCertificates.server(authority);
        Path key = TestCertificates.writeKey(folder.resolve("key.pem"), server.key());
        Path certificate =
                TestCertificates.writeCertificates(
                        folder.resolve("cert.pem"), server.certificate());
        Path both =
                Files.writeString(
                        folder.resolve("both.pem"),
                        Files.readString(certificate) + Files.readString(key));
        Path ca =
                TestCertificates.writeCertificates(
                        folder.resolve("ca.pem"), authority.certificate());
        try (var fixture = new ListenersFixture()) {
            int port = open(fixture, Type.TCP, true);
            try (var proxy =
                    ProxyProgram.haproxy(
                            folder,
                            front,
                            """
                            listen mqtts
                              bind 127.0.0.1:%d ssl crt %s ca-file %s verify optional crt-ignore-err all ca-ignore-err all
                              server godwit 127.0.0.1:%d send-proxy-v2-ssl-cn proxy-v2-options authority
                            """
                                    .formatted(front, both, ca, port))) {
                Identity stranger = TestCertificates.server(TestCertificates.authority("other"));
                Identity expired = TestCertificates.expired(authority);
                assertThat(announced(fixture, TestCertificates.server(authority)))
                        .as(proxy.toString())
                        .isEqualTo(tlsOf("localhost"));
                for (Identity unverified : Arrays.asList(null, stranger, expired)) {
                    assertThat(announced(fixture, unverified))
                            .as("%s; %s", unverified, proxy)
                            .isEqualTo(tlsOf(null));
                }
            }
        }
    }

    private static ProxiedPeer tlsOf(@Nullable String commonName) {
        return new ProxiedPeer(null, false, SERVER_NAME, "TLSv1.3", commonName);
    }

    /** Returns what is announced beside the address. */
    private ProxiedPeer announced(ListenersFixture fixture, @Nullable Identity client)
            throws Exception {
        try (Socket plain = connect();
                SSLSocket socket =
                        (SSLSocket)
                                TestCertificates.clientContext(authority, client)
                                        .getSocketFactory()
                                        .createSocket(plain, SERVER_NAME, front, true)) {
            echo(socket);
            ProxiedPeer peer = wireOf(fixture, CLIENT + ":" + plain.getLocalPort()).proxied();
            return new ProxiedPeer(
                    null,
                    Objects.requireNonNull(peer).quiet(),
                    peer.serverName(),
                    peer.tlsVersion(),
                    peer.commonName());
        }
    }

    @Test
    void broker_behind_haproxy_names_the_client_and_is_silent_about_checks() throws Exception {
        try (BrokerProcess broker =
                BrokerProcess.start(
                        "log.level=info",
                        "listeners.mqtt.proxy-protocol=true",
                        "listeners.mqtt.trusted-proxies=127.0.0.1",
                        "security.anonymous=everyone")) {
            List<String> before = broker.output();
            try (var proxy =
                    ProxyProgram.haproxy(
                            folder,
                            front,
                            """
                            listen mqtt
                              bind 127.0.0.1:%d
                              server godwit 127.0.0.1:%d send-proxy-v2 check inter 20ms
                            """
                                    .formatted(front, broker.port("mqtt")))) {
                try (Socket socket = connect()) {
                    socket.getOutputStream().write(RawMqtt.connect(RawMqtt.V5, "behind"));
                    assertThat(RawMqtt.read(socket)).as(proxy.toString()).startsWith(0x20);
                    Thread.sleep(1_000); // fifty checks
                    assertThat(clients(broker))
                            .contains("\"" + CLIENT + ":" + socket.getLocalPort() + "\"");
                }
                assertThat(broker.output()).isEqualTo(before);
            }
            try (Socket stranger = connectTo(broker.port("mqtt"))) {
                assertThat(stranger.getInputStream().read()).isEqualTo(-1);
            }
            await().until(() -> broker.output().size() > before.size());
            assertThat(broker.output().getLast())
                    .contains(CLIENT + ":")
                    .contains("on listener mqtt: not in listeners.mqtt.trusted-proxies");
            String metrics =
                    RawHttp.send(
                            broker.port("admin"),
                            "GET /metrics HTTP/1.1",
                            "Host: localhost",
                            "Connection: close");
            assertThat(metrics)
                    .containsPattern("godwit_refused_proxy_total 1(\\.0)?\\n")
                    .containsPattern(
                            "godwit_clients_rejected_total\\{cause=\"proxy\"[^}]*} 1(\\.0)?\\n");
        }
    }

    private static Socket connectTo(int port) throws IOException {
        Socket socket =
                new Socket(
                        InetAddress.getByName("127.0.0.1"), port, InetAddress.getByName(CLIENT), 0);
        socket.setSoTimeout(60_000);
        return socket;
    }

    private static String clients(BrokerProcess broker) throws IOException {
        return RawHttp.send(
                broker.port("admin"),
                "GET /clients HTTP/1.1",
                "Host: localhost",
                "Connection: close");
    }

    @Test
    void client_that_comes_by_a_proxy_on_the_same_machine_is_not_on_this_machine()
            throws Exception {
        try (BrokerProcess broker =
                BrokerProcess.start(
                        "listeners.mqtt.proxy-protocol=true",
                        "listeners.mqtt.trusted-proxies=127.0.0.1",
                        "security.anonymous=loopback")) {
            try (var proxy =
                    ProxyProgram.haproxy(
                            folder,
                            front,
                            """
                            listen mqtt
                              bind 127.0.0.1:%d
                              server godwit 127.0.0.1:%d send-proxy
                            """
                                    .formatted(front, broker.port("mqtt")))) {
                try (Socket socket = connect()) {
                    socket.getOutputStream().write(RawMqtt.connect(RawMqtt.V311, "behind"));
                    assertThat(RawMqtt.read(socket)).as(proxy.toString()).startsWith(0x20, 2, 0, 5);
                }
            }
        }
    }

    // ---------------------------------------------------------------- nginx

    @Test
    void nginx_announces_the_address_of_the_client_of_a_stream() throws Exception {
        try (var fixture = new ListenersFixture()) {
            int port = open(fixture, Type.TCP, true);
            try (var proxy =
                    ProxyProgram.nginx(
                            folder,
                            front,
                            """
                            server {
                              listen 127.0.0.1:%d;
                              proxy_pass 127.0.0.1:%d;
                              proxy_protocol on;
                            }
                            """
                                    .formatted(front, port),
                            "")) {
                try (Socket socket = connect()) {
                    echo(socket);
                    ChannelWire wire = wireOf(fixture, CLIENT + ":" + socket.getLocalPort());
                    assertThat(wire.isLoopback()).isFalse();
                }
                assertThat(fixture.failures).as(proxy.toString()).isEmpty();
            }
        }
    }

    @Test
    void nginx_announces_the_address_of_the_client_of_a_web_socket() throws Exception {
        try (var fixture = new ListenersFixture()) {
            int port = open(fixture, Type.WS, false);
            try (var proxy =
                    ProxyProgram.nginx(
                            folder,
                            front,
                            "",
                            """
                            server {
                              listen 127.0.0.1:%d;
                              location /mqtt {
                                proxy_pass http://127.0.0.1:%d;
                                proxy_http_version 1.1;
                                proxy_set_header Host $host;
                                proxy_set_header Upgrade $http_upgrade;
                                proxy_set_header Connection upgrade;
                                proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
                              }
                            }
                            """
                                    .formatted(front, port))) {
                try (Socket socket = connect()) {
                    socket.getOutputStream()
                            .write(
                                    WebSocketWire.request("/mqtt", "mqtt")
                                            .replace(
                                                    "\r\n\r\n",
                                                    "\r\nX-Forwarded-For: 6.6.6.6\r\n\r\n")
                                            .getBytes(StandardCharsets.UTF_8));
                    assertThat(WebSocketWire.head(socket))
                            .as(proxy.toString())
                            .startsWith("HTTP/1.1 101 ");
                    socket.getOutputStream().write(WebSocketWire.frame(0x82, HELLO));
                    assertThat(WebSocketWire.readFrame(socket).payload()).isEqualTo(HELLO);
                    assertThat(wireOf(fixture, CLIENT + ":0").isLoopback()).isFalse();
                }
                assertThat(fixture.failures).isEmpty();
            }
        }
    }
}
