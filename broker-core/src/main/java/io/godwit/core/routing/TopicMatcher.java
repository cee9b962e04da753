package io.godwit.core.routing;

import io.godwit.core.packet.Topic;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Finds routes for one reading thread: {@link TopicIndex} with the scratch space that a walk needs,
 * so that a match allocates nothing but its route. Not to be shared between threads.
 */
public final class TopicMatcher {
    private final TopicIndex index;
    private final RouteMerger merger = new RouteMerger();

    /** The topic under way. */
    private byte[] topic = new byte[0];

    /** Ends and hashes of its first {@link #known} levels. */
    private int[] ends = new int[16];

    private int[] hashes = new int[16];
    private int known;

    /** Branches still to walk: the node and how many levels lie before it. */
    private @Nullable TrieNode[] branches = new TrieNode[16];

    private int[] depths = new int[16];
    private int waiting;

    TopicMatcher(TopicIndex index) {
        this.index = index;
    }

    /**
     * Whom the topic goes to. Read it again when {@link TopicIndex#version} is not the route's any
     * more.
     */
    public Route route(Topic topic) {
        long version = index.version(); // before the walk: the route may know more, never less
        FilterNode exact = index.exact().find(topic.bytes(), topic.hashCode());
        if (exact != null) {
            merger.add(exact);
        }
        TrieNode root = index.wildcards().root();
        if (!root.isEmpty()) {
            walk(root, topic);
        }
        return merger.route(version);
    }

    private void walk(TrieNode root, Topic of) {
        topic = of.bytes();
        known = 0;
        // [MQTT-4.7.2-1] a filter that begins with a wildcard does not match $-topics
        boolean hidden = of.isSystem();
        TrieNode node = root;
        int depth = 0;
        while (true) {
            TrieNode next = step(node, depth, hidden && depth == 0);
            if (next != null) {
                node = next;
                depth++;
            } else if (waiting > 0) {
                waiting--;
                node = branch(waiting);
                depth = depths[waiting];
            } else {
                break;
            }
        }
    }

    /** Takes what matches at a node; returns where to go on, null at the end of a branch. */
    private @Nullable TrieNode step(TrieNode node, int depth, boolean noWildcards) {
        FilterNode multi = node.multi();
        if (multi != null && !noWildcards) {
            merger.add(multi);
        }
        int from = depth == 0 ? 0 : ends[depth - 1] + 1;
        if (from > topic.length) {
            FilterNode end = node.filter();
            if (end != null) {
                merger.add(end);
            }
            return null;
        }
        if (depth == known) {
            readLevel(from);
        }
        TrieNode plus = noWildcards ? null : node.plus();
        TrieNode child = node.child(topic, from, ends[depth], hashes[depth]);
        if (child == null) {
            return plus;
        }
        if (plus != null) {
            push(plus, depth + 1);
        }
        return child;
    }

    private void readLevel(int from) {
        if (known == ends.length) {
            ends = Arrays.copyOf(ends, known * 2);
            hashes = Arrays.copyOf(hashes, known * 2);
        }
        int to = WildcardTrie.levelEnd(topic, from);
        ends[known] = to;
        hashes[known] = WildcardTrie.levelHash(topic, from, to);
        known++;
    }

    private void push(TrieNode node, int depth) {
        if (waiting == branches.length) {
            branches = Arrays.copyOf(branches, waiting * 2);
            depths = Arrays.copyOf(depths, waiting * 2);
        }
        branches[waiting] = node;
        depths[waiting] = depth;
        waiting++;
    }

    @SuppressWarnings("NullAway") // set by push
    private TrieNode branch(int i) {
        TrieNode node = branches[i];
        branches[i] = null;
        return node;
    }
}
