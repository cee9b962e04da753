package io.godwit.core.routing;

import io.godwit.core.packet.Topic;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Finds what stands at the filters that a topic matches, for one reading thread: {@link
 * FilterIndex} with the scratch space that a walk needs, so that a match allocates nothing. Not to
 * be shared between threads.
 *
 * <p>The trie is walked level by level, all branches that still match side by side: their nodes are
 * read independently of each other, so that the cache misses of one level overlap.
 *
 * <p>The scratch space may keep nodes and entries of the last match alive, some per shard.
 */
final class FilterMatcher<E> {
    private final SegmentedTable<E> exact;
    private final TrieNode<E> root;
    private final Levels levels;

    /** The nodes up to which all levels so far have matched. */
    private TrieNode<E>[] branches = TrieNode.array(16);

    private TrieNode<E>[] next = TrieNode.array(16);
    private @Nullable Object[] matched = new Object[16];
    private int matches;

    FilterMatcher(FilterIndex<E> index) {
        exact = index.exact();
        root = index.wildcards().root();
        levels = index.wildcards().levels();
    }

    /** Returns how many filters match: {@link #matched} has what stands at the first so many. */
    int match(Topic topic) {
        matches = 0;
        E only = exact.find(topic.bytes());
        if (only != null) {
            add(only);
        }
        if (!root.isEmpty()) {
            walk(topic);
        }
        return matches;
    }

    /** The entries of the filters that match, each an E; valid until the next match. */
    @Nullable Object[] matched() {
        return matched;
    }

    private void walk(Topic topic) {
        byte[] bytes = topic.bytes();
        branches[0] = root;
        int count = 1;
        // [MQTT-4.7.2-1] a filter that begins with a wildcard does not match $-topics
        boolean wildcards = !topic.isSystem();
        for (int from = 0; from <= bytes.length && count > 0; wildcards = true) {
            int to = Levels.end(bytes, from);
            count = step(bytes, from, to, count, wildcards);
            from = to + 1;
        }
        for (int i = 0; i < count; i++) {
            addMulti(branches[i]);
            E filter = branches[i].filter();
            if (filter != null) {
                add(filter);
            }
        }
    }

    /** Takes all branches one level deeper; returns how many there are then. */
    private int step(byte[] bytes, int from, int to, int count, boolean wildcards) {
        if (next.length < count * 2) {
            next = TrieNode.array(count * 4);
        }
        long number = levels.number(bytes, from, to);
        int n = 0;
        for (int i = 0; i < count; i++) {
            TrieNode<E> node = branches[i];
            TrieNode<E> child = node.child(bytes, from, to, number);
            if (child != null) {
                next[n++] = child;
            }
            if (wildcards) {
                addMulti(node);
                TrieNode<E> plus = node.plus();
                if (plus != null) {
                    next[n++] = plus;
                }
            }
        }
        TrieNode<E>[] done = branches;
        branches = next;
        next = done;
        return n;
    }

    private void addMulti(TrieNode<E> node) {
        E multi = node.multi();
        if (multi != null) {
            add(multi);
        }
    }

    private void add(E entry) {
        if (matches == matched.length) {
            matched = Arrays.copyOf(matched, matches * 2);
        }
        matched[matches++] = entry;
    }
}
