package io.godwit.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.godwit.conformance.wire.ConnectBytes;
import io.godwit.conformance.wire.Props;
import io.godwit.conformance.wire.PublishBytes;
import io.godwit.conformance.wire.TcpTransport;
import io.godwit.conformance.wire.WireClient;
import io.godwit.server.BrokerProcess;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk that neither works nor fails: its syncs do not come back. */
@Tag("alone")
class HungDiskIT {
    private static final long HOUR_US = TimeUnit.HOURS.toMicros(1);

    @TempDir Path folder;
    @TempDir Path scratch;

    private DiskFault disk;

    @BeforeEach
    void shim() {
        NativeTools.need(DiskFault.problem());
        disk = DiskFault.of(folder.resolve("data"), scratch);
    }

    private BrokerProcess start(String stallExit) {
        BrokerProcess broker =
                new BrokerProcess.Setup()
                        .in(folder)
                        .environment(disk.environment())
                        .set("durability.store=rocksdb", "durability.ballast=0")
                        .set("durability.disk-free=64MiB", "stop.timeout=3s")
                        .set("durability.stall-time=1s", "durability.stall-exit=" + stallExit)
                        .start();
        broker.readyLine();
        return broker;
    }

    private static HttpResponse<String> ready(BrokerProcess broker) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + broker.port("admin") + "/health/ready");
        try (HttpClient http = HttpClient.newHttpClient()) {
            HttpRequest get = HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(60)).build();
            return http.send(get, HttpResponse.BodyHandlers.ofString());
        }
    }

    private static WireClient client(BrokerProcess broker, ConnectBytes connect) throws Exception {
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), broker.port("mqtt"));
        WireClient client =
                new WireClient(new TcpTransport(address), true, Duration.ofSeconds(60))
                        .send(connect);
        client.accepted();
        return client;
    }

    /** A PUBLISH that nobody acknowledges while the disk hangs. */
    private WireClient publishOntoHungDisk(BrokerProcess broker) throws Exception {
        ConnectBytes durable =
                ConnectBytes.v5("s").clean(false).properties(Props.sessionExpiry(600));
        client(broker, durable).subscribe("t", 1).disconnect();
        WireClient publisher = client(broker, ConnectBytes.v5("p"));
        assertThat(ready(broker).statusCode()).isEqualTo(200);
        disk.slowSyncs(HOUR_US);
        return publisher.send(PublishBytes.v5("t").qos(1, 1).payload("waits"));
    }

    @Test
    void readiness_says_so_nothing_is_acknowledged_and_sigterm_ends_the_broker_all_the_same()
            throws Exception {
        try (BrokerProcess broker = start("0s");
                WireClient publisher = publishOntoHungDisk(broker)) {
            await().until(() -> ready(broker).statusCode() == 503);
            assertThat(ready(broker).body()).contains("stalled");
            publisher.quiet();
            await().until(() ->
                    broker.output().stream()
                            .anyMatch(line -> line.contains("has not answered for")));

            broker.terminate();
            broker.exitCode(); // the disk still hangs
            assertThat(broker.output()).anyMatch(line -> line.contains("the store is left open"));
        }
    }

    @Test
    void a_disk_that_hangs_too_long_is_given_up_like_one_that_fails() throws Exception {
        try (BrokerProcess broker = start("3s");
                WireClient publisher = publishOntoHungDisk(broker)) {
            assertThat(publisher).isNotNull();
            assertThat(broker.exitCode()).isEqualTo(1);
        }
    }
}
