package io.godwit.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.godwit.core.metrics.Metric;
import io.godwit.server.tls.TestCertificates;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerIT {
    @Test
    void clients_meet_through_it() throws Exception {
        try (BrokerFixture broker = BrokerFixture.start();
                Socket subscriber = broker.connect();
                Socket publisher = broker.connect()) {
            subscriber.getOutputStream().write(RawMqtt.connect(RawMqtt.V5, "subscriber"));
            assertThat(RawMqtt.read(subscriber)).startsWith(0x20);
            subscriber.getOutputStream().write(RawMqtt.subscribe(RawMqtt.V5, "a/+"));
            assertThat(RawMqtt.read(subscriber)).startsWith(0x90);
            publisher.getOutputStream().write(RawMqtt.connect(RawMqtt.V311, "publisher"));
            assertThat(RawMqtt.read(publisher)).containsExactly(0x20, 2, 0, 0);
            publisher
                    .getOutputStream()
                    .write(RawMqtt.publish(RawMqtt.V311, "a/b", new byte[] {1, 2, 3}));

            assertThat(RawMqtt.read(subscriber))
                    .isEqualTo(RawMqtt.publish(RawMqtt.V5, "a/b", new byte[] {1, 2, 3}));
        }
    }

    @Test
    void two_brokers_live_in_one_process_but_not_in_one_folder() throws Exception {
        try (BrokerFixture first = BrokerFixture.start();
                BrokerFixture second = BrokerFixture.start()) {
            assertThat(first.port()).isNotEqualTo(second.port());
            Path data = Path.of(dataOf(first));

            assertThatThrownBy(() -> BrokerFixture.tryStart("node.data=" + data))
                    .isInstanceOf(StartFailed.class)
                    .hasMessageContaining(data + " is in use by another broker");
            first.connect().close();
        }
    }

    private static String dataOf(BrokerFixture broker) {
        return broker.server().dataFolder().toString();
    }

    @Test
    void what_fails_at_start_leaves_nothing_open(@TempDir Path folder) throws Exception {
        Path data = folder.resolve("data");
        try (BrokerFixture other = BrokerFixture.start()) {
            assertThatThrownBy(() ->
                            BrokerFixture.tryStart(
                                    "node.data=" + data,
                                    "listeners.ws.bind=127.0.0.1:" + other.port()))
                    .isInstanceOf(StartFailed.class)
                    .hasMessageContaining("listeners.ws.bind")
                    .hasMessageContaining("127.0.0.1:" + other.port());
            assertThatThrownBy(() ->
                            BrokerFixture.tryStart(
                                    "node.data=" + data,
                                    "admin.bind=127.0.0.1:" + other.adminPort()))
                    .isInstanceOf(StartFailed.class)
                    .hasMessageContaining("admin.bind: can't listen on 127.0.0.1:");
            assertThatThrownBy(() ->
                            BrokerFixture.tryStart(
                                    "node.data=" + data,
                                    "listeners.tls.type=tls",
                                    "listeners.tls.bind=127.0.0.1:0",
                                    "listeners.tls.tls.certificate=" + folder + "/none.pem",
                                    "listeners.tls.tls.key=" + folder + "/none.pem"))
                    .isInstanceOf(StartFailed.class)
                    .hasMessageContaining("none.pem does not exist");
        }
        BrokerFixture.start("node.data=" + data).close();
    }

    @Test
    void the_time_limit_of_connect_covers_the_handshakes(@TempDir Path folder) throws Exception {
        TestCertificates.Identity server =
                TestCertificates.server(TestCertificates.authority("ca"));
        try (BrokerFixture broker =
                BrokerFixture.start(
                        "limits.connect-timeout=1s",
                        "listeners.tls.type=tls",
                        "listeners.tls.bind=127.0.0.1:0",
                        "listeners.tls.tls.certificate="
                                + TestCertificates.writeCertificates(
                                        folder.resolve("cert.pem"), server.certificate()),
                        "listeners.tls.tls.key="
                                + TestCertificates.writeKey(
                                        folder.resolve("key.pem"), server.key()))) {
            List<Socket> silent = new ArrayList<>();
            for (String listener : List.of("mqtt", "ws", "tls")) {
                silent.add(new Socket(InetAddress.getLoopbackAddress(), broker.port(listener)));
            }
            for (Socket socket : silent) {
                socket.setSoTimeout(60_000);
                assertThat(socket.getInputStream().read()).isEqualTo(-1);
                socket.close();
            }
            long timeouts = 0;
            for (int i = 0; i < broker.server().broker().shards(); i++) {
                timeouts +=
                        broker.server().broker().shard(i).counters().total(Metric.CONNECT_TIMEOUTS);
            }
            assertThat(timeouts).isEqualTo(3);
        }
    }

    @Test
    void a_fault_on_a_shard_is_reported() {
        IllegalStateException planted = new IllegalStateException("planted by the test");
        BrokerFixture broker = BrokerFixture.start("stop.timeout=1s");
        broker.server()
                .broker()
                .shard(1)
                .execute(() -> {
                    throw planted;
                });

        await().until(() -> broker.server().fault() != null);
        assertThatThrownBy(broker::close).isInstanceOf(AssertionError.class).hasCause(planted);
    }

    @Test
    void sigterm_tells_the_clients_and_ends_with_0() throws Exception {
        try (BrokerProcess broker = BrokerProcess.start("log.level=info");
                Socket v5 = broker.connect();
                Socket v311 = broker.connect();
                Socket silent = broker.connect()) {
            v5.getOutputStream().write(RawMqtt.connect(RawMqtt.V5, "five"));
            assertThat(RawMqtt.read(v5)).startsWith(0x20);
            v311.getOutputStream().write(RawMqtt.connect(RawMqtt.V311, "four"));
            assertThat(RawMqtt.read(v311)).startsWith(0x20);

            broker.terminate();

            assertThat(RawMqtt.read(v5)).startsWith(0xE0).contains(0x8B);
            assertThat(v5.getInputStream().read()).isEqualTo(-1);
            assertThat(v311.getInputStream().read()).isEqualTo(-1);
            assertThat(broker.exitCode()).isZero();
            assertThat(broker.output()).anyMatch(line -> line.endsWith("Stopped"));
            assertThat(silent.isConnected()).isTrue();
        }
    }

    @Test
    void it_ends_in_time_although_a_client_reads_nothing() throws Exception {
        try (BrokerProcess broker = BrokerProcess.start("stop.timeout=2s");
                Socket deaf = new Socket();
                Socket publisher = broker.connect()) {
            deaf.setReceiveBufferSize(4_096);
            deaf.connect(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), broker.port("mqtt")));
            deaf.getOutputStream().write(RawMqtt.connect(RawMqtt.V311, "deaf"));
            assertThat(RawMqtt.read(deaf)).startsWith(0x20);
            deaf.getOutputStream().write(RawMqtt.subscribe(RawMqtt.V311, "big"));
            assertThat(RawMqtt.read(deaf)).startsWith(0x90);
            publisher.getOutputStream().write(RawMqtt.connect(RawMqtt.V311, "publisher"));
            assertThat(RawMqtt.read(publisher)).startsWith(0x20);
            publisher
                    .getOutputStream()
                    .write(RawMqtt.publish(RawMqtt.V311, "big", new byte[8 << 20]));
            publisher.getOutputStream().write(new byte[] {(byte) 0xC0, 0});
            assertThat(RawMqtt.read(publisher)).containsExactly(0xD0, 0); // it has been routed
            broker.terminate();

            assertThat(broker.exitCode()).isZero();
        }
    }

    @Test
    void the_ready_line_names_the_node_for_people_too() {
        try (BrokerProcess broker = BrokerProcess.start("node.name=kiwi")) {
            assertThat(broker.readyLine()).contains(" as node kiwi: ");
        }
    }

    @Test
    void the_ready_line_names_listeners_folder_and_version() {
        try (BrokerProcess broker = BrokerProcess.start("log.format=json")) {
            assertThat(broker.readyLine())
                    .startsWith("{\"time\":\"")
                    .contains("\"level\":\"INFO\"")
                    .contains("\"node\":\"test\"")
                    .contains("godwit " + Version.current())
                    .contains("mqtt tcp 127.0.0.1:" + broker.port("mqtt"))
                    .contains("ws ws 127.0.0.1:" + broker.port("ws") + "/mqtt")
                    .contains("admin http 127.0.0.1:")
                    .contains("data in " + broker.folder().resolve("data"));
        }
    }

    @Test
    void a_second_process_on_the_same_port_says_so_and_ends_with_1() {
        try (BrokerProcess first = BrokerProcess.start();
                BrokerProcess second =
                        BrokerProcess.start(
                                "listeners.mqtt.bind=127.0.0.1:" + first.port("mqtt"))) {
            assertThat(second.exitCode()).isEqualTo(1);
            String error =
                    "ERROR [main] Start: listeners.mqtt.bind: can't listen on 127.0.0.1:"
                            + first.port("mqtt")
                            + ": the address is in use; is another broker running?";
            assertThat(second.output()).anyMatch(line -> line.endsWith(error));
        }
    }

    @Test
    void with_few_open_files_it_refuses_in_order_and_serves_the_others() throws Exception {
        int openFiles = 200;
        try (BrokerProcess broker = BrokerProcess.start(openFiles, "log.level=info")) {
            assertThat(broker.output())
                    .anyMatch(line -> line.contains("connections: 200 open files (ulimit -n)"));
            List<Socket> sockets = new ArrayList<>();
            try (Socket first = broker.connect()) {
                first.getOutputStream().write(RawMqtt.connect(RawMqtt.V5, "first"));
                assertThat(RawMqtt.read(first)).startsWith(0x20);
                int served = 0;
                int refused = 0;
                for (int i = 0; i < 2 * openFiles; i++) {
                    Socket socket = broker.connect();
                    sockets.add(socket);
                    byte[] answer = connAck(socket, i);
                    if (answer.length == 0) {
                        refused++; // too many refusals were under way
                    } else if (answer[3] == 0) {
                        served++;
                    } else {
                        assertThat(answer).containsExactly(0x20, 3, 0, 0x97, 0);
                        refused++;
                    }
                }
                assertThat(served).isBetween(20, openFiles - 50);
                assertThat(refused).isEqualTo(2 * openFiles - served);
                // It may still be busy compiling; an accept loop that spins never rests.
                await().until(() -> cpuMsOfHalfASecond(broker) < 300);
                first.getOutputStream().write(new byte[] {(byte) 0xC0, 0});
                assertThat(RawMqtt.read(first)).containsExactly(0xD0, 0);
                for (Socket socket : sockets) {
                    socket.close();
                }
                await().until(() -> isServed(broker));
            } finally {
                for (Socket socket : sockets) {
                    socket.close();
                }
            }
        }
    }

    private static byte[] connAck(Socket socket, int i) {
        try {
            socket.getOutputStream().write(RawMqtt.connect(RawMqtt.V5, "c" + i));
            return RawMqtt.read(socket);
        } catch (IOException closed) {
            return new byte[0];
        }
    }

    private static boolean isServed(BrokerProcess broker) throws IOException {
        try (Socket socket = broker.connect()) {
            byte[] answer = connAck(socket, 1_000_000);
            return answer.length > 3 && answer[3] == 0;
        }
    }

    private static long cpuMsOfHalfASecond(BrokerProcess broker) throws Exception {
        long before = cpuMs(broker);
        Thread.sleep(500);
        return cpuMs(broker) - before;
    }

    private static long cpuMs(BrokerProcess broker) throws IOException {
        String[] stat =
                Files.readString(Path.of("/proc/" + broker.process().pid() + "/stat"))
                        .replaceFirst("^.*\\) ", "")
                        .split(" ", -1);
        return (Long.parseLong(stat[11]) + Long.parseLong(stat[12])) * 10;
    }
}
