package io.godwit.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.godwit.conformance.wire.ConnectBytes;
import io.godwit.conformance.wire.PublishBytes;
import io.godwit.conformance.wire.TcpTransport;
import io.godwit.conformance.wire.WireClient;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Retained messages that come faster than the disk takes them wait at their publishers. */
class RetainedFloodIT {
    private static final Duration FLOOD = Duration.ofSeconds(8);
    private static final long WINDOW_BYTES = 128L << 20;
    private static final int CONNECTIONS = 2;

    /** So few topics that what is retained fits. */
    private static final int TOPICS = 4;

    private static WireClient connect(GodwitProcess broker, String clientId) throws Exception {
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), broker.port());
        WireClient client =
                new WireClient(new TcpTransport(address), true, Duration.ofSeconds(60))
                        .send(ConnectBytes.v5(clientId));
        client.accepted();
        return client;
    }

    /** Until it is far more than what may be held, or time is up. */
    private static void flood(
            WireClient client, String name, int bytes, long enough, AtomicLong sent) {
        long endNs = System.nanoTime() + FLOOD.toNanos();
        byte[] payload = new byte[bytes];
        try {
            for (int i = 0;
                    sent.get() < enough
                            && (System.nanoTime() < endNs || sent.get() <= WINDOW_BYTES);
                    i++) {
                client.send(PublishBytes.v5(name + i % TOPICS).retain().payload(payload));
                sent.addAndGet(bytes);
            }
        } catch (UncheckedIOException e) {
            // Nobody has to be let in for ever; what counts is that the broker lives.
        }
    }

    @ParameterizedTest(name = "{0} MiB, messages of {1} bytes")
    @CsvSource({"512, 100000", "1024, 8000000"})
    void the_broker_stays_up_and_serves_others(int nodeMib, int bytes) throws Exception {
        GodwitProcess.Setup setup =
                new GodwitProcess.Setup()
                        .nodeMib(nodeMib)
                        .set("durability.store=rocksdb")
                        .set("durability.ballast=0")
                        .set("durability.disk-free=64MiB");
        AtomicLong sent = new AtomicLong();
        try (GodwitProcess broker = setup.start()) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                WireClient client = connect(broker, "flood-" + i);
                String name = "flood/" + i + "/";
                long enough = ((long) nodeMib << 20) + 2 * WINDOW_BYTES;
                threads.add(
                        Thread.ofPlatform().start(() -> flood(client, name, bytes, enough, sent)));
            }
            for (Thread each : threads) {
                each.join();
            }
            assertThat(broker.isAlive()).as(broker::story).isTrue();
            WireClient other = connect(broker, "other");
            other.send(PublishBytes.v5("ping").qos(1, 1).retain().payload("kept"));
            other.pubAck(1, 0, 0x10);
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> broker.gauge("store.commit.bytes") == 0);
            assertThat(sent.get()).as("more than the window holds").isGreaterThan(WINDOW_BYTES);
            assertThat(broker.isAlive()).as(broker::story).isTrue();
        }
    }
}
