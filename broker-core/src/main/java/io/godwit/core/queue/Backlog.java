package io.godwit.core.queue;

import io.godwit.core.id.HybridId;
import io.godwit.core.store.ExpiredRow;
import io.godwit.core.store.QueueDepth;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What waits in one queue, in the order of the message ids: read back from rows, still on disk, and
 * in memory since it was appended. What came last leaves memory as soon as it is a row, and is read
 * back page by page while it is taken; so an offline queue costs no memory, and a long one two
 * pages.
 */
final class Backlog {
    private final DurableQueue queue;
    private final MemoryTail tail = new MemoryTail();
    @Nullable DiskRows rows;
    @Nullable BelowCursor below;

    /** Entries up to this id are rows, as far as the store has told. */
    private final IdMark rowsUpTo = new IdMark(HybridId.NONE);

    private long memoryBytes;

    /** How many of the messages in memory the store has. */
    private long keptMessages;

    private long keptBytes;

    Backlog(DurableQueue queue) {
        this.queue = queue;
    }

    boolean isEmpty() {
        return rows == null && tail.isEmpty() && below == null;
    }

    int inMemory() {
        return tail.size()
                + (rows == null ? 0 : rows.front().size())
                + (below == null ? 0 : below.inMemory());
    }

    long memoryBytes() {
        return memoryBytes;
    }

    long onDisk() {
        return (rows == null ? 0 : rows.count()) + (below == null ? 0 : below.onDisk());
    }

    private long diskBytes() {
        return (rows == null ? 0 : rows.bytes()) + (below == null ? 0 : below.diskBytes());
    }

    boolean hasRows() {
        return rows != null || below != null && below.onDisk() > 0;
    }

    long messages() {
        return inMemory() + onDisk();
    }

    long bytes() {
        return memoryBytes + diskBytes();
    }

    /** Messages that the store has: on disk, or on the way there. */
    long keptMessages() {
        return keptMessages + onDisk();
    }

    long keptBytes() {
        return keptBytes + diskBytes();
    }

    /** Clock of the id of the oldest, or of one before it; 0 when nothing waits. */
    long oldestClock() {
        BelowCursor lower = below;
        if (lower != null && isBelowNext(lower)) {
            return lower.lowestClock();
        }
        QueueEntry next = next();
        return next != null ? next.messageId : rows == null ? 0 : rows.cursor().clock();
    }

    /** Server of that id. */
    private int oldestServer() {
        BelowCursor lower = below;
        if (lower != null && isBelowNext(lower)) {
            return lower.lowestServer();
        }
        QueueEntry next = next();
        return next != null ? next.server : rows == null ? 0 : rows.cursor().server();
    }

    /** Whether this one has the oldest of two backlogs in which something waits. */
    boolean isBefore(Backlog other) {
        return HybridId.compare(
                        oldestClock(), oldestServer(), other.oldestClock(), other.oldestServer())
                < 0;
    }

    /** The first that is not below the cursor; null when it is not in memory, or there is none. */
    private @Nullable QueueEntry next() {
        return rows == null ? tail.peek() : rows.front().peek();
    }

    private boolean isBelowNext(BelowCursor lower) {
        QueueEntry next = next();
        if (next != null) {
            return lower.isLowestBelow(next.messageId, next.server);
        }
        return rows == null || !rows.cursor().isBelow(lower.lowestClock(), lower.lowestServer());
    }

    /** What an earlier start has left. Not accounted: the queue does not count on a shard yet. */
    void restore(QueueDepth depth) {
        if (depth.idle() > 0) {
            rows = new DiskRows(queue, depth);
        }
    }

    // ---------------------------------------------------------------- in and out of memory

    void add(QueueEntry entry) {
        tail.add(entry);
        account(entry, 1);
    }

    /** What has been in memory since it was appended. */
    MemoryTail tail() {
        return tail;
    }

    // ---------------------------------------------------------------- below the cursor

    /**
     * Adds an entry wherever its id belongs, also below what a running drain has passed: it comes
     * next then.
     */
    void addInOrder(QueueEntry entry) {
        BelowCursor made = below;
        if (made == null) {
            made = new BelowCursor(queue);
            below = made;
        }
        made.add(entry);
    }

    void leaveBelow() {
        BelowCursor left = below;
        if (left != null && left.isEmpty()) {
            left.giveUpReading();
            below = null;
            tellRows();
        }
    }

    /** The next to go, or null: nothing waits, or its page must be read first. */
    @Nullable QueueEntry peek() {
        BelowCursor first = below;
        return first != null && isBelowNext(first) ? first.peek() : next();
    }

    /** Takes what {@link #peek} has shown. */
    QueueEntry remove() {
        BelowCursor first = below;
        if (first != null && isBelowNext(first)) {
            QueueEntry entry = first.remove();
            leaveBelow();
            return entry;
        }
        DiskRows disk = rows;
        QueueEntry entry = disk == null ? tail.remove() : disk.removeFirst();
        account(entry, -1);
        if (disk != null) {
            leaveWhenDone();
        }
        return entry;
    }

    /** The store has told: entries up to this id are rows, and leave memory. */
    void onRows(HybridId upTo) {
        if (rowsUpTo.isBelow(upTo)) {
            rowsUpTo.set(upTo);
        }
        evict();
    }

    /** Lets leave memory what may. */
    void evict() {
        BelowCursor lower = below;
        if (lower != null && !queue.isOnline()) {
            lower.evict();
            tellRows();
        }
        QueueEntry entry;
        while ((entry = tail.pollRow(rowsUpTo)) != null) {
            account(entry, -1);
            DiskRows disk = rows;
            if (disk == null) {
                disk = new DiskRows(queue, entry);
                rows = disk;
                tellRows();
            }
            disk.evicted(entry);
            queue.onEvicted(entry);
        }
    }

    /** What was read for the connection goes back: its rows are still there. */
    void onConnectionLost() {
        if (rows != null) {
            rows.putBack();
        }
        if (below != null) {
            below.giveUpReading();
        }
        evict();
    }

    /** A page asked for is not waited for: another shard, or a connection, asks anew. */
    void giveUpReading() {
        if (rows != null) {
            rows.giveUpReading();
        }
        if (below != null) {
            below.giveUpReading();
        }
    }

    /** What is in memory below the cursor. */
    void forEachBelow(Consumer<QueueEntry> each) {
        if (below != null) {
            below.entries().forEach(each);
        }
    }

    private void tellRows() {
        queue.tellRows();
    }

    // ---------------------------------------------------------------- rows

    /** Asks for the next page before the last one is used up. */
    void readAhead() {
        if (below != null) {
            below.readAhead();
        }
        if (rows != null) {
            rows.readAhead();
        }
    }

    /** These rows have expired. */
    void onExpired(List<ExpiredRow> expired) {
        BelowCursor lower = below;
        if (lower != null) {
            lower.onExpired(expired);
            leaveBelow();
        }
        if (rows != null) {
            rows.onExpired(expired);
        }
    }

    void leaveWhenDone() {
        DiskRows disk = rows;
        if (disk != null && disk.isDone()) {
            disk.forgetCount();
            rows = null;
            tellRows();
        }
    }

    /** Whether the row of this id waits and is not in memory. */
    boolean isUnread(long messageId, int server) {
        DiskRows disk = rows;
        return isBelow(messageId, server) || disk != null && disk.isUnread(messageId, server);
    }

    /** Whether the row of this id is one that the reader goes back for: a page has no say in it. */
    boolean isBelow(long messageId, int server) {
        return below != null && below.isOnDisk(messageId, server);
    }

    // ---------------------------------------------------------------- removal

    /**
     * Discards the oldest that waits; entries of groups are not this queue's to discard.
     *
     * @return false when none can go now: a page must come first
     */
    boolean discardOldest() {
        BelowCursor lower = below;
        if (lower != null && isBelowNext(lower)) {
            lower.discardLowest();
            leaveBelow();
            return true;
        }
        DiskRows disk = rows;
        if (disk != null) {
            if (!disk.front().isEmpty()) {
                queue.onDiscarded(remove());
                return true;
            }
            return disk.discardOldest();
        }
        QueueEntry entry = tail.pollOwn();
        if (entry != null) {
            account(entry, -1);
            queue.onDiscarded(entry);
        }
        return entry != null;
    }

    /**
     * Takes out some in memory that are to be removed, of a session's queue.
     *
     * @param max of them at most
     * @return how many there were
     */
    int removeSome(Predicate<QueueEntry> wanted, int max) {
        List<QueueEntry> gone = new ArrayList<>();
        if (rows != null) {
            rows.removeRead(wanted, max, gone::add);
        }
        tail.removeSome(wanted, max - gone.size(), gone::add);
        for (QueueEntry entry : gone) {
            account(entry, -1);
            queue.onRemoved(entry);
        }
        leaveWhenDone();
        return gone.size();
    }

    /** Takes out an entry whose append has failed: it is not kept, and comes again. */
    void removeIdle(QueueEntry entry) {
        if (tail.remove(entry)) {
            account(entry, -1);
        } else if (below != null && below.remove(entry)) {
            leaveBelow();
        }
    }

    /** Takes out what stands in groups' queues. */
    void removeShared() {
        tail.removeIf(entry -> {
            if (!entry.isGroups()) {
                return false;
            }
            account(entry, -1);
            return true;
        });
        if (!queue.isOnline()) {
            evict(); // They may have stood before rows.
        }
    }

    /** What is in memory. */
    void forEach(Consumer<QueueEntry> each) {
        forEachBelow(each);
        if (rows != null) {
            rows.front().forEach(each);
        }
        tail.forEach(each);
    }

    /** The session lives on without the store; nothing is on disk. */
    void leaveStore() {
        shard().accounts.kept(-keptBytes, -keptMessages);
        keptMessages = 0;
        keptBytes = 0;
    }

    /** The session has ended, and the store forgets the queue as a whole. */
    void clear() {
        queue.countCleared();
        forEach(entry -> entry.countAgain(shard().accounts, -1));
        shard().accounts.queued(-memoryBytes, -inMemory());
        shard().accounts.kept(-keptBytes(), -keptMessages());
        memoryBytes = 0;
        keptBytes = 0;
        keptMessages = 0;
        tail.clear();
        giveUpReading();
        rows = null;
        below = null;
        tellRows();
    }

    // ---------------------------------------------------------------- accounts

    /** It has come into memory, or left it. */
    void account(QueueEntry entry, int sign) {
        long change = (long) sign * entry.memoryBytes();
        memoryBytes += change;
        shard().accounts.queued(change, sign);
        if (entry.isLarge()) {
            entry.countAgain(shard().accounts, sign);
        }
        if (entry.kept) {
            long ofStore = (long) sign * entry.bytes;
            keptMessages += sign;
            keptBytes += ofStore;
            shard().accounts.kept(ofStore, sign);
        }
    }

    private ShardQueues shard() {
        return queue.shard();
    }
}
