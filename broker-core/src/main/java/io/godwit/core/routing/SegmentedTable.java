package io.godwit.core.routing;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A large table of nodes in 256 segments, so that growing it to a million entries never keeps the
 * writer for more than a segment's copy. One writer, any number of readers, as {@link NodeTable}.
 */
final class SegmentedTable<N extends KeyedNode> {
    private static final VarHandle SEGMENT = MethodHandles.arrayElementVarHandle(NodeTable[].class);
    static final int SEGMENTS = 256;
    private static final int SHIFT = 24;

    private final @Nullable NodeTable<?>[] segments = new NodeTable<?>[SEGMENTS];

    /** Writer only. */
    private int size;

    /** Any thread. */
    @Nullable N find(byte[] bytes, int hash) {
        NodeTable<N> segment = segment(hash >>> SHIFT);
        return segment == null ? null : segment.find(bytes, 0, bytes.length, hash);
    }

    /** Adds a node whose key is not in the table. */
    void put(N node, int hash) {
        int i = hash >>> SHIFT;
        NodeTable<N> segment = segment(i);
        NodeTable<N> now = (segment == null ? NodeTable.<N>empty() : segment).put(node, hash);
        if (now != segment) {
            SEGMENT.setRelease(segments, i, now);
        }
        size++;
    }

    void remove(byte[] bytes, int hash) {
        int i = hash >>> SHIFT;
        NodeTable<N> segment = segment(i);
        if (segment == null) {
            return;
        }
        int before = segment.size();
        NodeTable<N> now = segment.remove(bytes, 0, bytes.length, hash);
        size -= before - now.size();
        if (now.size() == 0) {
            SEGMENT.setRelease(segments, i, null);
        } else if (now != segment) {
            SEGMENT.setRelease(segments, i, now);
        }
    }

    int size() {
        return size;
    }

    /** The nodes of one segment, 0..{@link #SEGMENTS} - 1; writer only. */
    void forEach(int segment, Consumer<N> consumer) {
        NodeTable<N> table = segment(segment);
        if (table != null) {
            table.forEach(consumer);
        }
    }

    @SuppressWarnings("unchecked") // only put() stores, and it takes N
    private @Nullable NodeTable<N> segment(int i) {
        return (NodeTable<N>) SEGMENT.getAcquire(segments, i);
    }
}
