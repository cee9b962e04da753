package io.godwit.durability;

import static io.godwit.durability.Clients.durable;
import static io.godwit.durability.Clients.publish;
import static io.godwit.durability.Clients.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.chaos.Mount;
import io.godwit.chaos.NativeTools;
import io.godwit.conformance.wire.PublishBytes;
import io.godwit.conformance.wire.WireClient;
import io.godwit.server.BrokerProcess;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A start whose journal holds more than the disk has room for. */
@Tag("alone")
class FullDiskStartIT {
    private static final int MESSAGES = 36;
    private static final int PAYLOAD = 1 << 20;
    private static final long FREE_BYTES = 12 << 20;

    /** Nothing becomes a row before the broker is killed. */
    private static final String[] JOURNAL_ONLY = {
        "durability.journal-max=128MiB",
        "durability.window=60s",
        "durability.window-bytes=64MiB",
        "durability.disk-free=64MiB",
        "durability.ballast=0"
    };

    @TempDir Path folder;

    @BeforeEach
    void mounting() {
        NativeTools.need(Mount.problem());
    }

    /** Begins with its number and a line feed; the rest can't be compressed. */
    private static byte[] payload(int number) {
        byte[] filled = new byte[PAYLOAD];
        new SplittableRandom(number).nextBytes(filled);
        byte[] text = (number + "\n").getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(text, 0, filled, 0, text.length);
        return filled;
    }

    private static void fill(Path file) throws IOException {
        byte[] chunk = new byte[64 << 10];
        try (OutputStream out = Files.newOutputStream(file)) {
            while (Files.getFileStore(file).getUsableSpace() > FREE_BYTES) {
                out.write(chunk);
            }
        }
    }

    @Test
    @Timeout(300)
    void start_whose_journal_does_not_fit_ends_with_the_numbers_and_loses_nothing()
            throws Exception {
        Path mounted = Files.createDirectories(folder.resolve("disk"));
        try (Mount disk = Mount.tmpfs(mounted, "size=260m");
                Node node = new Node(mounted, JOURNAL_ONLY).up();
                Clients clients = node.clients()) {
            clients.away("s", "t", 1);
            WireClient publisher = clients.publisher("p");
            List<String> published = new ArrayList<>();
            for (int i = 0; i < MESSAGES; i++) {
                publish(publisher, PublishBytes.v5("t").payload(payload(i)), 1);
                published.add(String.valueOf(i));
            }
            node.kill();
            Path filler = disk.folder().resolve("filler");
            fill(filler);

            try (BrokerProcess refused =
                    new BrokerProcess.Setup()
                            .in(mounted)
                            .set("durability.store=rocksdb")
                            .set(JOURNAL_ONLY)
                            .launch()) {
                assertThat(refused.exitCode()).isEqualTo(1);
                assertThat(String.join("\n", refused.output()))
                        .contains("the disk under " + node.data().resolve("store") + " is full: ")
                        .contains(" KiB are free, and this start needs up to ")
                        .contains("Free disk space, then start again; nothing is lost")
                        .doesNotContain("Exception", "\tat ");
            }

            Files.delete(filler);
            node.up();
            WireClient back = clients.resume(durable("s"));
            assertThat(
                            texts(back, MESSAGES).stream()
                                    .map(text -> text.lines().findFirst().orElseThrow()))
                    .containsExactlyElementsOf(published);
        }
    }
}
