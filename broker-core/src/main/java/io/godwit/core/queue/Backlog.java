package io.godwit.core.queue;

import io.godwit.core.message.QueuedMessage;
import io.godwit.core.metrics.Metric;
import io.godwit.core.store.QueueDepth;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What waits in one queue, in the order of the message ids: read back from rows, still on disk, and
 * in memory since it was appended. What came last leaves memory as soon as it is a row, and is read
 * back page by page while it is taken; so an offline queue costs no memory, and a long one two
 * pages.
 */
final class Backlog {
    private final DurableQueue queue;
    private final ArrayDeque<QueueEntry> idle = new ArrayDeque<>(0);
    private @Nullable DiskRows rows;

    /** Entries up to this id are rows, as far as the store has told. */
    private long rowsUpTo;

    private long memoryBytes;

    /** Of what is in memory, the part that the store has. */
    private long keptMessages;

    private long keptBytes;

    Backlog(DurableQueue queue) {
        this.queue = queue;
    }

    boolean isEmpty() {
        return rows == null && idle.isEmpty();
    }

    int inMemory() {
        return rows == null ? idle.size() : idle.size() + rows.front().size();
    }

    long memoryBytes() {
        return memoryBytes;
    }

    long onDisk() {
        return rows == null ? 0 : rows.count();
    }

    private long diskBytes() {
        return rows == null ? 0 : rows.bytes();
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
        QueueEntry first = disk == null ? idle.peek() : disk.front().peek();
        return first != null ? first.messageId : disk == null ? 0 : disk.cursor() + 1;
    }

    /** What an earlier start has left. Not accounted: the queue does not count on a shard yet. */
    void restore(QueueDepth depth) {
        if (depth.idle() > 0) {
            DiskRows disk = new DiskRows(queue, depth.first());
            disk.restore(depth.last(), depth.idle(), depth.idleBytes());
            rows = disk;
        }
    }

    // ---------------------------------------------------------------- in and out of memory

    void add(QueueEntry entry) {
        idle.add(entry);
        account(entry, 1);
    }

    /** The next to go, or null: nothing waits, or its page must be read first. */
    @Nullable QueueEntry peek() {
        return rows == null ? idle.peek() : rows.front().peek();
    }

    /** Takes what {@link #peek} has shown. */
    QueueEntry remove() {
        DiskRows disk = rows;
        QueueEntry entry = (disk == null ? idle : disk.front()).remove();
        account(entry, -1);
        if (disk != null) {
            leaveWhenDone();
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
                disk = new DiskRows(queue, entry.messageId - 1);
                rows = disk;
                shard().hasRows(queue, true);
            }
            disk.evicted(entry);
        }
    }

    /** What was read for the connection goes back: its rows are still there. */
    void onConnectionLost() {
        if (rows != null) {
            rows.putBack();
        }
        evict();
    }

    /** A page asked for is not waited for: another shard, or a connection, asks anew. */
    void giveUpReading() {
        if (rows != null) {
            rows.giveUpReading();
        }
    }

    // ---------------------------------------------------------------- rows

    /** Asks for the next page before the last one is used up. */
    void readAhead() {
        if (rows != null) {
            rows.readAhead();
        }
    }

    /** These rows have expired. */
    void onExpired(long[] ids) {
        if (rows != null) {
            rows.onExpired(ids);
        }
    }

    void leaveWhenDone() {
        DiskRows disk = rows;
        if (disk != null && disk.isDone()) {
            disk.forgetCount();
            rows = null;
            shard().hasRows(queue, false);
        }
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
            if (!disk.front().isEmpty()) {
                queue.onDiscarded(remove());
                return true;
            }
            return disk.discardOldest();
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
        if (!queue.isOnline()) {
            evict(); // They may have stood before rows.
        }
    }

    /** What is in memory. */
    void forEach(Consumer<QueueEntry> each) {
        if (rows != null) {
            rows.front().forEach(each);
        }
        idle.forEach(each);
    }

    /** The session lives on without the store; nothing is on disk. */
    void leaveStore() {
        shard().accounts.kept(-keptBytes, -keptMessages);
        keptMessages = 0;
        keptBytes = 0;
    }

    /** The session has ended, and the store forgets the queue as a whole. */
    void clear() {
        shard().counters.add(Metric.DROPPED_SESSION_GONE, null, messages());
        shard().accounts.queued(-memoryBytes, -inMemory());
        shard().accounts.kept(-keptBytes(), -keptMessages());
        memoryBytes = 0;
        keptBytes = 0;
        keptMessages = 0;
        idle.clear();
        if (rows != null) {
            rows.giveUpReading();
            rows = null;
            shard().hasRows(queue, false);
        }
    }

    // ---------------------------------------------------------------- accounts

    /** It has come into memory, or left it. */
    void account(QueueEntry entry, int sign) {
        long change = (long) sign * entry.bytes;
        memoryBytes += change;
        shard().accounts.queued(change, sign);
        if (entry.kept) {
            keptMessages += sign;
            keptBytes += change;
            shard().accounts.kept(change, sign);
        }
    }

    private ShardQueues shard() {
        return queue.shard();
    }
}
