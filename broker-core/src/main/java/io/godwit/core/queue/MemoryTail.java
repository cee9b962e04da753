package io.godwit.core.queue;

import io.godwit.core.message.QueuedMessage;
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
    private ArrayDeque<QueueEntry> entries = new ArrayDeque<>(0);
    private @Nullable ArrayDeque<QueueEntry> unkept;

    boolean isEmpty() {
        return entries.isEmpty() && unkept == null;
    }

    int size() {
        return entries.size() + (unkept == null ? 0 : unkept.size());
    }

    void add(QueueEntry entry) {
        (unkept == null ? entries : unkept).add(entry);
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
    }

    /** Takes the first if it is a row with an id up to this one, else nothing. */
    @Nullable QueueEntry pollRow(IdMark upTo) {
        QueueEntry entry = entries.peek();
        boolean isRow =
                entry != null
                        && !upTo.isBelow(entry.messageId, entry.server)
                        && entry.kept
                        && entry.stored() == QueuedMessage.ROW;
        return isRow ? entries.remove() : null;
    }

    /** Takes out the first that is this queue's own, and not a group's. */
    @Nullable QueueEntry pollOwn() {
        for (Iterator<QueueEntry> i = first().iterator(); i.hasNext(); ) {
            QueueEntry entry = i.next();
            if (entry.source == null) {
                i.remove();
                forgetEmpty();
                return entry;
            }
        }
        return null;
    }

    boolean remove(QueueEntry entry) {
        return entries.remove(entry);
    }

    void removeIf(Predicate<QueueEntry> condition) {
        entries.removeIf(condition);
    }

    void forEach(Consumer<QueueEntry> each) {
        if (unkept != null) {
            unkept.forEach(each);
        }
        entries.forEach(each);
    }

    void clear() {
        entries.clear();
        unkept = null;
    }

    // ---------------------------------------------------------------- kept one after the other

    /** What is here is to be {@linkplain #pollUnkept kept}, and what comes meanwhile, too. */
    void beginKeeping() {
        if (unkept == null && !entries.isEmpty()) {
            unkept = entries;
            entries = new ArrayDeque<>(0);
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
        forgetEmpty();
    }
}
