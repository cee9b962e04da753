package io.godwit.server.listener;

import static io.godwit.server.listener.ProxyBytes.AUTHORITY;
import static io.godwit.server.listener.ProxyBytes.CERTIFICATE_OF_CONNECTION;
import static io.godwit.server.listener.ProxyBytes.PROXY;
import static io.godwit.server.listener.ProxyBytes.SSL_CN;
import static io.godwit.server.listener.ProxyBytes.SSL_VERSION;
import static io.godwit.server.listener.ProxyBytes.TCP4;
import static io.godwit.server.listener.ProxyBytes.TLS_USED;
import static io.godwit.server.listener.ProxyBytes.addresses;
import static io.godwit.server.listener.ProxyBytes.binary;
import static io.godwit.server.listener.ProxyBytes.ssl;
import static io.godwit.server.listener.ProxyBytes.tlv;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.server.BrokerFixture;
import io.godwit.server.RawHttp;
import io.godwit.server.RawMqtt;
import io.godwit.server.tls.TestCertificates;
import io.godwit.server.tls.TestCertificates.Identity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code GET /clients/{id}} shows of a client's TLS. */
class ClientTlsIT {
    @TempDir Path folder;
    private final Identity authority = TestCertificates.authority("ca");

    private BrokerFixture broker(String provider, String... more) {
        Identity server = TestCertificates.server(authority);
        List<String> settings =
                new ArrayList<>(
                        List.of(
                                "security.anonymous=everyone",
                                "listeners.mqtt.proxy-protocol=true",
                                "listeners.mqtt.trusted-proxies=127.0.0.1",
                                "listeners.mqtt.tls.identity=cn",
                                "listeners.secure.type=tls",
                                "listeners.secure.bind=127.0.0.1:0",
                                "listeners.secure.tls.provider=" + provider,
                                "listeners.secure.tls.client-auth=optional",
                                "listeners.secure.tls.identity=none",
                                "listeners.secure.tls.client-ca="
                                        + TestCertificates.writeCertificates(
                                                folder.resolve("ca.pem"), authority.certificate()),
                                "listeners.secure.tls.certificate="
                                        + TestCertificates.writeCertificates(
                                                folder.resolve("cert.pem"), server.certificate()),
                                "listeners.secure.tls.key="
                                        + TestCertificates.writeKey(
                                                folder.resolve("key.pem"), server.key())));
        settings.addAll(List.of(more));
        return BrokerFixture.start(settings.toArray(String[]::new));
    }

    private Socket secure(BrokerFixture broker, @Nullable Identity client, String host)
            throws IOException {
        Socket plain = plain(broker.port("secure"));
        return TestCertificates.clientContext(authority, client)
                .getSocketFactory()
                .createSocket(plain, host, plain.getPort(), true);
    }

    private static Socket plain(int port) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(60_000);
        return socket;
    }

    private static String shown(BrokerFixture broker, Socket socket, byte[] before)
            throws IOException {
        socket.getOutputStream().write(before);
        socket.getOutputStream().write(RawMqtt.connect(RawMqtt.V5, "dev-1"));
        byte[] connAck = RawMqtt.read(socket);
        assertThat(connAck[0]).isEqualTo((byte) 0x20);
        assertThat(connAck[3]).as("reason").isZero();
        return RawHttp.send(
                broker.adminPort(),
                "GET /clients/dev-1 HTTP/1.1",
                "Host: localhost",
                "Connection: close");
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdk", "openssl"})
    void client_of_tls_is_shown_with_version_and_server_name(String provider) throws IOException {
        try (BrokerFixture broker = broker(provider)) {
            Identity client = TestCertificates.client(authority, "CN=dev-1");
            try (Socket socket = secure(broker, client, "b.example.org")) {
                assertThat(shown(broker, socket, new byte[0]))
                        .contains(
                                "\"tls\":{\"version\":\"TLSv1.3\",\"serverName\":\"b.example.org\","
                                        + "\"certificate\":true}");
            }
            try (Socket socket = secure(broker, null, "127.0.0.1")) {
                assertThat(shown(broker, socket, new byte[0]))
                        .contains("\"tls\":{\"version\":\"TLSv1.3\",\"certificate\":false}");
            }
        }
    }

    @Test
    void client_whose_certificate_is_revoked_gets_disconnect_not_authorized() throws IOException {
        Identity client = TestCertificates.client(authority, "CN=dev-1");
        Instant tomorrow = Instant.now().plus(1, ChronoUnit.DAYS);
        Path list =
                TestCertificates.writeLists(
                        folder.resolve("ca.crl"),
                        TestCertificates.revocationList(authority, tomorrow));
        try (BrokerFixture broker =
                        broker("auto", "listeners.secure.tls.client-crl=" + list, "tls.reload=1s");
                Socket socket = secure(broker, client, "localhost")) {
            shown(broker, socket, new byte[0]);
            TestCertificates.writeLists(
                    list, TestCertificates.revocationList(authority, tomorrow, client));
            byte[] disconnect = RawMqtt.read(socket);
            assertThat(disconnect[0]).isEqualTo((byte) 0xE0);
            assertThat(disconnect[2]).isEqualTo((byte) 0x87);
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void what_a_proxy_announces_of_tls_is_shown() throws IOException {
        byte[] header =
                binary(
                        PROXY,
                        TCP4,
                        addresses("192.0.2.7", 40_000),
                        tlv(AUTHORITY, "b.example.org"),
                        ssl(
                                TLS_USED | CERTIFICATE_OF_CONNECTION,
                                0,
                                tlv(SSL_VERSION, "TLSv1.2"),
                                tlv(SSL_CN, "dev-1")));
        try (BrokerFixture broker = broker("auto");
                Socket socket = plain(broker.port("mqtt"))) {
            assertThat(shown(broker, socket, header))
                    .contains("\"address\":\"192.0.2.7:40000\"")
                    .contains(
                            "\"tls\":{\"version\":\"TLSv1.2\",\"serverName\":\"b.example.org\","
                                    + "\"certificate\":true,\"certificateName\":\"dev-1\"}");
        }
    }
}
