package io.godwit.core.routing;

import io.godwit.core.packet.KeyedHash;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A large {@link BytesTable} in 256 segments, so that growing it to a million keys never keeps the
 * writer for more than a segment's copy. One writer, any number of readers.
 */
final class SegmentedTable<V> {
    private static final VarHandle SEGMENT =
            MethodHandles.arrayElementVarHandle(BytesTable[].class);
    private static final int SEGMENTS = 256;
    private static final int SHIFT = 24;

    private final KeyedHash keyed;
    private final @Nullable BytesTable<?>[] segments = new BytesTable<?>[SEGMENTS];

    /** How many keys have a value; writer only. */
    private int size;

    /**
     * @param hash of the keys, which strangers choose
     */
    SegmentedTable(KeyedHash hash) {
        this.keyed = hash;
    }

    /** Finds the value of a key; any thread. */
    @Nullable V find(byte[] bytes) {
        int hash = keyed.hash(bytes);
        BytesTable<V> segment = segment(hash >>> SHIFT);
        return segment == null ? null : segment.find(bytes, hash);
    }

    /** Adds a key, or gives it another value; the bytes take the place of the equal ones. */
    void put(byte[] key, V value) {
        int hash = keyed.hash(key);
        int i = hash >>> SHIFT;
        BytesTable<V> held = segment(i);
        BytesTable<V> segment = held == null ? BytesTable.empty() : held;
        int before = segment.size();
        BytesTable<V> now = segment.put(key, hash, value);
        size += now.size() - before;
        if (now != held) {
            SEGMENT.setRelease(segments, i, now);
        }
    }

    void remove(byte[] key) {
        int hash = keyed.hash(key);
        int i = hash >>> SHIFT;
        BytesTable<V> segment = segment(i);
        if (segment == null) {
            return;
        }
        int before = segment.size();
        BytesTable<V> now = segment.remove(key, hash);
        size += now.size() - before;
        if (now.size() == 0) {
            SEGMENT.setRelease(segments, i, null);
        } else if (now != segment) {
            SEGMENT.setRelease(segments, i, now);
        }
    }

    /** How many keys have a value; writer only. */
    int size() {
        return size;
    }

    @SuppressWarnings("unchecked") // only put() stores, and it takes V
    private @Nullable BytesTable<V> segment(int i) {
        return (BytesTable<V>) SEGMENT.getAcquire(segments, i);
    }
}
