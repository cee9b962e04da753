package io.godwit.core.routing;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of a filter that has had more than one, or a group: an array that only grows at its
 * end.
 *
 * <p><i>Concurrency.</i> One writer. A reader takes {@link #entries()} up to {@link #size()} and
 * may keep both: below that size an entry is only ever cleared, or replaced by the same session's
 * newer subscription. A hole is not filled again, since a session that left and came back while a
 * fan-out is under way would be seen twice; holes go when the array is full and a new set is made.
 *
 * <p><i>Memory.</i> 4 bytes per slot; above {@link #INDEXED_FROM} slots another 8 to 16 for the
 * writer's session -> slot table.
 */
final class SubscriberSet {
    private static final VarHandle ENTRY =
            MethodHandles.arrayElementVarHandle(Subscription[].class);
    private static final int SLOTS_MIN = 4;
    private static final int INDEXED_FROM = 16;

    private final @Nullable Subscription[] entries;
    private volatile int size;

    /** Entries that are not null; writer only. */
    private int live;

    /** Open addressing: slot + 1 by the session's hash; writer only; empty when small. */
    private final int[] slots;

    private SubscriberSet(int capacity) {
        entries = new Subscription[capacity];
        slots = capacity < INDEXED_FROM ? new int[0] : new int[tableSize(capacity)];
    }

    static SubscriberSet empty() {
        return new SubscriberSet(SLOTS_MIN);
    }

    /** Any thread: the array itself, not a copy; only the first {@link #size()} count. */
    @Nullable Subscription[] entries() {
        return entries;
    }

    /** Any thread. */
    int size() {
        return size;
    }

    int live() {
        return live;
    }

    boolean isFull() {
        return size == entries.length;
    }

    boolean isSparse() {
        return entries.length > INDEXED_FROM && live * 4 < entries.length;
    }

    /** The live subscriptions in a new set, with room for half as many again. */
    SubscriberSet compacted() {
        SubscriberSet set = new SubscriberSet(Math.max(SLOTS_MIN, live + (live >> 1) + 2));
        int end = size;
        for (int i = 0; i < end; i++) {
            Subscription s = entries[i];
            if (s != null) {
                set.append(s);
            }
        }
        return set;
    }

    /** Adds a session that is not in the set, which is not full. */
    void append(Subscription s) {
        int slot = size;
        s.slot = slot;
        ENTRY.setRelease(entries, slot, s);
        size = slot + 1;
        live++;
        if (slots.length > 0) {
            index(s.session, slot);
        }
    }

    /** Puts a newer subscription of the same session into its place. */
    void replace(Subscription older, Subscription s) {
        s.slot = older.slot;
        ENTRY.setRelease(entries, s.slot, s);
    }

    /** Removes what {@link #find} returned. */
    void remove(Subscription s) {
        if (slots.length > 0) {
            unindex(s);
        }
        ENTRY.setRelease(entries, s.slot, null);
        live--;
    }

    @Nullable Subscription find(SessionRef session) {
        if (slots.length == 0) {
            for (int i = 0; i < size; i++) {
                Subscription s = entries[i];
                if (s != null && s.session.equals(session)) {
                    return s;
                }
            }
            return null;
        }
        int mask = slots.length - 1;
        for (int i = session.hashCode() & mask; slots[i] != 0; i = i + 1 & mask) {
            Subscription s = at(slots[i] - 1);
            if (s.session.equals(session)) {
                return s;
            }
        }
        return null;
    }

    private Subscription at(int slot) {
        return Objects.requireNonNull(entries[slot]);
    }

    private void index(SessionRef session, int slot) {
        int mask = slots.length - 1;
        int i = session.hashCode() & mask;
        while (slots[i] != 0) {
            i = i + 1 & mask;
        }
        slots[i] = slot + 1;
    }

    /** Removes from the table and closes the gap (Knuth 6.4, algorithm R). */
    private void unindex(Subscription s) {
        int mask = slots.length - 1;
        int gap = s.session.hashCode() & mask;
        while (slots[gap] != s.slot + 1) {
            gap = gap + 1 & mask;
        }
        for (int i = gap + 1 & mask; slots[i] != 0; i = i + 1 & mask) {
            int home = at(slots[i] - 1).session.hashCode() & mask;
            if ((i - home & mask) >= (i - gap & mask)) {
                slots[gap] = slots[i];
                gap = i;
            }
        }
        slots[gap] = 0;
    }

    private static int tableSize(int capacity) {
        return Integer.highestOneBit(capacity * 2 - 1) * 2;
    }
}
