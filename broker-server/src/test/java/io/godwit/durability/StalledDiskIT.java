package io.godwit.durability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.godwit.conformance.wire.PublishBytes;
import io.godwit.conformance.wire.WireClient;
import io.godwit.persistence.settings.StoreSettings;
import io.godwit.server.BrokerFixture;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** However long the disk does not answer, what waits for it is bounded, and shown. */
class StalledDiskIT {
    private static final long MIB = 1L << 20;
    private static final long WINDOW = 4 * MIB;
    private static final int PUBLISHERS = 3;
    private static final int MESSAGES = 100;
    private static final int PAYLOAD = 128 << 10;

    /** What one turn reads of a connection at most. */
    private static final long TURN = MIB;

    @TempDir Path folder;

    private static StoreSettings settings() {
        StoreSettings defaults = StoreSettings.DEFAULTS;
        return new StoreSettings(
                defaults.sync(),
                defaults.syncIntervalMs(),
                defaults.gatherNanos(),
                defaults.windowMs(),
                WINDOW,
                defaults.journalBytes(),
                0,
                64 * MIB);
    }

    private static void publish(WireClient publisher) {
        for (int id = 1; id <= MESSAGES; id++) {
            publisher.send(PublishBytes.v5("t").qos(1, id).payload(new byte[PAYLOAD]));
        }
    }

    @Test
    void publishers_are_not_read_while_half_a_window_waits_and_all_are_acknowledged_afterwards()
            throws Exception {
        try (StoreOnDisk store = new StoreOnDisk(folder, settings());
                BrokerFixture broker = store.broker();
                Clients clients = new Clients(broker::port)) {
            Admin admin = new Admin(broker.adminPort());
            clients.away("s", "t", 1);
            List<WireClient> publishers = new ArrayList<>();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < PUBLISHERS; i++) {
                publishers.add(clients.publisher("p" + i));
            }
            store.hold();
            for (WireClient each : publishers) {
                threads.add(Thread.ofPlatform().daemon().start(() -> publish(each)));
            }
            try {
                await().until(() -> admin.metric("store_commit_bytes") > WINDOW / 2);
                await().until(() -> admin.metric("reads_paused_total") >= PUBLISHERS);
                for (int sample = 0; sample < 50; sample++) {
                    assertThat(admin.metric("store_commit_bytes"))
                            .as("of %d MiB", PUBLISHERS * MESSAGES * (long) PAYLOAD / MIB)
                            .isBetween(WINDOW / 2.0, WINDOW / 2.0 + PUBLISHERS * TURN);
                }
            } finally {
                store.release(); // Else the broker would never end.
            }
            for (WireClient each : publishers) {
                for (int id = 1; id <= MESSAGES; id++) {
                    each.pubAck(id);
                }
            }
            for (Thread each : threads) {
                each.join();
            }
            await().until(() -> admin.metric("store_commit_bytes") == 0);
        }
    }
}
