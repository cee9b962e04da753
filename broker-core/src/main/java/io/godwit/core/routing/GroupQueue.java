package io.godwit.core.routing;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Entries that wait, in id order: those that never left in a FIFO, those that came back (mostly all
 * of a member at once, of many members in any order) in a heap.
 */
final class GroupQueue {
    /** An empty FIFO that was longer than this is given up, since its array never shrinks. */
    private static final int KEPT = 64;

    private @Nullable ArrayDeque<GroupEntry> fresh;
    private @Nullable PriorityQueue<GroupEntry> returned;
    private int freshMost;

    boolean isEmpty() {
        return peek() == null;
    }

    @Nullable GroupEntry peek() {
        GroupEntry a = fresh == null ? null : fresh.peekFirst();
        GroupEntry b = returned == null ? null : returned.peek();
        return a == null || b != null && b.id < a.id ? b : a;
    }

    /** Removes what {@link #peek} returned. */
    void remove(GroupEntry head) {
        if (returned != null && returned.peek() == head) {
            returned.poll();
        } else if (fresh != null) {
            fresh.pollFirst();
        }
        trim();
    }

    /** Adds the entry with the highest id. */
    void add(GroupEntry entry) {
        if (fresh == null) {
            fresh = new ArrayDeque<>();
        }
        fresh.addLast(entry);
        freshMost = Math.max(freshMost, fresh.size());
    }

    /** Puts one back to where its id belongs. */
    void putBack(GroupEntry entry) {
        if (returned == null) {
            returned = new PriorityQueue<>(Comparator.comparingLong(e -> e.id));
        }
        returned.add(entry);
    }

    void removeIf(Predicate<GroupEntry> condition) {
        if (fresh != null) {
            fresh.removeIf(condition);
        }
        if (returned != null) {
            returned.removeIf(condition);
        }
        trim();
    }

    void forEach(Consumer<GroupEntry> consumer) {
        if (fresh != null) {
            fresh.forEach(consumer);
        }
        if (returned != null) {
            returned.forEach(consumer);
        }
    }

    private void trim() {
        if (returned != null && returned.isEmpty()) {
            returned = null;
        }
        if (fresh != null && fresh.isEmpty() && freshMost > KEPT) {
            fresh = null;
            freshMost = 0;
        }
    }
}
