package io.godwit.server.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.server.BrokerProcess;
import io.godwit.server.RawMqtt;
import java.io.IOException;
import java.nio.file.Path;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A client of TLS 1.2 may ask for another handshake on the same connection, as often as it likes,
 * and each costs the server a hundred times what it costs the client. The broker is a process of
 * its own: the JDK's answer depends on what its classes found when they were loaded.
 */
class RenegotiationIT {
    @TempDir Path folder;

    private final TestCertificates.Identity authority = TestCertificates.authority("ca");
    private final TestCertificates.Identity server = TestCertificates.server(authority);

    private BrokerProcess broker(String provider) {
        return BrokerProcess.start(
                "listeners.secure.type=tls",
                "listeners.secure.bind=127.0.0.1:0",
                "listeners.secure.tls.certificate="
                        + TestCertificates.writeCertificates(
                                folder.resolve("cert.pem"), server.certificate()),
                "listeners.secure.tls.key="
                        + TestCertificates.writeKey(folder.resolve("key.pem"), server.key()),
                "listeners.secure.tls.provider=" + provider);
    }

    private SSLSocket connected(BrokerProcess broker) throws Exception {
        SSLContext context = TestCertificates.clientContext(authority, null);
        SSLSocket socket =
                (SSLSocket)
                        context.getSocketFactory().createSocket("localhost", broker.port("secure"));
        socket.setSoTimeout(60_000);
        socket.setEnabledProtocols(new String[] {"TLSv1.2"});
        socket.getOutputStream().write(RawMqtt.connect(RawMqtt.V5, "asks-again"));
        assertThat(RawMqtt.read(socket)[0]).isEqualTo((byte) 0x20);
        return socket;
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdk", "openssl"})
    void a_client_that_asks_for_another_handshake_is_closed(String provider) throws Exception {
        try (BrokerProcess broker = broker(provider);
                SSLSocket socket = connected(broker)) {
            assertThatThrownBy(
                            () -> {
                                socket.startHandshake();
                                socket.getOutputStream().write(new byte[] {(byte) 0xC0, 0});
                                if (socket.getInputStream().read() < 0) {
                                    throw new IOException("closed");
                                }
                            })
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void others_go_on() throws Exception {
        try (BrokerProcess broker = broker("jdk");
                SSLSocket socket = connected(broker)) {
            socket.getOutputStream().write(new byte[] {(byte) 0xC0, 0});
            assertThat(RawMqtt.read(socket)).containsExactly(0xD0, 0);
        }
    }
}
