package io.godwit.core.routing;

import io.godwit.core.packet.Topic;

/**
 * Finds routes for one reading thread: {@link TopicIndex} with the scratch space that a walk needs,
 * so that a match allocates nothing but its route. Not to be shared between threads.
 *
 * <p>The trie is walked level by level, all branches that still match side by side: their nodes are
 * read independently of each other, so that the cache misses of one level overlap.
 *
 * <p>The scratch space may keep nodes and subscriptions of the last match alive, some per shard.
 */
public final class TopicMatcher {
    private final TopicIndex index;
    private final RouteMerger merger = new RouteMerger();

    /** Where all levels so far have matched. */
    private TrieNode[] branches = new TrieNode[16];

    private TrieNode[] next = new TrieNode[16];

    TopicMatcher(TopicIndex index) {
        this.index = index;
    }

    /**
     * Whom the topic goes to. To be asked again when {@link TopicIndex#version} is not the route's
     * any more.
     */
    public Route route(Topic topic) {
        long version = index.version(); // before the walk: the route may know more, never less
        FilterEntry exact = index.exact().find(topic.bytes(), topic.hashCode());
        if (exact != null) {
            merger.add(exact);
        }
        TrieNode root = index.wildcards().root();
        if (!root.isEmpty()) {
            walk(root, topic);
        }
        return merger.route(version);
    }

    private void walk(TrieNode root, Topic topic) {
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
            FilterEntry filter = branches[i].filter();
            if (filter != null) {
                merger.add(filter);
            }
        }
    }

    /** Takes all branches one level deeper; returns how many there are then. */
    private int step(byte[] bytes, int from, int to, int count, boolean wildcards) {
        if (next.length < count * 2) {
            next = new TrieNode[count * 4];
        }
        long number = Levels.number(bytes, from, to);
        int n = 0;
        for (int i = 0; i < count; i++) {
            TrieNode node = branches[i];
            TrieNode child = node.child(bytes, from, to, number);
            if (child != null) {
                next[n++] = child;
            }
            if (wildcards) {
                addMulti(node);
                TrieNode plus = node.plus();
                if (plus != null) {
                    next[n++] = plus;
                }
            }
        }
        TrieNode[] done = branches;
        branches = next;
        next = done;
        return n;
    }

    private void addMulti(TrieNode node) {
        FilterEntry multi = node.multi();
        if (multi != null) {
            merger.add(multi);
        }
    }
}
