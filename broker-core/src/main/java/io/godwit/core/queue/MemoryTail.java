package io.godwit.core.queue;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The end of what waits: entries that have been in memory since they were appended. When the queue
 * becomes durable they are kept one after the other; those that are not yet stand behind the rest.
 */
final class MemoryTail {
    /** Entries for which there is room when it is empty, at most. */
    private static final int KEPT = 64;

    private ArrayDeque<QueueEntry> entries = new ArrayDeque<>(0);

    /** The most that {@link #entries} has had: its array does not shrink by itself. */
    private int most;

    private @Nullable ArrayDeque<QueueEntry> unkept;

    boolean isEmpty() {
        return entries.isEmpty() && unkept == null;
    }

    int size() {
        return entries.size() + (unkept == null ? 0 : unkept.size());
    }

    /** Entries for which there is room, at least. */
    int most() {
        return most;
    }

    void add(QueueEntry entry) {
        if (unkept == null) {
            entries.add(entry);
            most = Math.max(most, entries.size());
        } else {
            unkept.add(entry);
        }
    }

    @Nullable QueueEntry peek() {
        return first().peek();
    }

    /** Takes what {@link #peek} has shown. */
    QueueEntry remove() {
        QueueEntry entry = first().remove();
        forgetEmpty();
        return entry;
    }

    private ArrayDeque<QueueEntry> first() {
        ArrayDeque<QueueEntry> last = unkept;
        return last != null && entries.isEmpty() ? last : entries;
    }

    private void forgetEmpty() {
        if (unkept != null && unkept.isEmpty()) {
            unkept = null;
        }
        if (most > KEPT && entries.isEmpty()) {
            entries = new ArrayDeque<>(0);
            most = 0;
        }
    }

    /** Takes the first if it is a row with an id up to this one, else nothing. */
    @Nullable QueueEntry pollRow(IdMark upTo) {
        QueueEntry entry = entries.peek();
        boolean isRow =
                entry != null
                        && !upTo.isBelow(entry.messageId, entry.server)
                        && entry.mayBeEvicted();
        if (!isRow) {
            return null;
        }
        entry = entries.remove();
        forgetEmpty();
        return entry;
    }

    /** Takes out the first that is this queue's own, and not a group's. */
    @Nullable QueueEntry pollOwn() {
        for (Iterator<QueueEntry> i = first().iterator(); i.hasNext(); ) {
            QueueEntry entry = i.next();
            if (!entry.isGroups()) {
                i.remove();
                forgetEmpty();
                return entry;
            }
        }
        return null;
    }

    /** Takes out the first of those that are kept, or need not be, so many at most. */
    void removeSome(Predicate<QueueEntry> wanted, int max, Consumer<QueueEntry> removed) {
        removeSome(entries, wanted, max, removed);
        forgetEmpty();
    }

    /** Takes out the first that are wanted, so many at most. */
    static void removeSome(
            Iterable<QueueEntry> from,
            Predicate<QueueEntry> wanted,
            int max,
            Consumer<QueueEntry> removed) {
        int left = max;
        for (Iterator<QueueEntry> i = from.iterator(); left > 0 && i.hasNext(); ) {
            QueueEntry entry = i.next();
            if (wanted.test(entry)) {
                i.remove();
                left--;
                removed.accept(entry);
            }
        }
    }

    boolean remove(QueueEntry entry) {
        boolean removed = entries.remove(entry);
        forgetEmpty();
        return removed;
    }

    void removeIf(Predicate<QueueEntry> condition) {
        entries.removeIf(condition);
        forgetEmpty();
    }

    void forEach(Consumer<QueueEntry> each) {
        if (unkept != null) {
            unkept.forEach(each);
        }
        entries.forEach(each);
    }

    void clear() {
        entries = new ArrayDeque<>(0);
        most = 0;
        unkept = null;
    }

    // ---------------------------------------------------------------- kept one after the other

    /** What is here is to be {@linkplain #pollUnkept kept}, and what comes meanwhile, too. */
    void beginKeeping() {
        if (unkept == null && !entries.isEmpty()) {
            unkept = entries;
            entries = new ArrayDeque<>(0);
            most = 0;
        }
    }

    boolean isKeeping() {
        return unkept != null;
    }

    /** Takes the next that is to be kept, or was already; {@link #addKept} follows. */
    @Nullable QueueEntry pollUnkept() {
        return unkept == null ? null : unkept.poll();
    }

    void addKept(QueueEntry entry) {
        entries.add(entry);
        most = Math.max(most, entries.size());
        forgetEmpty();
    }
}
