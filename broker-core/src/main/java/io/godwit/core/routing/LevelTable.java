package io.godwit.core.routing;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Open-addressing hash table of a trie node's children by level: one writer, any number of readers,
 * as {@link BytesTable}. Here the node carries the key, so a slot may be used again; a node is
 * published by release after its tag, and the tag is only a hint.
 *
 * <p><i>Memory.</i> 8 bytes per slot, 1.5 to 4 slots per node. A look-up that fails reads tags
 * only.
 */
final class LevelTable {
    private static final VarHandle NODE = MethodHandles.arrayElementVarHandle(TrieNode[].class);
    private static final int SLOTS_MIN = 4;

    private final int[] tags;
    private final @Nullable TrieNode[] nodes;

    /** Slots whose tag is set; writer only. */
    private int used;

    /** Slots with a node; writer only. */
    private int live;

    private LevelTable(int slots) {
        tags = new int[slots];
        nodes = new TrieNode[slots];
    }

    static LevelTable empty() {
        return new LevelTable(SLOTS_MIN);
    }

    /** Any thread. */
    @Nullable TrieNode find(byte[] bytes, int from, int to, long number) {
        int i = slot(bytes, from, to, number);
        return i < 0 ? null : node(i);
    }

    /**
     * Adds a node whose level is not in the table.
     *
     * @return this, or the table that takes its place
     */
    LevelTable put(TrieNode node) {
        if ((used + 1) * 3 > tags.length * 2) {
            LevelTable larger = copy(live + 1);
            larger.insert(node, tag(node.number()));
            return larger;
        }
        insert(node, tag(node.number()));
        return this;
    }

    /**
     * Removes the node of a level, if there is one.
     *
     * @return this, or the table that takes its place
     */
    LevelTable remove(byte[] bytes, int from, int to, long number) {
        int i = slot(bytes, from, to, number);
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

    private int slot(byte[] bytes, int from, int to, long number) {
        int tag = tag(number);
        int mask = tags.length - 1;
        for (int i = tag & mask; tags[i] != 0; i = i + 1 & mask) {
            if (tags[i] == tag) {
                TrieNode node = node(i);
                if (node != null && node.isLevel(bytes, from, to, number)) {
                    return i;
                }
            }
        }
        return -1;
    }

    private void insert(TrieNode node, int tag) {
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

    private LevelTable copy(int expected) {
        int slots = SLOTS_MIN;
        while (slots < expected * 2) {
            slots *= 2;
        }
        LevelTable copy = new LevelTable(slots);
        for (TrieNode node : nodes) {
            if (node != null) {
                copy.insert(node, tag(node.number()));
            }
        }
        return copy;
    }

    private @Nullable TrieNode node(int i) {
        return (TrieNode) NODE.getAcquire(nodes, i);
    }

    private static int tag(long number) {
        int hash = Levels.hash(number);
        return hash == 0 ? 1 : hash;
    }
}
