package io.godwit.core.queue;

import io.godwit.core.id.HybridId;
import io.godwit.core.store.ExpiredRow;
import io.godwit.core.store.RowRead;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Entries that came into a queue below what its reader has passed already: they were in flight and
 * are not any more, or another copy of the queue had them. Those that are rows can leave memory:
 * then only their ids are left, and the reader goes back for exactly these, since the rows around
 * them may be of entries that were delivered and whose removal the store has not written yet.
 */
final class BelowCursor {
    private final DurableQueue queue;
    private final PriorityQueue<QueueEntry> inMemory = new PriorityQueue<>(QueueEntry.BY_ID);

    /** Bytes of each, by message id. */
    private final TreeMap<HybridId, Integer> onDisk = new TreeMap<>();

    private long diskBytes;
    @Nullable RowPage reading;

    /** Some have left memory since the page was asked for: it may not show them. */
    private boolean isPageOld;

    BelowCursor(DurableQueue queue) {
        this.queue = queue;
    }

    boolean isEmpty() {
        return inMemory.isEmpty() && onDisk.isEmpty();
    }

    int inMemory() {
        return inMemory.size();
    }

    int onDisk() {
        return onDisk.size();
    }

    long diskBytes() {
        return diskBytes;
    }

    boolean isOnDisk(long messageId, int server) {
        return !onDisk.isEmpty() && onDisk.containsKey(new HybridId(messageId, server));
    }

    /** Clock of the lowest id; there is one. */
    long lowestClock() {
        QueueEntry first = peek();
        return first == null ? onDisk.firstKey().clock() : first.messageId;
    }

    int lowestServer() {
        QueueEntry first = peek();
        return first == null ? onDisk.firstKey().server() : first.server;
    }

    /** Whether the lowest id is below this one. */
    boolean isLowestBelow(long clock, int server) {
        return HybridId.compare(lowestClock(), lowestServer(), clock, server) < 0;
    }

    void add(QueueEntry entry) {
        inMemory.add(entry);
        queue.backlog.account(entry, 1);
    }

    /** The lowest, or null when it must be read first. */
    @Nullable QueueEntry peek() {
        QueueEntry first = inMemory.peek();
        return first == null || onDisk.isEmpty() || isBelow(first, onDisk.firstKey())
                ? first
                : null;
    }

    private static boolean isBelow(QueueEntry entry, HybridId id) {
        return HybridId.compare(entry.messageId, entry.server, id.clock(), id.server()) < 0;
    }

    QueueEntry remove() {
        QueueEntry entry = inMemory.remove();
        queue.backlog.account(entry, -1);
        return entry;
    }

    boolean remove(QueueEntry entry) {
        if (inMemory.remove(entry)) {
            queue.backlog.account(entry, -1);
            return true;
        }
        return false;
    }

    Iterable<QueueEntry> entries() {
        return inMemory;
    }

    // ---------------------------------------------------------------- rows

    /**
     * What is a row leaves memory, but for what the store may still show as in flight: a page of
     * what is idle would leave that out.
     */
    void evict() {
        for (Iterator<QueueEntry> i = inMemory.iterator(); i.hasNext(); ) {
            QueueEntry entry = i.next();
            if (!entry.wasMarked && entry.mayBeEvicted()) {
                i.remove();
                queue.backlog.account(entry, -1);
                count(entry);
            }
        }
    }

    private void count(QueueEntry entry) {
        onDisk.put(entry.id(), entry.bytes);
        isPageOld = true;
        diskBytes += entry.bytes;
        queue.shard().accounts.kept(entry.bytes, 1);
    }

    /** It is read, or gone. */
    private void uncount(int bytes) {
        diskBytes -= bytes;
        queue.shard().accounts.kept(-bytes, -1);
    }

    /** Asks for those that come next, unless they are here, or asked for. */
    void readAhead() {
        if (reading == null && !onDisk.isEmpty() && peek() == null) {
            RowPage.Entries page =
                    new RowPage.Entries(
                            queue,
                            RowRead.Section.IDLE,
                            onDisk.firstKey().before(),
                            onDisk.lastKey(),
                            queue.shard().durable.pageMessages(),
                            this::onPage);
            reading = page;
            isPageOld = false;
            queue.kept().read(page);
        }
    }

    private void onPage(RowPage.Entries page, @Nullable Throwable failure) {
        reading = null;
        if (failure != null) {
            queue.onReadFailed(failure);
            return;
        }
        HybridId upTo = page.upTo;
        for (QueueEntry entry : page.entries) {
            HybridId id = entry.id();
            if (forget(id)) {
                add(entry);
            }
            if (!page.isLast) {
                upTo = id;
            }
        }
        if (!isPageOld) {
            // What the page has passed and not shown is not there any more.
            Map<HybridId, Integer> gone = onDisk.headMap(upTo, true);
            gone.values().forEach(this::uncount);
            gone.clear();
            queue.backlog.leaveBelow();
        }
        queue.onPage();
    }

    void giveUpReading() {
        RowPage asked = reading;
        if (asked != null) {
            asked.cancel();
            reading = null;
        }
    }

    private boolean forget(HybridId messageId) {
        Integer bytes = onDisk.remove(messageId);
        if (bytes == null) {
            return false;
        }
        uncount(bytes);
        return true;
    }

    // ---------------------------------------------------------------- removal

    /** These rows have expired: those that have left memory are removed by their ids. */
    void onExpired(List<ExpiredRow> rows) {
        for (ExpiredRow row : rows) {
            if (forget(new HybridId(row.messageId(), row.server()))) {
                queue.kept().removeRow(row.messageId(), row.server());
                queue.limits.onExpired(1);
            }
        }
    }

    /** The queue is full: the lowest goes, by its id alone when it has left memory. */
    void discardLowest() {
        if (peek() != null) {
            queue.onDiscarded(remove());
            return;
        }
        HybridId lowest = onDisk.firstKey();
        queue.kept().removeRow(lowest.clock(), lowest.server());
        forget(lowest);
        queue.limits.onDiscarded();
    }
}
