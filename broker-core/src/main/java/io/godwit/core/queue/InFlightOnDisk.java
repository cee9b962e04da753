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
    private final Window inFlight;

    /** The entries by message id. */
    private final Map<HybridId, QueueEntry> entries = new HashMap<>();

    private @Nullable RowPage reading;

    /** What the entries stand in. */
    interface Window {
        @Nullable QueueEntry get(int packetId);

        /** Whether its client is offline, and all that is in flight has its place. */
        boolean isIdle();

        /** Whether the entry stands in what goes before the queue. */
        boolean isPredecessors(QueueEntry entry);

        /** Its bytes have become more, or less. */
        void account(long change);

        /** A message in flight is on disk alone. */
        void onLeft(InFlightOnDisk there);

        /** All messages that had left are in memory again. */
        void onBack();
    }

    InFlightOnDisk(DurableQueue queue, Window inFlight) {
        this.queue = queue;
        this.inFlight = inFlight;
    }

    /** Has what is a row with its packet id leave memory, unless pages are being read already. */
    void leave() {
        if (reading == null) {
            read(HybridId.NONE, this::leave, () -> {});
        }
    }

    private boolean leave(QueueEntry row) {
        if (!inFlight.isIdle()) {
            return false; // Its client has come again.
        }
        QueueEntry entry = inFlight.get(row.packetId);
        if (entry != null && mayLeave(entry, row)) {
            inFlight.account(-entry.accountedBytes());
            entry.dropMessage();
            inFlight.account(entry.accountedBytes());
            entries.put(entry.id(), entry);
            inFlight.onLeft(this);
        }
        return true;
    }

    private boolean mayLeave(QueueEntry entry, QueueEntry row) {
        return entry.id().equals(row.id())
                && entry.state == QueueEntry.SENT
                && entry.source == null
                && entry.kept
                && entry.waiting == null
                && entry.mayLeave
                && entry.message != null
                && row.message != null
                && !inFlight.isPredecessors(entry);
    }

    /** Reads everything back, unless pages are being read already. */
    void readBack() {
        if (reading == null) {
            read(HybridId.NONE, this::takeBack, this::onReadBack);
        }
    }

    private boolean takeBack(QueueEntry row) {
        QueueEntry entry = row.message == null ? null : entries.remove(row.id());
        if (entry != null) {
            inFlight.account(-entry.accountedBytes());
            entry.message = row.message;
            inFlight.account(entry.accountedBytes());
        }
        return true;
    }

    private void onReadBack() {
        if (entries.isEmpty()) {
            inFlight.onBack();
        } else {
            queue.onReadFailed(new IllegalStateException("rows in flight are not there any more"));
        }
    }

    /** It has ended, acknowledged by its client or otherwise. */
    void remove(QueueEntry entry) {
        entries.remove(entry.id(), entry);
    }

    void giveUpReading() {
        RowPage asked = reading;
        if (asked != null) {
            asked.cancel();
            reading = null;
        }
    }

    /**
     * Reads what is in flight page by page, above this id.
     *
     * @param each gets the rows; false ends it
     * @param whenRead all rows were shown
     */
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
