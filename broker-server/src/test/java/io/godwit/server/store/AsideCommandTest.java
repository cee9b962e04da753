package io.godwit.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.Epoch;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.QueueId;
import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.store.SessionRecord;
import io.godwit.persistence.inspect.StoreImport;
import io.godwit.persistence.inspect.StoreItem;
import io.godwit.persistence.rocks.RocksDisk;
import io.godwit.server.Main;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is set aside of copies leaves a store and comes back as a file, and is deleted. */
class AsideCommandTest {
    private static final long QUEUE = QueueId.of(9, 1);
    private static final HybridId GENERATION = new HybridId(5L << 16, 9);

    @TempDir Path folder;

    private Path store() throws Exception {
        Path data = Files.createDirectory(folder.resolve("data"));
        try (RocksDisk disk = RocksDisk.open(data.resolve("store"))) {
            StoreImport to = new StoreImport(disk);
            to.item(new StoreItem.Floors(1, 1L << 32, 1));
            to.item(new StoreItem.Aside(GENERATION, session()));
            to.item(
                    new StoreItem.Aside(
                            GENERATION,
                            new StoreItem.Subscription(
                                    QUEUE,
                                    TopicFilter.of("a/#"),
                                    1,
                                    false,
                                    true,
                                    new int[] {7},
                                    GENERATION)));
            to.item(
                    new StoreItem.Aside(
                            HybridId.NONE,
                            new StoreItem.Queued(
                                    QUEUE,
                                    new HybridId(6L << 16, 9),
                                    true,
                                    1,
                                    false,
                                    new int[0],
                                    0,
                                    new StoreItem.Body.Own(message()))));
            to.finish();
        }
        return data;
    }

    private static StoreItem session() {
        return new StoreItem.Session(
                ClientId.of("meter"),
                new SessionRecord(
                        QUEUE,
                        GENERATION,
                        GENERATION,
                        new Epoch(Epoch.number(0, 1), 9),
                        ProtocolVersion.MQTT_5,
                        3_600,
                        0,
                        null,
                        List.of()));
    }

    private static Message message() {
        return new Message(
                Topic.of("a/b"),
                "lost".getBytes(StandardCharsets.UTF_8),
                PublishFrame.NO_PROPERTIES,
                1,
                false,
                Message.NEVER,
                null,
                9,
                17);
    }

    private List<String> export(Path data, String name, String... options) throws Exception {
        Path file = folder.resolve(name);
        List<String> words =
                new ArrayList<>(List.of("store", "export", file.toString(), "--data=" + data));
        words.addAll(List.of(options));
        assertThat(Main.execute(words.toArray(String[]::new))).isZero();
        return Files.readAllLines(file);
    }

    private static List<String> aside(List<String> lines) {
        return lines.stream().filter(each -> each.startsWith("{\"type\":\"aside\"")).toList();
    }

    @Test
    void what_is_set_aside_is_exported_imported_and_deleted() throws Exception {
        Path data = store();
        List<String> lines = export(data, "export.jsonl", "--aside");
        assertThat(aside(lines)).hasSize(3);
        assertThat(aside(export(data, "without.jsonl"))).isEmpty();

        Path other = folder.resolve("other");
        String file = folder.resolve("export.jsonl").toString();
        assertThat(Main.execute("store", "import", file, "--data=" + other)).isZero();
        assertThat(aside(export(other, "again.jsonl", "--aside"))).isEqualTo(aside(lines));
        assertThat(Main.execute("store", "verify", "--data=" + other)).isZero();

        assertThat(Main.execute("store", "aside", "--data=" + data)).isZero();
        assertThat(aside(export(data, "shown.jsonl", "--aside"))).isEqualTo(aside(lines));
        assertThat(Main.execute("store", "aside", "--delete", "--data=" + data)).isZero();
        assertThat(aside(export(data, "deleted.jsonl", "--aside"))).isEmpty();
        assertThat(Main.execute("store", "verify", "--data=" + data)).isZero();
    }
}
