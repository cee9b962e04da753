package io.godwit.core.routing;

import io.godwit.core.packet.Utf8;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The filters that have a wildcard, level by level. Changed by the index's writer only; readers
 * walk from {@link #root()}. A branch without filters is cut off.
 */
final class WildcardTrie {
    private static final byte[] NO_LEVEL = new byte[0];

    private final TrieNode root = new TrieNode(NO_LEVEL, 0);

    TrieNode root() {
        return root;
    }

    boolean isEmpty() {
        return root.isEmpty();
    }

    @Nullable FilterNode find(byte[] filter) {
        TrieNode node = root;
        for (int from = 0; from <= filter.length; ) {
            int to = levelEnd(filter, from);
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

    FilterNode create(byte[] filter) {
        TrieNode node = root;
        for (int from = 0; from <= filter.length; ) {
            int to = levelEnd(filter, from);
            if (isLevel(filter, from, to, '#')) {
                FilterNode multi = node.multi();
                if (multi == null) {
                    multi = new FilterNode(filter);
                    node.multi(multi);
                }
                return multi;
            }
            TrieNode next = next(node, filter, from, to);
            if (next == null) {
                next = create(node, filter, from, to);
            }
            node = next;
            from = to + 1;
        }
        FilterNode end = node.filter();
        if (end == null) {
            end = new FilterNode(filter);
            node.filter(end);
        }
        return end;
    }

    /** Removes the node of a filter that {@link #find} finds, and the branch that it alone kept. */
    void remove(byte[] filter) {
        List<TrieNode> path = new ArrayList<>();
        TrieNode node = root;
        boolean multi = false;
        for (int from = 0; from <= filter.length && !multi; ) {
            int to = levelEnd(filter, from);
            multi = isLevel(filter, from, to, '#');
            if (!multi) {
                path.add(node);
                TrieNode next = next(node, filter, from, to);
                if (next == null) {
                    return;
                }
                node = next;
            }
            from = to + 1;
        }
        if (multi) {
            node.multi(null);
        } else {
            node.filter(null);
        }
        for (int i = path.size() - 1; i >= 0 && node.isEmpty(); i--) {
            TrieNode parent = path.get(i);
            if (parent.plus() == node) {
                parent.plus(null);
            } else {
                parent.removeChild(node);
            }
            node = parent;
        }
    }

    /** Where the level that begins at {@code from} ends: at a slash or the end of the bytes. */
    static int levelEnd(byte[] bytes, int from) {
        int i = from;
        while (i < bytes.length && bytes[i] != '/') {
            i++;
        }
        return i;
    }

    static int levelHash(byte[] bytes, int from, int to) {
        return Utf8.hash(bytes, from, to - from);
    }

    private static @Nullable TrieNode next(TrieNode node, byte[] filter, int from, int to) {
        return isLevel(filter, from, to, '+')
                ? node.plus()
                : node.child(filter, from, to, levelHash(filter, from, to));
    }

    private static TrieNode create(TrieNode parent, byte[] filter, int from, int to) {
        if (isLevel(filter, from, to, '+')) {
            TrieNode plus = new TrieNode(NO_LEVEL, 0);
            parent.plus(plus);
            return plus;
        }
        TrieNode child =
                new TrieNode(Arrays.copyOfRange(filter, from, to), levelHash(filter, from, to));
        parent.addChild(child);
        return child;
    }

    private static boolean isLevel(byte[] filter, int from, int to, char wildcard) {
        return to == from + 1 && filter[from] == wildcard;
    }
}
