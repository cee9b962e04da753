package io.godwit.durability;

import static io.godwit.durability.Clients.durable;
import static io.godwit.durability.Clients.publish;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.godwit.conformance.wire.WireClient;
import io.godwit.server.BrokerFixture;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A flipped bit in a table costs the clients whose messages it held, and nobody else anything. */
class DamagedRowsIT {
    private static final int MESSAGES = 200;

    @TempDir Path folder;

    private BrokerFixture start() {
        return BrokerFixture.start(
                "durability.store=rocksdb",
                "durability.window=100ms",
                "durability.ballast=0",
                "durability.disk-free=64MiB",
                "node.data=" + folder);
    }

    /** What does not compress, so that many blocks are needed. */
    private static String noise(Random random) {
        byte[] noise = new byte[600];
        random.nextBytes(noise);
        return Base64.getEncoder().encodeToString(noise);
    }

    private void fill() throws Exception {
        try (BrokerFixture broker = start();
                Clients clients = new Clients(broker::port)) {
            Random random = new Random(1);
            WireClient publisher = clients.publisher("p");
            for (String name : List.of("damaged", "whole")) {
                clients.away(name, name, 1);
                for (int i = 0; i < MESSAGES; i++) {
                    publish(publisher, name, 1, i + " " + noise(random));
                }
            }
            Admin admin = new Admin(broker.adminPort());
            await().until(() -> admin.metric("store_queued") >= 2 * MESSAGES);
        }
    }

    private Path largestTable() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("store"))) {
            return files.filter(each -> each.toString().endsWith(".sst"))
                    .max(Comparator.comparingLong(each -> each.toFile().length()))
                    .orElseThrow();
        }
    }

    private static void flip(Path file, long at) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.seek(at);
            int b = open.read();
            open.seek(at);
            open.write(b ^ 0x10);
        }
    }

    private static void assertTheRestGoesOn(Clients clients, WireClient whole) {
        WireClient publisher = clients.publisher("p");
        publish(publisher, "whole", 1, "new");
        assertThat(whole.publish().text()).isEqualTo("new");
    }

    private static void receive(WireClient client, int count) {
        for (int i = 0; i < count; i++) {
            var message = client.publish();
            assertThat(message.text()).startsWith(i + " ");
            client.sendAck(4, message.packetId());
        }
    }

    @Test
    void a_store_with_a_damaged_block_starts_again_and_closes_its_queue_alone() throws Exception {
        fill();
        flip(largestTable(), largestTable().toFile().length() / 4);
        for (int round = 0; round < 2; round++) {
            try (BrokerFixture broker = start();
                    Clients clients = new Clients(broker::port)) {
                Admin admin = new Admin(broker.adminPort());
                // The second start knows of it, and says so before anybody has read anything.
                assertThat(admin.ready().path("status").asText())
                        .isEqualTo(round == 0 ? "ready" : "degraded");
                WireClient damaged = clients.send(durable("damaged"));
                damaged.accepted();
                for (var frame = damaged.next(); frame.type() == 3; frame = damaged.next()) {
                    // What lies before the damage comes.
                }
                await().until(() -> admin.metric("store_damaged_queues") == 1);
                assertThat(admin.ready().toString())
                        .contains("degraded", "block checksum mismatch");
                WireClient whole = clients.resume(durable("whole"));
                if (round == 0) {
                    receive(whole, MESSAGES);
                }
                assertTheRestGoesOn(clients, whole);
            }
        }
    }
}
