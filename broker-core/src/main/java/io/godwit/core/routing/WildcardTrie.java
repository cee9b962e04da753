package io.godwit.core.routing;

import org.jspecify.annotations.Nullable;

/**
 * The filters that have a wildcard, level by level. Changed by the index's writer only; readers
 * walk from {@link #root()}. A branch without filters is cut off.
 */
final class WildcardTrie {
    private final TrieNode root = new TrieNode();

    TrieNode root() {
        return root;
    }

    boolean isEmpty() {
        return root.isEmpty();
    }

    @Nullable FilterEntry find(byte[] filter) {
        TrieNode node = root;
        for (int from = 0; from <= filter.length; ) {
            int to = Levels.end(filter, from);
            if (isLevel(filter, from, to, '#')) {
                return node.multi();
            }
            TrieNode next = next(node, filter, from, to);
            if (next == null) {
                return null;
            }
            node = next;
            from = to + 1;
        }
        return node.filter();
    }

    void put(byte[] filter, FilterEntry entry) {
        TrieNode node = root;
        for (int from = 0; from <= filter.length; ) {
            int to = Levels.end(filter, from);
            if (isLevel(filter, from, to, '#')) {
                node.multi(entry);
                return;
            }
            TrieNode next = next(node, filter, from, to);
            node = next == null ? create(node, filter, from, to) : next;
            from = to + 1;
        }
        node.filter(entry);
    }

    /** Removes what stands at a filter, and the branch that it alone kept. */
    void remove(byte[] filter) {
        // where to cut: the last node on the way that something else keeps, and its level
        TrieNode keeper = root;
        int cutFrom = 0;
        TrieNode node = root;
        for (int from = 0; from <= filter.length; ) {
            int to = Levels.end(filter, from);
            if (isLevel(filter, from, to, '#')) {
                node.multi(null);
                break;
            }
            if (node == root || node.isFork()) {
                keeper = node;
                cutFrom = from;
            }
            TrieNode next = next(node, filter, from, to);
            if (next == null) {
                return;
            }
            node = next;
            from = to + 1;
            if (from > filter.length) {
                node.filter(null);
            }
        }
        if (node != root && node.isEmpty()) {
            int to = Levels.end(filter, cutFrom);
            if (isLevel(filter, cutFrom, to, '+')) {
                keeper.plus(null);
            } else {
                keeper.removeChild(filter, cutFrom, to);
            }
        }
    }

    private static @Nullable TrieNode next(TrieNode node, byte[] filter, int from, int to) {
        return isLevel(filter, from, to, '+')
                ? node.plus()
                : node.child(filter, from, to, Levels.number(filter, from, to));
    }

    private static TrieNode create(TrieNode parent, byte[] filter, int from, int to) {
        TrieNode child;
        if (isLevel(filter, from, to, '+')) {
            child = new TrieNode();
            parent.plus(child);
        } else {
            child = new TrieNode(filter, from, to);
            parent.addChild(child);
        }
        return child;
    }

    private static boolean isLevel(byte[] filter, int from, int to, char wildcard) {
        return to == from + 1 && filter[from] == wildcard;
    }
}
