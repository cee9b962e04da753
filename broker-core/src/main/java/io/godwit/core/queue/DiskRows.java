package io.godwit.core.queue;

import io.godwit.core.id.HybridId;
import io.godwit.core.store.ExpiredRow;
import io.godwit.core.store.QueueDepth;
import io.godwit.core.store.RowRead;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a queue that have left memory, and those of them that were read back. There is one
 * while anything of it is left.
 *
 * <pre>
 *   sent or gone | front (read back) | on disk, only counted | idle, in memory
 *                            cursor ^                  upTo ^
 * </pre>
 *
 * One page is under way at a time. Whether there are more rows is what the store's last page says,
 * never the count, which is for limits and for people.
 */
final class DiskRows {
    /** Times the length of the first page. */
    private static final int PAGE_GROWTH = 8;

    /** Queues of a shard with rows: with more of them all pages are short, for memory's sake. */
    private static final int LONG_PAGES_QUEUES = 64;

    /** Ids of expired rows that are remembered when all have expired. */
    private static final int EMPTIED_MAX = 1_000;

    private final DurableQueue queue;

    /** Read back and not sent, in order. */
    private ArrayDeque<QueueEntry> front = new ArrayDeque<>(0);

    private long frontBytes;

    /** Highest id that was read back or discarded: the rows above it are unread. */
    private final IdMark cursor;

    /** Highest id that has left memory. */
    private final IdMark upTo;

    /** Whether unread rows may be left. */
    boolean isMore = true;

    /** Unread rows. */
    private long count;

    private long bytes;

    /** Length of the page that was asked for last; 0 before the first for this connection. */
    private int pageMessages;

    /** The page that was asked for. */
    @Nullable RowPage reading;

    /** What is discarded next, unread; only while the client is offline. */
    private RowPage.@Nullable Sizes discardable;

    /** Rows that have left memory since the last page was asked for. */
    private long late;

    private long lateBytes;

    /** Removed unread, out of order. */
    private @Nullable RecentIds removed;

    /** Whether some of these have not expired: a page that shows them must not bring them back. */
    private boolean showsRemoved;

    /** What an earlier start has left; not accounted. */
    DiskRows(DurableQueue queue, QueueDepth depth) {
        this(queue, depth.first());
        upTo.set(depth.last());
        count = depth.idle();
        bytes = depth.idleBytes();
    }

    /** Rows of a queue whose first entry leaves memory now. */
    DiskRows(DurableQueue queue, QueueEntry first) {
        this(queue, first.id().before());
    }

    private DiskRows(DurableQueue queue, HybridId from) {
        this.queue = queue;
        this.cursor = new IdMark(from);
        this.upTo = new IdMark(from);
    }

    /** What was read back; not to be changed. */
    ArrayDeque<QueueEntry> front() {
        return front;
    }

    QueueEntry removeFirst() {
        QueueEntry entry = front.remove();
        frontBytes -= entry.memoryBytes();
        return entry;
    }

    /** Takes out what was read back and is to be removed, as {@link Backlog#removeSome} does. */
    void removeRead(Predicate<QueueEntry> wanted, int max, Consumer<QueueEntry> taker) {
        List<ExpiredRow> gone = new ArrayList<>();
        MemoryTail.removeSome(
                front,
                wanted,
                max,
                entry -> {
                    frontBytes -= entry.memoryBytes();
                    gone.add(new ExpiredRow(entry.messageId, entry.server, entry.bytes));
                    taker.accept(entry);
                });
        if (!gone.isEmpty()) {
            remember(gone); // Put back, the rest would be read again from the first on.
            showsRemoved = true;
        }
    }

    long count() {
        return count;
    }

    long bytes() {
        return bytes;
    }

    /** Below the first unread row, by little. */
    IdMark cursor() {
        return cursor;
    }

    /** Highest id that has left memory. */
    HybridId upTo() {
        return upTo.id();
    }

    boolean isDone() {
        return !isMore && front.isEmpty();
    }

    /** This entry has left memory. */
    void evicted(QueueEntry entry) {
        upTo.set(entry);
        isMore = true;
        late++;
        lateBytes += entry.bytes;
        count(1, entry.bytes);
    }

    /** What was read and not sent is unread again: its rows are still there. */
    void putBack() {
        giveUpReading();
        pageMessages = 0;
        QueueEntry first = front.peek();
        if (first == null) {
            return;
        }
        cursor.set(first.id().before());
        isMore = true;
        for (QueueEntry entry : front) {
            queue.backlog.account(entry, -1);
            count(1, entry.bytes);
        }
        front = new ArrayDeque<>(0);
        frontBytes = 0;
    }

    /** The page that was asked for is not waited for: whoever comes next asks anew. */
    void giveUpReading() {
        RowPage asked = reading;
        if (asked != null) {
            asked.cancel();
            reading = null;
        }
        discardable = null;
    }

    /** There is nothing more, whatever was counted. */
    void forgetCount() {
        count(-count, -bytes);
    }

    private void count(long messages, long itsBytes) {
        long m = Math.max(-count, messages);
        long b = Math.max(-bytes, itsBytes);
        count += m;
        bytes += b;
        shard().accounts.kept(b, m);
    }

    // ---------------------------------------------------------------- pages

    /**
     * Asks for the next page before the last one is used up, but not while what is here fills one:
     * large messages would never be half a page.
     */
    void readAhead() {
        if (isMore
                && reading == null
                && front.size() <= pageMessages / 2
                && frontBytes < RowPage.bytesMax(shard())) {
            int least = shard().durable.pageMessages();
            // A client that takes page after page gets longer ones, while few do so at a time.
            pageMessages =
                    pageMessages == 0 || shard().countWithRows() > LONG_PAGES_QUEUES
                            ? least
                            : Math.min(pageMessages * 2, least * PAGE_GROWTH);
            ask(
                    new RowPage.Entries(
                            queue,
                            RowRead.Section.IDLE,
                            cursor.id(),
                            upTo.id(),
                            pageMessages,
                            this::onPage));
        }
    }

    private void ask(RowPage page) {
        reading = page;
        late = 0;
        lateBytes = 0;
        long each = page.wantsMessages() && count > 0 ? bytes / count : 0;
        shard().read(queue.kept(), page, each);
    }

    private void onPage(RowPage.Entries page, @Nullable Throwable failure) {
        if (!isTaken(failure)) {
            return;
        }
        for (QueueEntry entry : page.entries) {
            cursor.set(entry);
            if (!isGone(entry.messageId, entry.server)) {
                count(-1, -entry.bytes);
                front.add(entry);
                frontBytes += entry.memoryBytes();
                queue.backlog.account(entry, 1);
            }
        }
        passed(page, page.entries.isEmpty());
        queue.onPage();
    }

    private boolean isTaken(@Nullable Throwable failure) {
        reading = null;
        if (failure != null) {
            queue.onReadFailed(failure);
        }
        return failure == null;
    }

    /** Whether an entry was sent or removed, though its row may be there still. */
    private boolean isGone(long messageId, int server) {
        return removed != null && removed.contains(messageId, server)
                || queue.isInFlight(messageId, server)
                || queue.backlog.isBelow(messageId, server);
    }

    /** The cursor stands at the last row of a page, if it had any. */
    private void passed(RowPage page, boolean isEmpty) {
        if (page.isLast || isEmpty) {
            cursor.set(page.upTo);
            isMore = cursor.isBelow(upTo.clock(), upTo.server());
            count(late - count, lateBytes - bytes);
        }
        queue.onCursor(cursor);
        queue.backlog.leaveWhenDone();
    }

    // ---------------------------------------------------------------- removal unread

    /**
     * Discards the oldest row, which is not in memory: of an offline queue by its id alone.
     *
     * @return false when a page must come first
     */
    boolean discardOldest() {
        RowPage.Sizes page = discardable;
        if (page == null) {
            askWhatToDiscard();
            return false;
        }
        long messageId = page.messageId();
        int server = page.messageServer();
        cursor.set(messageId, server);
        if (!isGone(messageId, server)) {
            queue.kept().removeRow(messageId, server);
            count(-1, -page.bytes());
            queue.limits.onDiscarded();
        }
        page.advance();
        forgetWhenUsedUp(page);
        return true;
    }

    private void askWhatToDiscard() {
        if (!queue.isInFlightRead()) {
            queue.readInFlight(); // Else what is in flight could be taken for idle.
        } else if (queue.isOnline()) {
            readAhead();
        } else if (reading == null) {
            ask(new RowPage.Sizes(queue, cursor.id(), upTo.id(), this::onSizes));
        }
    }

    private void onSizes(RowPage.Sizes page, @Nullable Throwable failure) {
        if (isTaken(failure)) {
            discardable = page;
            forgetWhenUsedUp(page);
            queue.limits.trim();
        }
    }

    private void forgetWhenUsedUp(RowPage.Sizes page) {
        if (!page.hasNext()) {
            discardable = null;
            passed(page, page.isEmpty());
        }
    }

    /** These rows have expired: those that nobody has read are removed here. */
    void onExpired(List<ExpiredRow> expired) {
        if (!queue.isInFlightRead()) {
            queue.readInFlight(); // What is in flight is kept; it is told again of the others.
            return;
        }
        int gone = count == 0 ? 0 : removeUnread(expired);
        if (gone > 0) {
            queue.limits.onExpired(gone);
        }
        RecentIds recent = removed;
        if (count == 0 && recent != null && !showsRemoved && recent.size() > EMPTIED_MAX) {
            removed = null; // A page that shows one has it counted again, at worst.
        }
    }

    /**
     * Removes those of these rows that nobody has read, though they have not expired. What is in
     * flight is known.
     *
     * @return how many there were
     */
    int discard(List<ExpiredRow> rows) {
        int gone = removeUnread(rows);
        showsRemoved |= gone > 0;
        return gone;
    }

    private int removeUnread(List<ExpiredRow> rows) {
        List<ExpiredRow> gone = new ArrayList<>();
        for (ExpiredRow each : rows) {
            if (isUnread(each.messageId(), each.server())) {
                queue.kept().removeRow(each.messageId(), each.server());
                count(-1, -each.bytes());
                gone.add(each);
            }
        }
        if (!gone.isEmpty()) {
            remember(gone);
        }
        return gone.size();
    }

    /**
     * Notes that none of these rows waits any more: they need not be remembered one by one.
     *
     * @param after where they begin
     * @param last where they end
     */
    void passRemoved(HybridId after, HybridId last) {
        boolean isNext = front.isEmpty() && !cursor.isBelow(after);
        if (!isNext || !cursor.isBelow(last)) {
            return; // A connection that ends would have the cursor go back among them.
        }
        giveUpReading();
        cursor.set(last);
        isMore = cursor.isBelow(upTo.clock(), upTo.server());
        queue.onCursor(cursor);
        queue.backlog.leaveWhenDone();
    }

    /** Whether the row of this id has left memory, and was neither read back nor removed. */
    boolean isUnread(long messageId, int server) {
        return cursor.isBelow(messageId, server)
                && !upTo.isBelow(messageId, server)
                && !isGone(messageId, server);
    }

    private void remember(List<ExpiredRow> rows) {
        RecentIds recent = removed;
        if (recent == null) {
            recent = new RecentIds();
        }
        recent.add(rows, shard().clock.nowMs());
        removed = recent;
    }

    private ShardQueues shard() {
        return queue.shard();
    }
}
