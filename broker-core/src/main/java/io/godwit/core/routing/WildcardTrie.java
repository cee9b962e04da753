package io.godwit.core.routing;

import org.jspecify.annotations.Nullable;

/**
 * The filters that have a wildcard, level by level. Changed by the index's writer only; readers
 * walk from {@link #root()}. A branch without filters is cut off.
 */
final class WildcardTrie<E> {
    private final Levels levels;
    private final TrieNode<E> root = new TrieNode<>();

    WildcardTrie(Levels levels) {
        this.levels = levels;
    }

    Levels levels() {
        return levels;
    }

    TrieNode<E> root() {
        return root;
    }

    boolean isEmpty() {
        return root.isEmpty();
    }

    @Nullable E find(byte[] filter) {
        TrieNode<E> node = root;
        for (int from = 0; from <= filter.length; ) {
            int to = Levels.end(filter, from);
            if (isLevel(filter, from, to, '#')) {
                return node.multi();
            }
            TrieNode<E> next = next(node, filter, from, to);
            if (next == null) {
                return null;
            }
            node = next;
            from = to + 1;
        }
        return node.filter();
    }

    void put(byte[] filter, E entry) {
        TrieNode<E> node = root;
        for (int from = 0; from <= filter.length; ) {
            int to = Levels.end(filter, from);
            if (isLevel(filter, from, to, '#')) {
                node.multi(entry);
                return;
            }
            TrieNode<E> next = next(node, filter, from, to);
            node = next == null ? create(node, filter, from, to) : next;
            from = to + 1;
        }
        node.filter(entry);
    }

    /** Removes what stands at a filter, and the branch that it alone kept. */
    void remove(byte[] filter) {
        // where to cut: the last node on the way that something else keeps, and its level
        TrieNode<E> keeper = root;
        int cutFrom = 0;
        TrieNode<E> node = root;
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
            TrieNode<E> next = next(node, filter, from, to);
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
                keeper.removeChild(filter, cutFrom, to, levels.number(filter, cutFrom, to));
            }
        }
    }

    private @Nullable TrieNode<E> next(TrieNode<E> node, byte[] filter, int from, int to) {
        return isLevel(filter, from, to, '+')
                ? node.plus()
                : node.child(filter, from, to, levels.number(filter, from, to));
    }

    private TrieNode<E> create(TrieNode<E> parent, byte[] filter, int from, int to) {
        TrieNode<E> child;
        if (isLevel(filter, from, to, '+')) {
            child = new TrieNode<>();
            parent.plus(child);
        } else {
            child = new TrieNode<>(filter, from, to, levels.number(filter, from, to));
            parent.addChild(child);
        }
        return child;
    }

    private static boolean isLevel(byte[] filter, int from, int to, char wildcard) {
        return to == from + 1 && filter[from] == wildcard;
    }
}
