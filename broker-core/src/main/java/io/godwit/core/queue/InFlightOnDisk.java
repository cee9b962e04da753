package io.godwit.core.queue;

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
    private final ClientQueue queue;

    /** By the clock of the message id. */
    private final Map<Long, QueueEntry> entries = new HashMap<>();

    private @Nullable RowPage reading;

    InFlightOnDisk(ClientQueue queue) {
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
        entries.put(entry.messageId, entry);
    }

    /** It has ended, acknowledged by its client or otherwise. */
    void remove(QueueEntry entry) {
        entries.remove(entry.messageId, entry);
    }

    /** The entry of this row, which has its message again from now on; null for another row. */
    @Nullable QueueEntry takeBack(QueueEntry row) {
        QueueEntry entry = entries.get(row.messageId);
        if (entry == null || entry.server != row.server || row.message == null) {
            return null;
        }
        entries.remove(row.messageId);
        return entry;
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
        read(0, each, whenRead);
    }

    private void read(long after, Predicate<QueueEntry> each, Runnable whenRead) {
        RowPage.Entries page =
                new RowPage.Entries(
                        queue,
                        RowRead.Section.IN_FLIGHT,
                        after,
                        Long.MAX_VALUE,
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
        long last = 0;
        for (QueueEntry row : page.entries) {
            last = row.messageId;
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
