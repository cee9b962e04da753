package io.godwit.durability;

import static io.godwit.durability.Clients.durable;
import static io.godwit.durability.Clients.publish;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.godwit.conformance.wire.PublishBytes;
import io.godwit.conformance.wire.WireClient;
import io.godwit.persistence.settings.StoreSettings;
import io.godwit.server.BrokerFixture;
import io.godwit.server.RawMqtt;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How much room on the disk it takes. */
class StorageIT {
    private static final long MIB = 1L << 20;
    private static final int BATCH = 50;
    private static final int PAYLOAD = 64 << 10;

    @TempDir Path folder;

    /** Bytes of the files below, as they are now. */
    private static long bytes(Path below) {
        try (Stream<Path> files = Files.walk(below)) {
            return files.filter(Files::isRegularFile).mapToLong(StorageIT::size).sum();
        } catch (UncheckedIOException | IOException e) {
            return 0; // a file went while it was looked at: look again
        }
    }

    private static long size(Path file) {
        try {
            return Files.size(file);
        } catch (NoSuchFileException gone) {
            return 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void send(WireClient publisher, String topic, int payloadBytes, int messages) {
        byte[] payload = new byte[payloadBytes];
        Random random = new Random(1);
        for (int i = 0; i < messages; i += BATCH) {
            for (int k = 1; k <= BATCH; k++) {
                random.nextBytes(payload); // nothing to compress
                publisher.send(PublishBytes.v5(topic).qos(1, k).payload(payload));
            }
            for (int k = 1; k <= BATCH; k++) {
                publisher.pubAck(k);
            }
        }
    }

    /** A durable session's client: sends this, then takes so many messages, and leaves. */
    private static void drain(BrokerFixture broker, byte[] first, int messages) throws Exception {
        try (Socket socket = broker.connect()) {
            socket.getOutputStream().write(RawMqtt.connectDurable("s"));
            assertThat(RawMqtt.read(socket)[0]).isEqualTo((byte) 0x20);
            socket.getOutputStream().write(first);
            if (first.length > 0) {
                assertThat(RawMqtt.read(socket)[0]).isEqualTo((byte) 0x90);
            }
            for (int i = 0; i < messages; i++) {
                byte[] publish = RawMqtt.read(socket);
                assertThat(publish[0]).isEqualTo((byte) 0x32);
                int id = publish.length - PAYLOAD - 2;
                socket.getOutputStream().write(new byte[] {0x40, 2, publish[id], publish[id + 1]});
            }
            socket.getOutputStream().write(new byte[] {(byte) 0xE0, 0});
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void the_folder_shrinks_when_a_queue_was_drained() throws Exception {
        try (StoreOnDisk store = new StoreOnDisk(folder, StoreSettings.DEFAULTS);
                BrokerFixture broker = store.broker();
                Clients clients = new Clients(broker::port)) {
            Admin admin = new Admin(broker.adminPort());
            drain(broker, RawMqtt.subscribe(RawMqtt.V311, "t"), 0);
            send(clients.publisher("p"), "t", PAYLOAD, 1_000);
            store.skip(3_000); // the window is over
            await().until(() -> admin.metric("store_queued") == 1_000);
            store.skip(15_000);
            Path rows = folder.resolve("store");
            await().until(() -> bytes(rows) > 60 * MIB);

            drain(broker, new byte[0], 1_000);
            await().until(() -> admin.metric("store_queued") == 0);
            store.skip(60_000);
            await().until(() -> bytes(rows) < 18 * MIB);
            assertThat(admin.metric("store_disk_bytes")).isLessThan(64 * MIB);
        }
    }

    /** What is written once and never again must not keep everything after it. */
    @Test
    void the_journal_stays_below_its_limit_though_a_retained_message_was_written_once()
            throws Exception {
        StoreSettings defaults = StoreSettings.DEFAULTS;
        long journalMax = 32 * MIB;
        StoreSettings small =
                new StoreSettings(
                        defaults.sync(),
                        defaults.syncIntervalMs(),
                        defaults.gatherNanos(),
                        500,
                        4 * MIB,
                        journalMax,
                        0,
                        64 * MIB);
        try (StoreOnDisk store = new StoreOnDisk(folder, small);
                BrokerFixture broker = store.broker();
                Clients clients = new Clients(broker::port)) {
            WireClient publisher = clients.publisher("p");
            publish(publisher, PublishBytes.v5("r").retain().payload("once"), 1);
            // A QoS 2 handshake that its client doesn't go on with.
            WireClient stuck = clients.connect(durable("stuck"));
            stuck.send(PublishBytes.v5("nobody").qos(2, 1));
            stuck.pubRec(1);
            clients.away("s", "t", 1);
            long most = 0;
            for (int i = 0; i < 40; i++) { // 250 MiB in all
                send(publisher, "t", 128 << 10, BATCH);
                most = Math.max(most, bytes(folder.resolve("journal")));
            }
            // Whole files of 16 MiB each, of which some are in use only in part.
            assertThat(most).isBetween(16 * MIB, journalMax + 64 * MIB);
            stuck.sendAck(6, 1);
            stuck.pubComp(1, 0);
        }
    }
}
