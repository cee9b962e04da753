package io.godwit.core.routing;

import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import org.jspecify.annotations.Nullable;

/**
 * All filters of the node and who has subscribed to them. Filters without a wildcard are found by
 * one hash look-up, the others in a trie.
 *
 * <p><i>Concurrency.</i> One writer: the thread that owns the index calls everything that changes
 * it. Any thread reads, without a lock and without a copy: {@link #version}, {@link #route}, the
 * counts, and {@link #matcher} for a matcher of its own. Nodes are published by release and read by
 * acquire; an entry never moves under a reader. The version grows after each change became visible,
 * so that a route made at a version has at least all changes up to it.
 *
 * <p><i>Memory.</i> A filter without a wildcard and with one subscriber costs 24 bytes for its node
 * and 12 to 32 in the table, besides the {@link Subscription} and the filter's bytes, which the
 * node shares with it.
 */
public final class TopicIndex {
    private final SegmentedTable<FilterNode> exact = new SegmentedTable<>();
    private final WildcardTrie wildcards = new WildcardTrie();

    private volatile long version;
    private volatile int subscriptions;
    private volatile int filters;
    private volatile int groups;

    /**
     * Adds a subscription that is not shared. Owner thread.
     *
     * @return the one that it replaces: same session, same filter
     */
    public @Nullable Subscription add(Subscription s) {
        if (s.filter.isShared()) {
            throw new IllegalArgumentException("a shared subscription goes through its group");
        }
        s.addedAt = version + 1;
        Subscription replaced = findOrCreate(s.filter).put(s);
        if (replaced == null) {
            subscriptions++;
        }
        version++;
        return replaced;
    }

    /**
     * Removes a session's subscription. Owner thread.
     *
     * @return what was removed; null when there was none
     */
    public @Nullable Subscription remove(TopicFilter filter, SessionRef session) {
        FilterNode node = filter.isShared() ? null : find(filter);
        Subscription removed = node == null ? null : node.remove(session);
        if (node == null || removed == null) {
            return null;
        }
        subscriptions--;
        prune(filter, node);
        version++;
        return removed;
    }

    /**
     * Adds a shared-subscription group. Owner thread.
     *
     * @return false when it is there already
     */
    public boolean addGroup(SharedGroupRef group) {
        FilterNode node = findOrCreate(group.filter().matchFilter());
        if (node.hasGroup(group)) {
            return false;
        }
        node.addGroup(group);
        groups++;
        version++;
        return true;
    }

    /** Owner thread; false when it is not there. */
    public boolean removeGroup(SharedGroupRef group) {
        TopicFilter filter = group.filter().matchFilter();
        FilterNode node = find(filter);
        if (node == null || !node.hasGroup(group)) {
            return false;
        }
        node.removeGroup(group);
        groups--;
        prune(filter, node);
        version++;
        return true;
    }

    /** Grows with each change, after it became visible. Any thread. */
    public long version() {
        return version;
    }

    /**
     * Whom a topic goes to. Any thread; who asks often keeps a {@link #matcher}, which allocates
     * less.
     */
    public Route route(Topic topic) {
        return matcher().route(topic);
    }

    /** A matcher for one reading thread. */
    public TopicMatcher matcher() {
        return new TopicMatcher(this);
    }

    /** Subscriptions, shared ones not counted. Any thread. */
    public int size() {
        return subscriptions;
    }

    /** Distinct filters, those of shared subscriptions included. Any thread. */
    public int filters() {
        return filters;
    }

    /** Shared-subscription groups. Any thread. */
    public int groups() {
        return groups;
    }

    SegmentedTable<FilterNode> exact() {
        return exact;
    }

    WildcardTrie wildcards() {
        return wildcards;
    }

    private @Nullable FilterNode find(TopicFilter filter) {
        return filter.hasWildcard()
                ? wildcards.find(filter.bytes())
                : exact.find(filter.bytes(), filter.hashCode());
    }

    private FilterNode findOrCreate(TopicFilter filter) {
        FilterNode node = find(filter);
        if (node != null) {
            return node;
        }
        filters++;
        if (filter.hasWildcard()) {
            return wildcards.create(filter.bytes());
        }
        node = new FilterNode(filter.bytes());
        exact.put(node, filter.hashCode());
        return node;
    }

    private void prune(TopicFilter filter, FilterNode node) {
        if (!node.isEmpty()) {
            return;
        }
        filters--;
        if (filter.hasWildcard()) {
            wildcards.remove(filter.bytes());
        } else {
            exact.remove(filter.bytes(), filter.hashCode());
        }
    }
}
