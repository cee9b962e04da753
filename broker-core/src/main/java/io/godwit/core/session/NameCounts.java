package io.godwit.core.session;

import io.godwit.core.packet.KeyedHash;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * How often each name occurs, up to a bound: a table of immutable lists, of which a change replaces
 * one by compare-and-set. Any thread.
 */
final class NameCounts {
    private static final int SLOTS = 1 << 14;

    private final KeyedHash hash;
    private final AtomicReferenceArray<@Nullable Entry> slots;

    private record Entry(String name, int count, @Nullable Entry next) {}

    NameCounts(KeyedHash hash) {
        this.hash = hash;
        this.slots = new AtomicReferenceArray<>(SLOTS);
    }

    /**
     * Counts one more.
     *
     * @param name null is not counted
     * @param max how many there may be of it
     * @return false when there are as many
     */
    boolean add(@Nullable String name, int max) {
        return name == null || change(name, 1, max);
    }

    /** Counts one less. */
    void remove(@Nullable String name) {
        if (name != null) {
            change(name, -1, Integer.MAX_VALUE);
        }
    }

    private boolean change(String name, int by, int max) {
        int slot = hash.hash(name.getBytes(StandardCharsets.UTF_8)) & SLOTS - 1;
        while (true) {
            Entry list = slots.get(slot);
            int count = count(list, name) + by;
            if (count > max) {
                return false;
            }
            Entry rest = without(list, name);
            Entry changed = count == 0 ? rest : new Entry(name, count, rest);
            if (slots.compareAndSet(slot, list, changed)) {
                return true;
            }
        }
    }

    private static int count(@Nullable Entry list, String name) {
        for (Entry each = list; each != null; each = each.next()) {
            if (each.name().equals(name)) {
                return each.count();
            }
        }
        return 0;
    }

    private static @Nullable Entry without(@Nullable Entry list, String name) {
        Entry rest = null;
        for (Entry each = list; each != null; each = each.next()) {
            if (!each.name().equals(name)) {
                rest = new Entry(each.name(), each.count(), rest);
            }
        }
        return rest;
    }
}
