package io.godwit.core.queue;

import io.godwit.core.id.HybridId;
import io.godwit.core.store.RowRead;
import java.util.HashMap;
import java.util.Map;
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

        /** Counts what the entry takes now, or takes that back. */
        void account(QueueEntry entry, int sign);

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
            lookForRows(HybridId.NONE);
        }
    }

    private void lookForRows(HybridId after) {
        RowPage.InFlightIds page = new RowPage.InFlightIds(queue, after, this::onRows);
        reading = page;
        queue.kept().read(page);
    }

    private void onRows(RowPage.InFlightIds page, @Nullable Throwable failure) {
        reading = null;
        if (failure != null) {
            queue.onReadFailed(failure);
            return;
        }
        if (!inFlight.isIdle()) {
            return; // Its client has come again.
        }
        page.sent.forEach(this::leave);
        if (!page.isLast && !page.sent.isEmpty()) {
            lookForRows(page.sent.getLast().id());
        }
    }

    private void leave(RowPage.InFlightIds.Sent row) {
        QueueEntry entry = inFlight.get(row.packetId());
        if (entry != null && mayLeave(entry, row)) {
            inFlight.account(entry, -1);
            entry.dropMessage();
            inFlight.account(entry, 1);
            entries.put(entry.id(), entry);
            inFlight.onLeft(this);
        }
    }

    private boolean mayLeave(QueueEntry entry, RowPage.InFlightIds.Sent row) {
        return entry.id().equals(row.id())
                && entry.state == QueueEntry.SENT
                && entry.kept
                && entry.waiting == null
                && entry.mayLeave
                && entry.message != null
                && !inFlight.isPredecessors(entry);
    }

    /** Reads everything back; to be called while no page is being read. */
    void readBack() {
        readBack(HybridId.NONE);
    }

    private void readBack(HybridId after) {
        RowPage.Entries page =
                new RowPage.Entries(
                        queue,
                        RowRead.Section.IN_FLIGHT,
                        after,
                        HybridId.MAX,
                        queue.shard().durable.pageMessages(),
                        this::onPage);
        reading = page;
        int largest = 0;
        for (QueueEntry entry : entries.values()) {
            largest = Math.max(largest, entry.bytes);
        }
        queue.shard().read(queue.kept(), page, largest);
    }

    private void onPage(RowPage.Entries page, @Nullable Throwable failure) {
        reading = null;
        if (failure != null) {
            queue.onReadFailed(failure);
            return;
        }
        page.entries.forEach(this::takeBack);
        if (!page.isLast && !page.entries.isEmpty()) {
            readBack(page.entries.getLast().id());
        } else if (entries.isEmpty()) {
            inFlight.onBack();
        } else {
            queue.onReadFailed(new IllegalStateException("rows in flight are not there any more"));
        }
    }

    private void takeBack(QueueEntry row) {
        QueueEntry entry = row.message == null ? null : entries.remove(row.id());
        if (entry != null) {
            inFlight.account(entry, -1);
            entry.message = row.message;
            inFlight.account(entry, 1);
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
}
