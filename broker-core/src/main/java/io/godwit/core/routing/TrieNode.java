package io.godwit.core.routing;

import org.jspecify.annotations.Nullable;

/**
 * One level of the filters that have a wildcard. Changed by the index's writer only, read by
 * anyone; 40 bytes and its level's bytes.
 */
final class TrieNode extends KeyedNode {
    private final int hash;

    /** Null, a {@link TrieNode} when it is the only one, or a {@link NodeTable}. */
    private volatile @Nullable Object children;

    /** The child for {@code +}. */
    private volatile @Nullable TrieNode plus;

    /** The filter that ends here. */
    private volatile @Nullable FilterNode filter;

    /** The filter that ends here with {@code /#}. */
    private volatile @Nullable FilterNode multi;

    /**
     * @param level its bytes, an own copy; empty for the root, for {@code +} and for an empty level
     * @param hash of the level
     */
    TrieNode(byte[] level, int hash) {
        super(level);
        this.hash = hash;
    }

    @Nullable TrieNode child(byte[] bytes, int from, int to, int levelHash) {
        Object held = children;
        if (held == null) {
            return null;
        }
        if (held instanceof TrieNode only) {
            return only.hash == levelHash && only.hasKey(bytes, from, to) ? only : null;
        }
        return table(held).find(bytes, from, to, levelHash);
    }

    boolean hasChildren() {
        return children != null;
    }

    @Nullable TrieNode plus() {
        return plus;
    }

    void plus(@Nullable TrieNode node) {
        plus = node;
    }

    @Nullable FilterNode filter() {
        return filter;
    }

    void filter(@Nullable FilterNode node) {
        filter = node;
    }

    @Nullable FilterNode multi() {
        return multi;
    }

    void multi(@Nullable FilterNode node) {
        multi = node;
    }

    void addChild(TrieNode child) {
        Object held = children;
        if (held == null) {
            children = child;
        } else if (held instanceof TrieNode only) {
            children = NodeTable.<TrieNode>empty().put(only, only.hash).put(child, child.hash);
        } else {
            NodeTable<TrieNode> table = table(held);
            NodeTable<TrieNode> now = table.put(child, child.hash);
            if (now != table) {
                children = now;
            }
        }
    }

    void removeChild(TrieNode child) {
        Object held = children;
        if (held == child) {
            children = null;
        } else if (held != null && !(held instanceof TrieNode)) {
            NodeTable<TrieNode> table = table(held);
            NodeTable<TrieNode> now = table.remove(child.key, 0, child.key.length, child.hash);
            if (now.size() == 0) {
                children = null;
            } else if (now != table) {
                children = now;
            }
        }
    }

    boolean isEmpty() {
        return filter == null && multi == null && plus == null && children == null;
    }

    @SuppressWarnings("unchecked") // what is no TrieNode was stored by addChild
    private static NodeTable<TrieNode> table(Object held) {
        return (NodeTable<TrieNode>) held;
    }
}
