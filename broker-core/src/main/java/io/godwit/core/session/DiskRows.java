package io.godwit.core.session;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a queue that have left memory, and those of them that were read back. There is one
 * while anything of it is left.
 *
 * <pre>
 *   sent or gone | front (read back) | on disk, only counted | idle, in memory
 *                            cursor ^                  upTo ^
 * </pre>
 */
final class DiskRows {
    /** Read back and not sent, in order. */
    ArrayDeque<QueueEntry> front = new ArrayDeque<>(0);

    /** Highest id that was read back or discarded: the rows above it are unread. */
    long cursor;

    /** Highest id that has left memory. */
    long upTo;

    /** Whether unread rows may be left. Told by the store's last page, never by the count. */
    boolean isMore = true;

    /** Unread rows: for limits and for people. */
    long count;

    long bytes;

    /** The page that was asked for. */
    @Nullable RowPage reading;

    /** What is discarded next, unread; only while the client is offline. */
    RowPage.@Nullable Sizes discardable;

    /** Rows that have left memory since the last page was asked for. */
    private long late;

    private long lateBytes;

    /** Removed unread, out of order. */
    private @Nullable RecentIds removed;

    DiskRows(long cursor) {
        this.cursor = cursor;
        this.upTo = cursor;
    }

    /** This entry has left memory. */
    void evicted(QueueEntry entry) {
        upTo = entry.messageId;
        isMore = true;
        late++;
        lateBytes += entry.bytes;
    }

    void ask(RowPage page) {
        reading = page;
        late = 0;
        lateBytes = 0;
    }

    /** The page was asked for in vain. */
    void giveUp() {
        RowPage asked = reading;
        if (asked != null) {
            asked.cancel();
            reading = null;
        }
        discardable = null;
    }

    /** All of the page was taken; its last row was this one. */
    void passed(RowPage page, long lastId) {
        if (lastId == NOTHING || page.isLast) {
            cursor = page.upTo;
            isMore = upTo > page.upTo;
        } else {
            cursor = lastId;
        }
    }

    /** No row of the page. */
    static final long NOTHING = Long.MIN_VALUE;

    /** How many rows there must be when the store has no more below what has left memory late. */
    long countAfterLast() {
        return late;
    }

    long bytesAfterLast() {
        return lateBytes;
    }

    boolean isRemoved(long id) {
        return removed != null && removed.contains(id);
    }

    void removed(long[] ids, int n, long nowMs) {
        RecentIds made = removed;
        if (made == null) {
            made = new RecentIds();
            removed = made;
        }
        made.add(ids, n, nowMs);
        if (count == 0) {
            removed = null; // Nothing is left that could be removed twice.
        }
    }
}
