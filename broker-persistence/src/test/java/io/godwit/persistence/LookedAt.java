package io.godwit.persistence;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.SessionKey;
import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.Receiver;
import io.godwit.persistence.inspect.QueuePeek;
import io.godwit.persistence.inspect.StoreVerify;
import io.godwit.persistence.inspect.StoreView;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Stores that nobody has open, and what the tools see of them. */
final class LookedAt {
    private static final long LATER = StepWorkers.START_MS + 1_000_000_000L;

    static final String LARGE = "x".repeat(3000);

    private LookedAt() {}

    /** Two sessions, a group, a retained message; rows and what only the journal has. */
    static Path killed(Path temp) throws Exception {
        try (SmallStore store = new SmallStore(temp.resolve("live"))) {
            store.session(1);
            store.session(2);
            store.subscribe(1, "t/+");
            store.subscribe(1, "u");
            store.ops().putGroup(TopicFilter.of("$share/g/t"), 0, SmallStore.queue(3));
            store.ops()
                    .putRetained(
                            new Message(
                                    Topic.of("kept"),
                                    new byte[] {0, -1},
                                    new byte[0],
                                    1,
                                    true,
                                    Message.NEVER,
                                    null,
                                    7,
                                    5),
                            store.stamp());
            Message shared = store.message(LARGE);
            store.append(1, shared);
            store.append(2, shared);
            store.append(1, store.message("expires", 1, LATER));
            var qos2 = store.append(1, store.message("two", 2, Message.NEVER));
            var lent = store.append(3, store.message("lent", 2, Message.NEVER));
            store.materialise();
            qos2.packetId = 4;
            store.ops().inFlight(qos2);
            lent.packetId = 5;
            store.ops()
                    .inFlightTo(
                            lent,
                            new Receiver(
                                    new SessionKey(SmallStore.queue(1), new HybridId(1, 7)),
                                    ClientId.of("member")));
            store.ops().putMarker(SmallStore.queue(1), qos2.messageId + 1_000, 7, 6, 1, 7);
            store.materialise();
            store.ops().putInbound(new Inbound(SmallStore.queue(1), 9, 7, 77));
            store.append(2, store.message("journal only"));
            store.commit();
            return store.killed(temp.resolve("killed"));
        }
    }

    static List<String> verify(Path store) throws Exception {
        try (StoreView view = StoreView.open(store)) {
            List<String> problems = new ArrayList<>(view.problems());
            new StoreVerify(view.disk(), problems::add).run();
            return problems;
        }
    }

    static List<String> texts(Path store, int queue) throws Exception {
        List<String> texts = new ArrayList<>();
        try (StoreView view = StoreView.open(store)) {
            new QueuePeek(view.disk())
                    .show(
                            SmallStore.queue(queue),
                            100,
                            seen -> {
                                Message message = seen.message();
                                texts.add(
                                        seen.state()
                                                + " "
                                                + seen.packetId()
                                                + " "
                                                + (message == null
                                                        ? "-"
                                                        : new String(
                                                                message.payload,
                                                                StandardCharsets.UTF_8)));
                            });
        }
        return texts;
    }

    /** Content of every file but RocksDB's own reports. */
    static TreeMap<String, Integer> contents(Path folder) throws IOException {
        TreeMap<String, Integer> contents = new TreeMap<>();
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.filter(Files::isRegularFile).toList()) {
                contents.put(
                        folder.relativize(each).toString(),
                        Arrays.hashCode(Files.readAllBytes(each)));
            }
        }
        return contents;
    }

    static void flip(Path file, long at) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.seek(at);
            int b = open.read();
            open.seek(at);
            open.write(b ^ 0x10);
        }
    }

    static List<Path> files(Path folder, String ending) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(each -> each.toString().endsWith(ending)).sorted().toList();
        }
    }
}
