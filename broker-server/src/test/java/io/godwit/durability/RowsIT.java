package io.godwit.durability;

import static io.godwit.durability.Clients.durable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.godwit.conformance.wire.ConnectBytes;
import io.godwit.conformance.wire.Frame;
import io.godwit.conformance.wire.PublishBytes;
import io.godwit.conformance.wire.WireClient;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.rocks.RocksDisk;
import io.godwit.server.BrokerFixture;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is delivered and acknowledged within the journal's window never becomes a row. */
class RowsIT {
    private static final int PAIRS = 100;
    private static final int WINDOW_MS = 2_000;
    private static final int ACKNOWLEDGED_LEAST = 2_000;
    private static final int WINDOWS = 4;

    @Test
    void messages_of_pairs_that_acknowledge_in_time_are_no_rows_beside_a_silent_queue(
            @TempDir Path folder) throws Exception {
        long acknowledged;
        long kept;
        try (BrokerFixture broker =
                        BrokerFixture.start(
                                "durability.store=rocksdb",
                                "durability.window=" + WINDOW_MS + "ms",
                                "durability.ballast=0",
                                "durability.disk-free=64MiB",
                                "node.data=" + folder);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                Clients clients = new Clients(broker::port)) {
            Admin admin = new Admin(broker.adminPort());
            AtomicBoolean over = new AtomicBoolean();
            AtomicLong soFar = new AtomicLong();
            clients.away("silent", "silent", 1);
            List<Future<Long>> pairs = new ArrayList<>();
            for (int i = 0; i < PAIRS; i++) {
                String topic = "pair/" + i;
                WireClient subscriber =
                        clients.connect(durable("subscriber-" + i)).subscribe(topic, 1);
                threads.submit(() -> acknowledge(subscriber));
                WireClient publisher = clients.connect(ConnectBytes.v5("publisher-" + i));
                pairs.add(threads.submit(() -> publish(publisher, topic, over, soFar)));
            }
            WireClient last = clients.connect(ConnectBytes.v5("publisher"));
            Future<Long> silent =
                    threads.submit(() -> publish(last, "silent", over, new AtomicLong()));

            long endNs = System.nanoTime() + WINDOWS * WINDOW_MS * 1_000_000L;
            await().until(() -> System.nanoTime() > endNs && soFar.get() > ACKNOWLEDGED_LEAST);
            over.set(true);
            acknowledged = 0;
            for (Future<Long> pair : pairs) {
                acknowledged += pair.get();
            }
            kept = silent.get();
            long silentMessages = kept;
            await().until(() -> admin.metric("store_queued") >= silentMessages);

            double appends = admin.metric("store_appends_total");
            double operations = admin.metric("store_operations_total");
            double commits = admin.metric("store_commits_total");
            double rows = admin.metric("store_rows_written_total");
            String seen =
                    "%d messages of pairs, %d silent; %.1f operations per commit, %.1f%% cancelled, %.2f%% became rows"
                            .formatted(
                                    acknowledged,
                                    kept,
                                    operations / commits,
                                    100
                                            * admin.metric("store_operations_cancelled_total")
                                            / operations,
                                    100 * rows / (acknowledged + kept));
            assertThat(appends).as(seen).isBetween((double) kept, (double) acknowledged + kept);
            assertThat(acknowledged).as(seen).isGreaterThan(ACKNOWLEDGED_LEAST);
            assertThat(rows).as(seen).isBetween((double) kept, kept + 0.01 * acknowledged);
            assertThat(operations / commits).as(seen).isGreaterThan(1);
        }
        try (RocksDisk disk = RocksDisk.open(folder.resolve("store"));
                Cursor rows = disk.scan(Family.QUEUES, new byte[0], null)) {
            long count = 0;
            while (rows.next()) {
                count++;
            }
            assertThat(count).isBetween(kept, kept + acknowledged / 100);
        }
    }

    private static long publish(
            WireClient client, String topic, AtomicBoolean over, AtomicLong soFar) {
        long sent = 0;
        while (!over.get()) {
            int packetId = (int) (sent++ % 1_000) + 1;
            client.send(PublishBytes.v5(topic).qos(1, packetId).payload("0123456789"));
            client.pubAck(packetId, 0);
            soFar.incrementAndGet();
        }
        return sent;
    }

    /** Acknowledges what comes until the connection is closed. */
    private static void acknowledge(WireClient client) {
        while (true) {
            Frame.Publish message = client.publish();
            client.sendAck(4, message.packetId());
        }
    }
}
