package io.godwit.server.listener;

import static io.godwit.server.listener.ListenersFixture.listener;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.godwit.core.metrics.Metric;
import io.godwit.server.config.ListenerConfig.Type;
import io.godwit.server.config.TlsConfig;
import io.godwit.server.config.TlsConfig.ClientAuth;
import io.godwit.server.config.TlsConfig.ExpiredCrl;
import io.godwit.server.config.TlsConfig.IdentitySource;
import io.godwit.server.config.TlsConfig.IdentityUse;
import io.godwit.server.config.TlsConfig.Provider;
import io.godwit.server.reload.ReloadResult;
import io.godwit.server.tls.ListenerTls;
import io.godwit.server.tls.TestCertificates;
import io.godwit.server.tls.TestCertificates.Identity;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.security.cert.X509CRL;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.bouncycastle.asn1.x509.GeneralName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Certificates and revocation lists that change while clients connect, with both providers. */
class TlsChangesIT {
    private static final int RELOADS = Integer.getInteger("godwit.test.reloads", 100);
    private static final Instant TOMORROW = Instant.now().plusSeconds(86_400);

    @TempDir Path folder;

    private final Identity authority = TestCertificates.authority("ca");
    private final Identity server = TestCertificates.server(authority);
    private final Identity good = TestCertificates.client(authority, "cn=good");
    private final Identity bad = TestCertificates.client(authority, "cn=bad");

    @BeforeEach
    void writeFiles() {
        writePair(server);
        TestCertificates.writeCertificates(folder.resolve("ca.pem"), authority.certificate());
        writeList(TestCertificates.revocationList(authority, TOMORROW));
    }

    private void writePair(Identity identity) {
        TestCertificates.writeCertificates(folder.resolve("cert.pem"), identity.certificate());
        TestCertificates.writeKey(folder.resolve("key.pem"), identity.key());
    }

    private void writeList(X509CRL... lists) {
        TestCertificates.writeLists(folder.resolve("ca.crl"), lists);
    }

    private TlsConfig config(
            Provider provider,
            ClientAuth clientAuth,
            boolean lists,
            ExpiredCrl expired,
            IdentitySource identity,
            Map<String, TlsConfig.Pair> names) {
        return new TlsConfig(
                folder.resolve("cert.pem"),
                folder.resolve("key.pem"),
                clientAuth == ClientAuth.NONE ? null : folder.resolve("ca.pem"),
                clientAuth,
                List.of("TLSv1.2", "TLSv1.3"),
                provider,
                lists ? List.of(folder.resolve("ca.crl")) : List.of(),
                expired,
                names,
                new TlsConfig.Identity(identity, IdentityUse.USER_NAME, false));
    }

    private TlsConfig revoking(Provider provider, ExpiredCrl expired) {
        return config(provider, ClientAuth.REQUIRED, true, expired, IdentitySource.NONE, Map.of());
    }

    private TlsConfig plain(Provider provider) {
        return config(
                provider, ClientAuth.NONE, false, ExpiredCrl.REFUSE, IdentitySource.NONE, Map.of());
    }

    private SSLContext client(@Nullable Identity identity, Identity... above) {
        return TestCertificates.clientContext(authority, identity, above);
    }

    private static SSLSocket connect(SSLContext client, int port, String protocol)
            throws IOException {
        SSLSocket socket = (SSLSocket) client.getSocketFactory().createSocket("localhost", port);
        socket.setSoTimeout(60_000);
        socket.setTcpNoDelay(true);
        socket.setEnabledProtocols(new String[] {protocol});
        return socket;
    }

    private static void echo(Socket socket) throws IOException {
        socket.getOutputStream().write(7);
        int read = socket.getInputStream().read();
        if (read != 7) {
            throw new IOException("closed: " + read);
        }
    }

    private static void assertRefused(SSLContext client, int port, String protocol)
            throws Exception {
        try (SSLSocket socket = connect(client, port, protocol)) {
            assertThatThrownBy(() -> echo(socket)).isInstanceOf(IOException.class);
        }
    }

    /**
     * Returns what openssl s_client says until the broker closes, or sends its line back. It sends
     * its certificate and all that follows at once; the JDK's client writes to a closed socket
     * before it reads the alert.
     */
    private String openssl(Identity identity, int port, String protocol, String... more)
            throws Exception {
        TlsConfig.Pair files = pair("client", identity);
        List<String> command =
                new ArrayList<>(
                        List.of(
                                "openssl",
                                "s_client",
                                "-connect",
                                "127.0.0.1:" + port,
                                protocol.equals("TLSv1.3") ? "-tls1_3" : "-tls1_2",
                                "-cert",
                                files.certificate().toString(),
                                "-key",
                                files.key().toString()));
        command.addAll(List.of(more));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        StringBuilder said = new StringBuilder();
        try (var out = process.outputWriter();
                var in = process.inputReader()) {
            out.write("echoed\n");
            out.flush();
            String line;
            while ((line = in.readLine()) != null && !line.contains("echoed")) {
                said.append(line).append('\n');
            }
            out.write("Q\n"); // says good-bye and ends
            out.flush();
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } catch (IOException closed) {
            // The broker has refused it.
        } finally {
            process.destroyForcibly();
        }
        return said.toString();
    }

    /** Why connections were refused. */
    private static List<String> reasons(ListenersFixture fixture) {
        return fixture.failures.stream()
                .map(each -> each.substring(each.indexOf(' ') + 1))
                .toList();
    }

    private static ListenerTls tls(ListenersFixture fixture) {
        return Objects.requireNonNull(fixture.listeners.tls("test"));
    }

    private static void reload(ListenersFixture fixture) {
        ReloadResult result = tls(fixture).reload();
        assertThat(result.kind()).as(result.text()).isEqualTo(ReloadResult.Kind.CHANGED);
    }

    // ---------------------------------------------------------------- the broker's own pair

    @ParameterizedTest
    @EnumSource(
            value = Provider.class,
            names = {"OPENSSL", "JDK"})
    void new_handshakes_get_the_new_certificate_and_connections_stay(Provider provider)
            throws Exception {
        Identity next = TestCertificates.server(authority);
        try (var fixture = new ListenersFixture()) {
            int port = fixture.open(listener(Type.TLS, plain(provider)));
            SSLContext client = client(null);
            try (SSLSocket before = connect(client, port, "TLSv1.3")) {
                echo(before);
                writePair(next);
                reload(fixture);
                try (SSLSocket after = connect(client, port, "TLSv1.3")) {
                    echo(after);
                    assertThat(after.getSession().getPeerCertificates()[0])
                            .isEqualTo(next.certificate());
                }
                echo(before);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Provider.class,
            names = {"OPENSSL", "JDK"})
    void reloads_at_the_same_time_as_handshakes_fail_none_of_them(Provider provider)
            throws Exception {
        Identity[] pairs = {server, TestCertificates.server(authority)};
        try (var fixture = new ListenersFixture()) {
            int port = fixture.open(listener(Type.TLS, plain(provider)));
            SSLContext client = client(null);
            AtomicBoolean stop = new AtomicBoolean();
            AtomicInteger handshakes = new AtomicInteger();
            List<Throwable> failures = new CopyOnWriteArrayList<>();
            List<Thread> clients = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                clients.add(
                        Thread.ofPlatform()
                                .start(() -> {
                                    while (!stop.get() && failures.isEmpty()) {
                                        try (SSLSocket socket = connect(client, port, "TLSv1.3")) {
                                            echo(socket);
                                            handshakes.incrementAndGet();
                                        } catch (Exception e) {
                                            failures.add(e);
                                        }
                                    }
                                }));
            }
            long bytes = 0;
            for (int i = 1; i <= RELOADS; i++) {
                writePair(pairs[i % 2]);
                reload(fixture);
                if (i == RELOADS / 3) {
                    bytes = PlatformDependent.usedDirectMemory();
                }
            }
            long later = PlatformDependent.usedDirectMemory();
            stop.set(true);
            for (Thread each : clients) {
                each.join();
            }
            assertThat(failures).isEmpty();
            assertThat(handshakes).hasValueGreaterThan(RELOADS / 4);
            assertThat(later - bytes).as("direct memory").isLessThan(8 << 20);
        }
    }

    // ---------------------------------------------------------------- revocation

    @ParameterizedTest
    @CsvSource({
        "OPENSSL, TLSv1.3, certificate revoked",
        "OPENSSL, TLSv1.2, certificate revoked",
        "JDK, TLSv1.3, certificate unknown", // the JDK's servers have one alert for all reasons
        "JDK, TLSv1.2, certificate unknown"
    })
    void a_revoked_certificate_is_refused_at_the_handshake(
            Provider provider, String protocol, String alert) throws Exception {
        writeList(TestCertificates.revocationList(authority, TOMORROW, bad));
        try (var fixture = new ListenersFixture()) {
            int port = fixture.open(listener(Type.TLS, revoking(provider, ExpiredCrl.REFUSE)));
            assertThat(openssl(bad, port, protocol)).contains("alert " + alert);
            assertRefused(client(bad), port, protocol);
            try (SSLSocket socket = connect(client(good), port, protocol)) {
                echo(socket);
            }
            assertThat(reasons(fixture))
                    .hasSize(2)
                    .containsOnly("TLS handshake failed, the certificate was revoked");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Provider.class,
            names = {"OPENSSL", "JDK"})
    void a_list_that_changes_closes_the_connections_that_it_names(Provider provider)
            throws Exception {
        try (var fixture = new ListenersFixture()) {
            int port = fixture.open(listener(Type.TLS, revoking(provider, ExpiredCrl.REFUSE)));
            try (SSLSocket other = connect(client(good), port, "TLSv1.3");
                    SSLSocket revoked = connect(client(bad), port, "TLSv1.3")) {
                echo(other);
                echo(revoked);
                writeList(TestCertificates.revocationList(authority, TOMORROW, bad));
                reload(fixture);

                assertThat(revoked.getInputStream().read()).isEqualTo(-1);
                await().until(() -> fixture.closed.get() == 1);
                assertThat(fixture.total(Metric.CLOSED_REVOKED)).isEqualTo(1);
                echo(other);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"OPENSSL, TLSv1.3", "OPENSSL, TLSv1.2", "JDK, TLSv1.3", "JDK, TLSv1.2"})
    void a_client_that_continues_a_session_is_checked_again(Provider provider, String protocol)
            throws Exception {
        Instant end = Instant.now().plusSeconds(3);
        writeList(TestCertificates.revocationList(authority, end));
        try (var fixture = new ListenersFixture()) {
            int port = fixture.open(listener(Type.TLS, revoking(provider, ExpiredCrl.REFUSE)));
            SSLContext client = client(good);
            try (SSLSocket socket = connect(client, port, protocol)) {
                echo(socket);
            }
            await().until(() -> Instant.now().isAfter(end.plusSeconds(1)));

            try (SSLSocket socket = connect(client, port, protocol)) {
                if (protocol.equals("TLSv1.2")) {
                    socket.startHandshake(); // a whole one would fail
                }
                assertThatThrownBy(() -> echo(socket)).isInstanceOf(IOException.class);
            }
            assertThat(reasons(fixture))
                    .containsExactly(
                            "TLS handshake failed, the revocation list of its authority is out of"
                                    + " date");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Provider.class,
            names = {"OPENSSL", "JDK"})
    void lists_that_are_out_of_date_refuse_clients_unless_they_are_accepted(Provider provider)
            throws Exception {
        writeList(TestCertificates.revocationList(authority, Instant.now().minusSeconds(60), bad));
        try (var fixture = new ListenersFixture()) {
            int port = fixture.open(listener(Type.TLS, revoking(provider, ExpiredCrl.REFUSE)));
            assertRefused(client(good), port, "TLSv1.3");
        }
        try (var fixture = new ListenersFixture()) {
            int port = fixture.open(listener(Type.TLS, revoking(provider, ExpiredCrl.ACCEPT)));
            try (SSLSocket socket = connect(client(good), port, "TLSv1.3")) {
                echo(socket);
            }
            assertRefused(client(bad), port, "TLSv1.3");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Provider.class,
            names = {"OPENSSL", "JDK"})
    void a_client_below_a_revoked_intermediate_authority_is_refused(Provider provider)
            throws Exception {
        Identity middle = TestCertificates.intermediate("middle", authority);
        Identity below = TestCertificates.client(middle, "cn=below");
        TestCertificates.writeCertificates(
                folder.resolve("ca.pem"), authority.certificate(), middle.certificate());
        X509CRL ofMiddle = TestCertificates.revocationList(middle, TOMORROW);
        writeList(TestCertificates.revocationList(authority, TOMORROW), ofMiddle);
        try (var fixture = new ListenersFixture()) {
            int port = fixture.open(listener(Type.TLS, revoking(provider, ExpiredCrl.REFUSE)));
            try (SSLSocket socket = connect(client(below, middle), port, "TLSv1.3")) {
                echo(socket);
                writeList(TestCertificates.revocationList(authority, TOMORROW, middle), ofMiddle);
                reload(fixture);
                assertThat(socket.getInputStream().read()).isEqualTo(-1);
            }
            assertRefused(client(below, middle), port, "TLSv1.3");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Provider.class,
            names = {"OPENSSL", "JDK"})
    void a_client_of_an_authority_without_a_list_is_refused(Provider provider) throws Exception {
        Identity middle = TestCertificates.intermediate("middle", authority);
        Identity below = TestCertificates.client(middle, "cn=below");
        try (var fixture = new ListenersFixture()) {
            int port = fixture.open(listener(Type.TLS, revoking(provider, ExpiredCrl.REFUSE)));
            assertRefused(client(below, middle), port, "TLSv1.3");
        }
    }

    // ---------------------------------------------------------------- host names

    @ParameterizedTest
    @CsvSource({"OPENSSL, TLSv1.3", "OPENSSL, TLSv1.2", "JDK, TLSv1.3"})
    void a_client_gets_the_certificate_of_the_host_that_it_asks_for(
            Provider provider, String protocol) throws Exception {
        Identity exact = TestCertificates.server(authority);
        Identity wild = TestCertificates.server(authority);
        Map<String, TlsConfig.Pair> names =
                Map.of("b.example.org", pair("b", exact), "*.example.org", pair("w", wild));
        TlsConfig config =
                config(
                        provider,
                        ClientAuth.REQUIRED,
                        false,
                        ExpiredCrl.REFUSE,
                        IdentitySource.CN,
                        names);
        try (var fixture = new ListenersFixture()) {
            int port = fixture.open(listener(Type.TLS, config));

            assertThat(shown(port, protocol, "b.example.org")).isEqualTo(exact.certificate());
            assertThat(shown(port, protocol, "B.Example.org")).isEqualTo(exact.certificate());
            assertThat(shown(port, protocol, "c.example.org")).isEqualTo(wild.certificate());
            assertThat(shown(port, protocol, "d.c.example.org")).isEqualTo(server.certificate());
            assertThat(shown(port, protocol, "example.org")).isEqualTo(server.certificate());
            assertThat(shown(port, protocol, null)).isEqualTo(server.certificate());

            Identity next = TestCertificates.server(authority);
            pair("b", next);
            reload(fixture);
            assertThat(shown(port, protocol, "b.example.org")).isEqualTo(next.certificate());
            assertThat(fixture.wires).allMatch(each -> "good".equals(each.tls().certificateName()));
        }
    }

    private TlsConfig.Pair pair(String name, Identity identity) {
        return new TlsConfig.Pair(
                TestCertificates.writeCertificates(
                        folder.resolve(name + ".pem"), identity.certificate()),
                TestCertificates.writeKey(folder.resolve(name + ".key"), identity.key()));
    }

    private Certificate shown(int port, String protocol, @Nullable String host) throws Exception {
        try (Socket below = new Socket(InetAddress.getLoopbackAddress(), port);
                SSLSocket socket =
                        (SSLSocket)
                                client(good)
                                        .getSocketFactory()
                                        .createSocket(below, null, port, true)) {
            socket.setSoTimeout(60_000);
            socket.setEnabledProtocols(new String[] {protocol});
            if (host != null) {
                SSLParameters parameters = socket.getSSLParameters();
                parameters.setServerNames(List.of(new SNIHostName(host)));
                socket.setSSLParameters(parameters);
            }
            echo(socket);
            return socket.getSession().getPeerCertificates()[0];
        }
    }

    @Test
    void bytes_that_are_no_tls_close_a_connection_of_a_listener_with_host_names() throws Exception {
        TlsConfig config =
                config(
                        Provider.AUTO,
                        ClientAuth.NONE,
                        false,
                        ExpiredCrl.REFUSE,
                        IdentitySource.NONE,
                        Map.of("b.example.org", pair("b", server)));
        try (var fixture = new ListenersFixture()) {
            int port = fixture.open(listener(Type.TLS, config));
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                socket.setSoTimeout(60_000);
                socket.getOutputStream()
                        .write("CONNECT in the clear".getBytes(StandardCharsets.UTF_8));
                socket.getInputStream().readAllBytes();
            }
            await().until(() -> fixture.closed.get() == 1);
            assertThat(fixture.total(Metric.HANDSHAKES_FAILED)).isEqualTo(1);
        }
    }

    // ---------------------------------------------------------------- identity

    @ParameterizedTest
    @CsvSource({"OPENSSL, TLS", "OPENSSL, WSS", "JDK, TLS", "JDK, WSS"})
    void a_connection_has_the_name_of_its_clients_certificate(Provider provider, Type type)
            throws Exception {
        Identity named =
                TestCertificates.client(
                        authority,
                        "cn=dev1",
                        new GeneralName(GeneralName.dNSName, "dev1.example.org"));
        TlsConfig config =
                config(
                        provider,
                        ClientAuth.OPTIONAL,
                        false,
                        ExpiredCrl.REFUSE,
                        IdentitySource.SAN_DNS,
                        Map.of());
        try (var fixture = new ListenersFixture()) {
            int port = fixture.open(listener(type, config));

            assertThat(name(fixture, port, type, named)).isEqualTo("dev1.example.org");
            assertThat(name(fixture, port, type, good)).isNull();
            assertThat(name(fixture, port, type, null)).isNull();
        }
    }

    @ParameterizedTest
    @CsvSource({"OPENSSL, TLSv1.3", "OPENSSL, TLSv1.2", "JDK, TLSv1.3", "JDK, TLSv1.2"})
    void a_client_that_continues_a_session_keeps_its_name(Provider provider, String protocol)
            throws Exception {
        TlsConfig config =
                config(
                        provider,
                        ClientAuth.REQUIRED,
                        true,
                        ExpiredCrl.REFUSE,
                        IdentitySource.CN,
                        Map.of());
        Path session = folder.resolve("session.pem");
        try (var fixture = new ListenersFixture()) {
            int port = fixture.open(listener(Type.TLS, config));

            assertThat(openssl(good, port, protocol, "-sess_out", session.toString()))
                    .contains("New, TLSv1");
            assertThat(openssl(good, port, protocol, "-sess_in", session.toString()))
                    .contains("Reused, TLSv1");
            assertThat(fixture.wires)
                    .hasSize(2)
                    .allMatch(each -> "good".equals(each.tls().certificateName()));
        }
    }

    /** The name of a connection when its first bytes come. */
    private @Nullable String name(
            ListenersFixture fixture, int port, Type type, @Nullable Identity identity)
            throws Exception {
        List<String> names = new CopyOnWriteArrayList<>();
        fixture.onBytes =
                (wire, in) -> {
                    in.skipBytes(in.readableBytes());
                    names.add(String.valueOf(wire.tls().certificateName()));
                };
        try (SSLSocket socket = connect(client(identity), port, "TLSv1.3")) {
            if (type == Type.WSS) {
                socket.getOutputStream()
                        .write(
                                WebSocketWire.request("/mqtt", "mqtt")
                                        .getBytes(StandardCharsets.US_ASCII));
                assertThat(WebSocketWire.head(socket)).startsWith("HTTP/1.1 101");
                socket.getOutputStream().write(WebSocketWire.frame(0x82, new byte[] {7}));
            } else {
                socket.getOutputStream().write(7);
            }
            await().atMost(60, TimeUnit.SECONDS).until(() -> !names.isEmpty());
        }
        return names.getFirst().equals("null") ? null : names.getFirst();
    }
}
