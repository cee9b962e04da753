package io.godwit.core.queue;

import io.godwit.core.id.HybridId;
import io.godwit.core.store.RowRead;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Messages in flight to a client that is offline, whose bytes are on disk and not in memory. The
 * entries stay in the window, with packet ids and states. A message leaves when its row was read,
 * with its packet id: that it is there was never told otherwise. All are read back before any is
 * sent again.
 */
final class InFlightOnDisk {
    private final DurableQueue queue;

    /** The entries by message id. */
    private final Map<HybridId, QueueEntry> entries = new HashMap<>();

    private @Nullable RowPage reading;

    InFlightOnDisk(DurableQueue queue) {
        this.queue = queue;
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    /** Whether pages are being read. */
    boolean isReading() {
        return reading != null;
    }

    void add(QueueEntry entry) {
        entries.put(entry.id(), entry);
    }

    /** It has ended, acknowledged by its client or otherwise. */
    void remove(QueueEntry entry) {
        entries.remove(entry.id(), entry);
    }

    /** The entry of this row, which has its message again from now on; null for another row. */
    @Nullable QueueEntry takeBack(QueueEntry row) {
        return row.message == null ? null : entries.remove(row.id());
    }

    void giveUpReading() {
        RowPage asked = reading;
        if (asked != null) {
            asked.cancel();
            reading = null;
        }
    }

    /**
     * Reads what is in flight page by page.
     *
     * @param each gets the rows; false ends it
     * @param whenRead all rows were shown
     */
    void read(Predicate<QueueEntry> each, Runnable whenRead) {
        read(HybridId.NONE, each, whenRead);
    }

    private void read(HybridId after, Predicate<QueueEntry> each, Runnable whenRead) {
        RowPage.Entries page =
                new RowPage.Entries(
                        queue,
                        RowRead.Section.IN_FLIGHT,
                        after,
                        HybridId.MAX,
                        queue.shard().durable.pageMessages(),
                        (read, failure) -> onPage(read, failure, each, whenRead));
        reading = page;
        queue.kept().read(page);
    }

    private void onPage(
            RowPage.Entries page,
            @Nullable Throwable failure,
            Predicate<QueueEntry> each,
            Runnable whenRead) {
        reading = null;
        if (failure != null) {
            queue.onReadFailed(failure);
            return;
        }
        HybridId last = HybridId.NONE;
        for (QueueEntry row : page.entries) {
            last = row.id();
            if (!each.test(row)) {
                return;
            }
        }
        if (page.isLast || page.entries.isEmpty()) {
            whenRead.run();
        } else {
            read(last, each, whenRead);
        }
    }
}
