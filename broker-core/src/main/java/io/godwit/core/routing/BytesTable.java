package io.godwit.core.routing;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Open-addressing hash table from UTF-8 bytes to values: one writer, any number of readers.
 *
 * <p><i>Concurrency.</i> A slot is a tag (the hash, 0 = never used), a key and a value. A slot
 * keeps its key for as long as the table lives: a removal clears the value only, so a reader never
 * pairs one key with another's value, and nothing moves under it. Value, then key are published by
 * release; a reader that has seen the index version of a change sees the change. A table that is
 * too full, or too empty, is not changed any more: {@link #put} and {@link #remove} then return a
 * new one, which the caller publishes.
 *
 * <p><i>Memory.</i> 12 bytes per slot, 1.5 to 4 slots per key. A look-up misses the cache twice in
 * a row at most: tag, key and value of a slot are loaded side by side, then the key's bytes.
 */
final class BytesTable<V> {
    private static final VarHandle ENTRY = MethodHandles.arrayElementVarHandle(Object[].class);
    private static final int SLOTS_MIN = 4;

    private final int[] tags;

    /** The key and the value of each slot in turn, so that one cache line has both. */
    private final @Nullable Object[] entries;

    /** How many slots have a key; writer only. */
    private int used;

    /** How many slots have a value; writer only. */
    private int live;

    private BytesTable(int slots) {
        tags = new int[slots];
        entries = new Object[slots * 2];
    }

    static <V> BytesTable<V> empty() {
        return new BytesTable<>(SLOTS_MIN);
    }

    /** Finds the value of a key; any thread. */
    @Nullable V find(byte[] bytes, int hash) {
        int i = slot(bytes, tag(hash));
        return i < 0 ? null : value(i);
    }

    /**
     * Adds a key, or gives it another value; the bytes take the place of the equal ones.
     *
     * @return this, or the table that takes its place
     */
    BytesTable<V> put(byte[] key, int hash, V value) {
        int i = slot(key, tag(hash));
        if (i >= 0) {
            live += entries[2 * i + 1] == null ? 1 : 0;
            ENTRY.setRelease(entries, 2 * i + 1, value);
            ENTRY.setRelease(entries, 2 * i, key);
            return this;
        }
        if ((used + 1) * 3 > tags.length * 2) {
            BytesTable<V> larger = copy(live + 1);
            larger.insert(key, tag(hash), value);
            return larger;
        }
        insert(key, tag(hash), value);
        return this;
    }

    /**
     * Removes a key, if it is there.
     *
     * @return this, or the table that takes its place
     */
    BytesTable<V> remove(byte[] key, int hash) {
        int i = slot(key, tag(hash));
        if (i < 0 || entries[2 * i + 1] == null) {
            return this;
        }
        ENTRY.setRelease(entries, 2 * i + 1, null);
        live--;
        return tags.length > 64 && live * 8 < tags.length ? copy(live) : this;
    }

    /** How many keys have a value; writer only. */
    int size() {
        return live;
    }

    private int slot(byte[] bytes, int tag) {
        int mask = tags.length - 1;
        for (int i = tag & mask; tags[i] != 0; i = i + 1 & mask) {
            if (tags[i] == tag) {
                byte[] key = (byte[]) ENTRY.getAcquire(entries, 2 * i);
                if (key != null && Arrays.equals(key, bytes)) {
                    return i;
                }
            }
        }
        return -1;
    }

    private void insert(byte[] key, int tag, Object value) {
        int mask = tags.length - 1;
        int i = tag & mask;
        while (tags[i] != 0) {
            i = i + 1 & mask;
        }
        ENTRY.setRelease(entries, 2 * i + 1, value);
        ENTRY.setRelease(entries, 2 * i, key);
        tags[i] = tag;
        used++;
        live++;
    }

    private BytesTable<V> copy(int expected) {
        int slots = SLOTS_MIN;
        while (slots < expected * 2) {
            slots *= 2;
        }
        BytesTable<V> copy = new BytesTable<>(slots);
        for (int i = 0; i < tags.length; i++) {
            byte[] key = (byte[]) entries[2 * i];
            Object value = entries[2 * i + 1];
            if (key != null && value != null) {
                copy.insert(key, tags[i], value);
            }
        }
        return copy;
    }

    @SuppressWarnings("unchecked") // only put() stores, and it takes V
    private @Nullable V value(int i) {
        return (V) ENTRY.getAcquire(entries, 2 * i + 1);
    }

    private static int tag(int hash) {
        return hash == 0 ? 1 : hash;
    }
}
