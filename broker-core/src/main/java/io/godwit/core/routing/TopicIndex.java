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
 * <p><i>Memory.</i> A filter without a wildcard and with one subscriber costs 18 to 48 bytes in the
 * table besides the {@link Subscription} and the filter's bytes, which the table shares with it.
 */
public final class TopicIndex {
    /** Index of the shard whose thread owns it, and the retained store with it. */
    public static final int OWNER = 0;

    private final SegmentedTable<FilterEntry> exact = new SegmentedTable<>();
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
        FilterEntry entry = find(s.filter);
        Subscription replaced = FilterNode.find(entry, s.session);
        replace(s.filter, entry, FilterNode.with(entry, s));
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
        FilterEntry entry = filter.isShared() ? null : find(filter);
        Subscription removed = FilterNode.find(entry, session);
        if (entry == null || removed == null) {
            return null;
        }
        replace(filter, entry, FilterNode.without(entry, removed));
        subscriptions--;
        version++;
        return removed;
    }

    /**
     * Adds a shared-subscription group. Owner thread.
     *
     * @return false when it is there already
     */
    public boolean addGroup(SharedGroupRef group) {
        TopicFilter filter = group.filter().matchFilter();
        FilterEntry entry = find(filter);
        if (FilterNode.hasGroup(entry, group)) {
            return false;
        }
        replace(filter, entry, FilterNode.withGroup(entry, group));
        groups++;
        version++;
        return true;
    }

    /** Owner thread; false when it is not there. */
    public boolean removeGroup(SharedGroupRef group) {
        TopicFilter filter = group.filter().matchFilter();
        FilterEntry entry = find(filter);
        if (entry == null || !FilterNode.hasGroup(entry, group)) {
            return false;
        }
        replace(filter, entry, FilterNode.withoutGroup(entry, group));
        groups--;
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

    SegmentedTable<FilterEntry> exact() {
        return exact;
    }

    WildcardTrie wildcards() {
        return wildcards;
    }

    private @Nullable FilterEntry find(TopicFilter filter) {
        return filter.hasWildcard()
                ? wildcards.find(filter.bytes())
                : exact.find(filter.bytes(), filter.hashCode());
    }

    private void replace(
            TopicFilter filter, @Nullable FilterEntry before, @Nullable FilterEntry after) {
        if (after == before) {
            return;
        }
        byte[] bytes = filter.bytes();
        if (after == null) {
            filters--;
            if (filter.hasWildcard()) {
                wildcards.remove(bytes);
            } else {
                exact.remove(bytes, filter.hashCode());
            }
            return;
        }
        filters += before == null ? 1 : 0;
        if (filter.hasWildcard()) {
            wildcards.put(bytes, after);
        } else {
            exact.put(bytes, filter.hashCode(), after);
        }
    }
}
