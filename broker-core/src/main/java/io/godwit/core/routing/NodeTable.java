package io.godwit.core.routing;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Open-addressing hash table of nodes by their bytes: one writer, any number of readers.
 *
 * <p><i>Concurrency.</i> A slot is a tag (the hash, 0 = never used) and a node. A node is published
 * by a release after its tag was written; a removal clears the node and leaves the tag, so that no
 * entry ever moves under a reader. A table that is too full, or too empty, is not changed any more:
 * {@link #put} and {@link #remove} then return a new one, which the caller publishes. The tag is
 * only a hint, the key decides; a reader that has seen the index version of a change sees the
 * change.
 *
 * <p><i>Memory.</i> 8 bytes per slot, 1.5 to 4 slots per node. A look-up that fails reads tags
 * only.
 */
final class NodeTable<N extends KeyedNode> {
    private static final VarHandle NODE = MethodHandles.arrayElementVarHandle(KeyedNode[].class);
    private static final int SLOTS_MIN = 4;

    private final int[] tags;
    private final @Nullable KeyedNode[] nodes;

    /** Slots whose tag is set; writer only. */
    private int used;

    /** Slots with a node; writer only. */
    private int live;

    private NodeTable(int slots) {
        tags = new int[slots];
        nodes = new KeyedNode[slots];
    }

    static <N extends KeyedNode> NodeTable<N> empty() {
        return new NodeTable<>(SLOTS_MIN);
    }

    /** Any thread. */
    @Nullable N find(byte[] bytes, int from, int to, int hash) {
        int i = slot(bytes, from, to, hash);
        return i < 0 ? null : node(i);
    }

    /**
     * Adds a node whose key is not in the table.
     *
     * @return this, or the table that takes its place
     */
    NodeTable<N> put(N node, int hash) {
        if ((used + 1) * 3 > tags.length * 2) {
            NodeTable<N> bigger = copy(live + 1);
            bigger.insert(node, tag(hash));
            return bigger;
        }
        insert(node, tag(hash));
        return this;
    }

    /**
     * Removes the node with the key, if there is one.
     *
     * @return this, or the table that takes its place
     */
    NodeTable<N> remove(byte[] bytes, int from, int to, int hash) {
        int i = slot(bytes, from, to, hash);
        if (i < 0) {
            return this;
        }
        NODE.setRelease(nodes, i, null);
        live--;
        return tags.length > 64 && live * 8 < tags.length ? copy(live) : this;
    }

    /** Nodes; writer only. */
    int size() {
        return live;
    }

    /** Writer only. */
    void forEach(Consumer<N> consumer) {
        for (int i = 0; i < nodes.length; i++) {
            N node = node(i);
            if (node != null) {
                consumer.accept(node);
            }
        }
    }

    private int slot(byte[] bytes, int from, int to, int hash) {
        int tag = tag(hash);
        int mask = tags.length - 1;
        for (int i = tag & mask; tags[i] != 0; i = i + 1 & mask) {
            if (tags[i] == tag) {
                N node = node(i);
                if (node != null && node.hasKey(bytes, from, to)) {
                    return i;
                }
            }
        }
        return -1;
    }

    private void insert(N node, int tag) {
        int mask = tags.length - 1;
        int i = tag & mask;
        while (nodes[i] != null) {
            i = i + 1 & mask;
        }
        if (tags[i] == 0) {
            used++;
        }
        tags[i] = tag;
        NODE.setRelease(nodes, i, node);
        live++;
    }

    private NodeTable<N> copy(int expected) {
        int slots = SLOTS_MIN;
        while (slots < expected * 2) {
            slots *= 2;
        }
        NodeTable<N> copy = new NodeTable<>(slots);
        for (int i = 0; i < nodes.length; i++) {
            N node = node(i);
            if (node != null) {
                copy.insert(node, tags[i]);
            }
        }
        return copy;
    }

    @SuppressWarnings("unchecked") // only put() stores, and it takes N
    private @Nullable N node(int i) {
        return (N) NODE.getAcquire(nodes, i);
    }

    private static int tag(int hash) {
        return hash == 0 ? 1 : hash;
    }
}
