package io.godwit.core.queue;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Coverage;
import io.godwit.core.store.CopyPage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of a queue that no store has rows of, for the session's next home: everything is in
 * memory.
 */
public final class MemoryPage {
    private MemoryPage() {}

    /**
     * Reads a page of a queue whose session has stopped; called on the owner's thread.
     *
     * @param queue null for an empty one
     * @param above the page begins behind this id
     * @param messagesMax entries of the page
     * @param bytesMax after which it ends
     */
    public static CopyPage of(
            long queueId,
            @Nullable ClientQueue queue,
            HybridId above,
            int messagesMax,
            long bytesMax) {
        List<QueueEntry> left = queue == null ? List.of() : behind(queue, above);
        List<CopyPage.Entry> entries = new ArrayList<>();
        long bytes = 0;
        for (QueueEntry entry : left) {
            if (entries.size() == messagesMax || bytes >= bytesMax) {
                break;
            }
            entries.add(entry(entry));
            bytes += entry.accountedBytes();
        }
        return new CopyPage(
                queueId,
                0,
                above,
                entries.isEmpty() ? above : entries.getLast().id(),
                new Coverage(),
                entries,
                List.of(),
                entries.size() == left.size());
    }

    private static List<QueueEntry> behind(ClientQueue queue, HybridId above) {
        List<QueueEntry> all = new ArrayList<>(List.of(queue.inFlightEntries()));
        Predecessor before = queue.predecessor();
        if (before != null) {
            before.backlog.forEach(all::add);
        }
        queue.backlog.forEach(all::add);
        all.removeIf(entry -> {
            HybridId id = entry.keptId();
            return id == null || id.compareTo(above) <= 0;
        });
        all.sort(Comparator.comparing(MemoryPage::id));
        return all;
    }

    private static HybridId id(QueueEntry of) {
        HybridId id = of.keptId();
        return id == null ? of.id() : id;
    }

    private static CopyPage.Entry entry(QueueEntry of) {
        CopyPage.Status status =
                of.isReleased()
                        ? CopyPage.Status.RELEASED
                        : of.packetId == 0 ? CopyPage.Status.IDLE : CopyPage.Status.IN_FLIGHT;
        return new CopyPage.Entry(
                id(of),
                status,
                of.packetId,
                null,
                of.qos,
                of.retain,
                of.ids,
                of.message,
                of.ingressServer(),
                of.ingressCounter());
    }
}
