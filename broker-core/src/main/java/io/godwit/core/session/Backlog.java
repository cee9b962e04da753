package io.godwit.core.session;

import io.godwit.core.message.QueuedMessage;
import io.godwit.core.metrics.Metric;
import io.godwit.core.store.QueueDepth;
import io.godwit.core.store.RowRead;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What waits for one client, in the order of the message ids: read back from rows, still on disk,
 * and in memory since it was appended. What came last leaves memory as soon as it is a row, and is
 * read back page by page while the client takes it; so an offline queue costs no memory, and a long
 * one two pages.
 */
final class Backlog {
    private final Session session;
    private final ClientQueue queue;
    private final ArrayDeque<QueueEntry> idle = new ArrayDeque<>(0);
    private @Nullable DiskRows rows;

    /** Entries up to this id are rows, as far as the store has told. */
    private long rowsUpTo;

    private long memoryBytes;

    /** Of what is in memory, the part that the store has. */
    private long keptMessages;

    private long keptBytes;

    Backlog(Session session, ClientQueue queue) {
        this.session = session;
        this.queue = queue;
    }

    boolean isEmpty() {
        return rows == null && idle.isEmpty();
    }

    int inMemory() {
        return rows == null ? idle.size() : idle.size() + rows.front.size();
    }

    long memoryBytes() {
        return memoryBytes;
    }

    long onDisk() {
        return rows == null ? 0 : rows.count;
    }

    private long diskBytes() {
        return rows == null ? 0 : rows.bytes;
    }

    boolean hasRows() {
        return rows != null;
    }

    long messages() {
        return inMemory() + onDisk();
    }

    long bytes() {
        return memoryBytes + diskBytes();
    }

    /** Those that the store has: on disk, or on the way there. */
    long keptMessages() {
        return keptMessages + onDisk();
    }

    long keptBytes() {
        return keptBytes + diskBytes();
    }

    /** Id of the oldest, or of a moment before it; 0 when nothing waits. */
    long oldestId() {
        DiskRows disk = rows;
        QueueEntry first = disk == null ? idle.peek() : disk.front.peek();
        return first != null ? first.messageId : disk == null ? 0 : disk.cursor + 1;
    }

    /** What an earlier start has left. Not accounted: the session is in no shard's list yet. */
    void restore(QueueDepth depth) {
        if (depth.idle() > 0) {
            DiskRows disk = new DiskRows(depth.first());
            disk.upTo = depth.last();
            disk.count = depth.idle();
            disk.bytes = depth.idleBytes();
            rows = disk;
            shard().hasRows(session, true);
        }
    }

    // ---------------------------------------------------------------- in and out of memory

    void add(QueueEntry entry) {
        idle.add(entry);
        account(entry, 1);
    }

    /** The next to go, or null: nothing waits, or its page must be read first. */
    @Nullable QueueEntry peek() {
        return rows == null ? idle.peek() : rows.front.peek();
    }

    /** Takes what {@link #peek} has shown. */
    QueueEntry remove() {
        DiskRows disk = rows;
        QueueEntry entry = (disk == null ? idle : disk.front).remove();
        account(entry, -1);
        if (disk != null) {
            leaveWhenDone(disk);
        }
        return entry;
    }

    /** The store has told: entries up to this id are rows, and leave memory. */
    void onRows(long upTo) {
        rowsUpTo = Math.max(rowsUpTo, upTo);
        evict();
    }

    private void evict() {
        QueueEntry entry;
        while ((entry = idle.peek()) != null
                && entry.messageId <= rowsUpTo
                && entry.kept
                && entry.stored() == QueuedMessage.ROW) {
            idle.remove();
            account(entry, -1);
            DiskRows disk = rows;
            if (disk == null) {
                disk = new DiskRows(entry.messageId - 1);
                rows = disk;
                shard().hasRows(session, true);
            }
            disk.evicted(entry);
            count(disk, 1, entry.bytes);
        }
    }

    private void leaveWhenDone(DiskRows disk) {
        if (!disk.isMore && disk.front.isEmpty()) {
            count(disk, -disk.count, -disk.bytes);
            rows = null;
            shard().hasRows(session, false);
        }
    }

    /** What was read for the connection goes back: its rows are still there. */
    void onConnectionLost() {
        DiskRows disk = rows;
        if (disk != null) {
            disk.giveUp();
            QueueEntry first = disk.front.peek();
            if (first != null) {
                disk.cursor = first.messageId - 1;
                disk.isMore = true;
                for (QueueEntry entry : disk.front) {
                    account(entry, -1);
                    count(disk, 1, entry.bytes);
                }
                disk.front = new ArrayDeque<>(0);
            }
        }
        evict();
    }

    /** A page asked for is not waited for: another shard, or a connection, asks anew. */
    void giveUpReading() {
        if (rows != null) {
            rows.giveUp();
        }
    }

    // ---------------------------------------------------------------- reading back

    /** Asks for the next page before the last one is used up. */
    void readAhead() {
        DiskRows disk = rows;
        if (disk != null
                && disk.isMore
                && disk.reading == null
                && disk.front.size() <= shard().queues().pageMessages() / 2) {
            ask(
                    disk,
                    new RowPage.Entries(
                            shard(),
                            session.queueId(),
                            RowRead.Section.IDLE,
                            disk.cursor,
                            disk.upTo,
                            this::onPage));
        }
    }

    private void ask(DiskRows disk, RowPage page) {
        disk.ask(page);
        shard().store().read(page);
    }

    private void onPage(RowPage.Entries page, @Nullable Throwable failure) {
        DiskRows disk = rows;
        if (disk == null || !taken(disk, failure)) {
            return;
        }
        long lastId = DiskRows.NOTHING;
        for (QueueEntry entry : page.entries) {
            lastId = entry.messageId;
            if (!isGone(disk, lastId)) {
                count(disk, -1, -entry.bytes);
                disk.front.add(entry);
                account(entry, 1);
            }
        }
        passed(disk, page, lastId);
        queue.onPage();
    }

    private boolean taken(DiskRows disk, @Nullable Throwable failure) {
        disk.reading = null;
        if (failure != null) {
            queue.onReadFailed(failure);
        }
        return failure == null;
    }

    /** Its row may be there still, but it was sent or removed. */
    private boolean isGone(DiskRows disk, long messageId) {
        return disk.isRemoved(messageId) || queue.inFlight().wasRow(messageId);
    }

    private void passed(DiskRows disk, RowPage page, long lastId) {
        disk.passed(page, lastId);
        if (page.isLast || lastId == DiskRows.NOTHING) {
            count(disk, disk.countAfterLast() - disk.count, disk.bytesAfterLast() - disk.bytes);
        }
        queue.inFlight().onCursor(disk.cursor);
        leaveWhenDone(disk);
    }

    // ---------------------------------------------------------------- removal

    /**
     * Discards the oldest that waits; entries of groups are not this queue's to discard.
     *
     * @return false when none can go now: a page must come first
     */
    boolean discardOldest() {
        DiskRows disk = rows;
        if (disk != null) {
            if (!disk.front.isEmpty()) {
                queue.onDiscarded(remove());
                return true;
            }
            return discardUnread(disk);
        }
        for (Iterator<QueueEntry> i = idle.iterator(); i.hasNext(); ) {
            QueueEntry entry = i.next();
            if (entry.ticket == null) {
                i.remove();
                account(entry, -1);
                queue.onDiscarded(entry);
                return true;
            }
        }
        return false;
    }

    private boolean discardUnread(DiskRows disk) {
        RowPage.Sizes page = disk.discardable;
        if (page == null) {
            if (!queue.inFlight().isRead()) {
                queue.inFlight().read(); // Else what is in flight could be taken for idle.
            } else if (session.isOnline()) {
                readAhead();
            } else if (disk.reading == null) {
                ask(
                        disk,
                        new RowPage.Sizes(
                                shard(), session.queueId(), disk.cursor, disk.upTo, this::onSizes));
            }
            return false;
        }
        long messageId = page.messageId();
        boolean gone = isGone(disk, messageId);
        disk.cursor = messageId;
        if (!gone) {
            shard().store().removeRow(session.queueId(), messageId);
            count(disk, -1, -page.bytes());
            queue.onRowDiscarded();
        }
        page.advance();
        usedUp(disk, page);
        return true;
    }

    private void onSizes(RowPage.Sizes page, @Nullable Throwable failure) {
        DiskRows disk = rows;
        if (disk != null && taken(disk, failure)) {
            disk.discardable = page;
            usedUp(disk, page);
            queue.trim();
        }
    }

    private void usedUp(DiskRows disk, RowPage.Sizes page) {
        if (!page.hasNext()) {
            disk.discardable = null;
            passed(disk, page, page.isEmpty() ? DiskRows.NOTHING : disk.cursor);
        }
    }

    /** These rows have expired: those that nobody has read are removed here. */
    void onExpired(long[] ids) {
        DiskRows disk = rows;
        if (disk == null) {
            return;
        }
        if (!queue.inFlight().isRead()) {
            queue.inFlight().read(); // What is in flight is kept; it is told again of the others.
            return;
        }
        long[] gone = new long[ids.length];
        int n = 0;
        for (long id : ids) {
            if (disk.count > 0 && id > disk.cursor && id <= disk.upTo && !isGone(disk, id)) {
                shard().store().removeRow(session.queueId(), id);
                count(disk, -1, -(disk.bytes / disk.count));
                gone[n++] = id;
            }
        }
        if (n > 0) {
            disk.removed(gone, n, shard().nowMs());
            queue.onRowsExpired(n);
        }
    }

    /** Its append has failed: it is not kept, and comes again. */
    void removeIdle(QueueEntry entry) {
        if (idle.remove(entry)) {
            account(entry, -1);
        }
    }

    /** Takes out what groups have lent. */
    void removeTickets(Consumer<QueueEntry> each) {
        idle.removeIf(entry -> {
            if (entry.ticket == null) {
                return false;
            }
            account(entry, -1);
            each.accept(entry);
            return true;
        });
        if (!session.isOnline()) {
            evict(); // They may have stood before rows.
        }
    }

    /** What is in memory. */
    void forEach(Consumer<QueueEntry> each) {
        if (rows != null) {
            rows.front.forEach(each);
        }
        idle.forEach(each);
    }

    /** The session lives on without the store; nothing is on disk. */
    void leaveStore() {
        forEach(QueueEntry::leaveStore);
        shard().load().kept(-keptBytes, -keptMessages);
        keptMessages = 0;
        keptBytes = 0;
    }

    /** The session has ended, and the store forgets the queue as a whole. */
    void clear() {
        forEach(entry -> {
            entry.leaveStore();
            entry.settle(true);
        });
        shard().counters().add(Metric.DROPPED_SESSION_GONE, null, messages());
        shard().accountQueued(-memoryBytes, -inMemory());
        shard().load().kept(-keptBytes(), -keptMessages());
        memoryBytes = 0;
        keptBytes = 0;
        keptMessages = 0;
        idle.clear();
        if (rows != null) {
            rows.giveUp();
            rows = null;
            shard().hasRows(session, false);
        }
    }

    // ---------------------------------------------------------------- accounts

    private void account(QueueEntry entry, int sign) {
        long change = (long) sign * entry.bytes;
        memoryBytes += change;
        shard().accountQueued(change, sign);
        if (entry.kept) {
            keptMessages += sign;
            keptBytes += change;
            shard().load().kept(change, sign);
        }
    }

    private void count(DiskRows disk, long messages, long bytes) {
        long m = Math.max(-disk.count, messages);
        long b = Math.max(-disk.bytes, bytes);
        disk.count += m;
        disk.bytes += b;
        shard().load().kept(b, m);
    }

    private SessionShard shard() {
        return session.shard();
    }
}
