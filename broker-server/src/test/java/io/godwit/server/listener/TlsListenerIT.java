package io.godwit.server.listener;

import static io.godwit.server.listener.ListenersFixture.listener;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.is;

import io.godwit.core.metrics.Metric;
import io.godwit.server.config.ListenerConfig.Type;
import io.godwit.server.config.TlsConfig;
import io.godwit.server.loop.Transport;
import io.godwit.server.tls.TestCertificates;
import io.godwit.server.tls.TestCertificates.Identity;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class TlsListenerIT {
    @TempDir Path folder;

    private final Identity authority = TestCertificates.authority("ca");
    private final Identity server = TestCertificates.server(authority);

    private TlsConfig config(
            TlsConfig.Provider provider, TlsConfig.ClientAuth clientAuth, Identity clientCa) {
        return new TlsConfig(
                TestCertificates.writeCertificates(
                        folder.resolve("cert.pem"), server.certificate()),
                TestCertificates.writeKey(folder.resolve("key.pem"), server.key()),
                TestCertificates.writeCertificates(
                        folder.resolve("ca.pem"), clientCa.certificate()),
                clientAuth,
                List.of("TLSv1.2", "TLSv1.3"),
                provider);
    }

    private SSLSocket connect(int port, String protocol, @Nullable Identity client)
            throws IOException {
        SSLSocket socket =
                (SSLSocket)
                        TestCertificates.clientContext(authority, client)
                                .getSocketFactory()
                                .createSocket("localhost", port);
        socket.setSoTimeout(60_000);
        socket.setEnabledProtocols(new String[] {protocol});
        return socket;
    }

    private static void echo(Socket socket) throws IOException {
        byte[] sent = new byte[200_000];
        new Random(3).nextBytes(sent);
        Thread writer =
                Thread.ofVirtual()
                        .start(() -> {
                            try {
                                socket.getOutputStream().write(sent);
                            } catch (IOException e) {
                                throw new AssertionError(e);
                            }
                        });
        byte[] received = new byte[sent.length];
        new DataInputStream(socket.getInputStream()).readFully(received);
        assertThat(received).isEqualTo(sent);
        try {
            writer.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "OPENSSL, TLSv1.2, EPOLL",
        "OPENSSL, TLSv1.3, EPOLL",
        "JDK, TLSv1.2, EPOLL",
        "JDK, TLSv1.3, NIO",
    })
    void bytes_go_both_ways(TlsConfig.Provider provider, String protocol, Transport transport)
            throws Exception {
        try (var fixture = new ListenersFixture(transport, new Admission(10, 1))) {
            int port =
                    fixture.open(
                            listener(
                                    Type.TLS,
                                    config(provider, TlsConfig.ClientAuth.NONE, authority)));
            try (SSLSocket socket = connect(port, protocol, null)) {
                echo(socket);
                assertThat(socket.getSession().getProtocol()).isEqualTo(protocol);
                assertThat(socket.getSession().getPeerCertificates()[0])
                        .isEqualTo(server.certificate());
            }
            await().untilAtomic(fixture.closed, is(1));
        }
    }

    @Test
    void what_was_written_before_a_close_arrives() throws Exception {
        try (var fixture = new ListenersFixture()) {
            int port =
                    fixture.open(
                            listener(
                                    Type.TLS,
                                    config(
                                            TlsConfig.Provider.AUTO,
                                            TlsConfig.ClientAuth.NONE,
                                            authority)));
            fixture.onBytes =
                    (wire, in) -> {
                        in.skipBytes(in.readableBytes());
                        wire.write(wire.allocate(50_000).writeZero(50_000));
                        wire.close();
                    };
            try (SSLSocket socket = connect(port, "TLSv1.3", null)) {
                socket.getOutputStream().write(1);
                assertThat(socket.getInputStream().readAllBytes()).hasSize(50_000);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = TlsConfig.Provider.class,
            names = {"OPENSSL", "JDK"})
    void a_client_certificate_is_asked_for_and_checked(TlsConfig.Provider provider)
            throws Exception {
        Identity clients = TestCertificates.authority("clients");
        Identity known = TestCertificates.server(clients);
        Identity stranger = TestCertificates.server(TestCertificates.authority("others"));
        try (var fixture = new ListenersFixture()) {
            int port =
                    fixture.open(
                            listener(
                                    Type.TLS,
                                    config(provider, TlsConfig.ClientAuth.REQUIRED, clients)));
            try (SSLSocket socket = connect(port, "TLSv1.3", known)) {
                echo(socket);
            }
            for (Identity bad : new Identity[] {null, stranger}) {
                try (SSLSocket socket = connect(port, "TLSv1.3", bad)) {
                    assertThatThrownBy(
                                    () -> {
                                        socket.getOutputStream().write(1);
                                        if (socket.getInputStream().read() < 0) {
                                            throw new IOException("closed");
                                        }
                                    })
                            .isInstanceOf(IOException.class);
                }
            }
            await().untilAtomic(fixture.closed, is(3));
        }
    }

    @Test
    void bytes_that_are_no_tls_close_the_connection() throws Exception {
        try (var fixture = new ListenersFixture()) {
            int port =
                    fixture.open(
                            listener(
                                    Type.TLS,
                                    config(
                                            TlsConfig.Provider.AUTO,
                                            TlsConfig.ClientAuth.NONE,
                                            authority)));
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                socket.setSoTimeout(60_000);
                socket.getOutputStream()
                        .write("CONNECT in the clear".getBytes(StandardCharsets.UTF_8));
                socket.getInputStream().readAllBytes(); // an alert perhaps, then the end
            }
            await().untilAtomic(fixture.closed, is(1));
            assertThat(fixture.total(Metric.HANDSHAKES_FAILED)).isEqualTo(1);
        }
    }

    @Test
    void a_connection_beyond_the_limit_is_refused_inside_tls() throws Exception {
        try (var fixture = new ListenersFixture(Transport.best(), new Admission(0, 1))) {
            int port =
                    fixture.open(
                            listener(
                                    Type.TLS,
                                    config(
                                            TlsConfig.Provider.AUTO,
                                            TlsConfig.ClientAuth.NONE,
                                            authority)));
            try (SSLSocket socket = connect(port, "TLSv1.3", null)) {
                socket.getOutputStream()
                        .write(
                                new byte[] {
                                    0x10, 13, 0, 4, 'M', 'Q', 'T', 'T', 5, 2, 0, 0, 0, 0, 0
                                });
                assertThat(socket.getInputStream().readAllBytes())
                        .containsExactly(0x20, 3, 0, 0x97, 0);
            }
        }
    }
}
