package io.godwit.core.routing;

import io.godwit.core.packet.KeyedHash;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import org.jspecify.annotations.Nullable;

/**
 * All filters of the node, and which of its sessions and groups have subscribed to them; and the
 * filters of other nodes, under one version.
 *
 * <p><i>Concurrency.</i> One writer: the thread that owns the index calls everything that changes
 * it. Any thread reads, without a lock and without a copy: {@link #version}, {@link #route}, the
 * counts, and {@link #matcher} for a matcher of its own. An entry never moves under a reader. The
 * version grows after each change became visible, so that a route made at a version has at least
 * all changes up to it.
 *
 * <p><i>Memory.</i> A filter without a wildcard and with one subscriber costs 18 to 48 bytes in the
 * table besides the {@link Subscription} and the filter's bytes, which the table shares with it.
 */
public final class TopicIndex {
    /** Index of the shard whose thread owns it, and the retained store with it. */
    public static final int OWNER = 0;

    private final KeyedHash hash;
    private final FilterIndex<FilterEntry> filters;
    private final NodeFilters nodes;
    private final GroupFilters groupsElsewhere;
    private final FilterListener listener;

    private volatile long version;
    private volatile int subscriptions;
    private volatile int groups;

    /**
     * @param hash for names that strangers choose
     * @param listener told of filters that come and go
     */
    public TopicIndex(KeyedHash hash, FilterListener listener) {
        this.hash = hash;
        this.filters = new FilterIndex<>(hash);
        this.nodes = new NodeFilters(hash);
        this.groupsElsewhere = new GroupFilters(hash);
        this.listener = listener;
    }

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
        s.countsAsDurable = s.isOwedAfterCrash();
        FilterEntry entry = filters.find(s.filter);
        GroupState before = FilterNode.sessionsOf(entry);
        Subscription replaced = FilterNode.find(entry, s.session);
        if (replaced == null) {
            subscriptions++;
        }
        FilterEntry after = FilterNode.with(entry, s);
        replace(s.filter, entry, after);
        sessionsChanged(s.filter, before, FilterNode.sessionsOf(after));
        return replaced;
    }

    /**
     * Removes a session's subscription. Owner thread.
     *
     * @return what was removed; null when there was none
     */
    public @Nullable Subscription remove(TopicFilter filter, SessionRef session) {
        FilterEntry entry = filter.isShared() ? null : filters.find(filter);
        Subscription removed = FilterNode.find(entry, session);
        if (entry == null || removed == null) {
            return null;
        }
        subscriptions--;
        GroupState before = FilterNode.sessionsOf(entry);
        FilterEntry after = FilterNode.without(entry, removed);
        replace(filter, entry, after);
        sessionsChanged(filter, before, FilterNode.sessionsOf(after));
        return removed;
    }

    private void sessionsChanged(TopicFilter filter, GroupState before, GroupState after) {
        if (before != after) {
            listener.onSessions(filter, after);
        }
    }

    /**
     * Adds a shared-subscription group with a durable member. Owner thread.
     *
     * @return false when it is there already
     */
    public boolean addGroup(SharedGroupRef group) {
        return addGroup(group, true);
    }

    /**
     * Adds a shared-subscription group. Owner thread.
     *
     * @param durable whether its first member is
     * @return false when it is there already
     */
    public boolean addGroup(SharedGroupRef group, boolean durable) {
        TopicFilter filter = group.filter().matchFilter();
        FilterEntry entry = filters.find(filter);
        if (FilterNode.hasGroup(entry, group)) {
            return false;
        }
        groups++;
        replace(filter, entry, FilterNode.withGroup(entry, group));
        group.indexed = GroupState.WAITING.withDurability(durable);
        listener.onGroup(group.filter(), group.indexed);
        return true;
    }

    /** Removes a group; false when it is not there. Owner thread. */
    public boolean removeGroup(SharedGroupRef group) {
        TopicFilter filter = group.filter().matchFilter();
        FilterEntry entry = filters.find(filter);
        if (entry == null || !FilterNode.hasGroup(entry, group)) {
            return false;
        }
        groups--;
        replace(filter, entry, FilterNode.withoutGroup(entry, group));
        listener.onGroup(group.filter(), GroupState.NONE);
        return true;
    }

    /**
     * Another node has somebody with this filter. Owner thread.
     *
     * @param filter not a shared one
     * @param node in place of an equal one
     * @return false when that is known
     */
    public boolean addNode(TopicFilter filter, NodeRef node) {
        boolean changed = nodes.add(filter, node);
        if (changed) {
            version++;
        }
        return changed;
    }

    /** Nobody there has it any more. Owner thread; false when it is not there. */
    public boolean removeNode(TopicFilter filter, NodeRef node) {
        boolean changed = nodes.remove(filter, node);
        if (changed) {
            version++;
        }
        return changed;
    }

    /**
     * Notes what a group of this node is now; nothing when it is not there. Owner thread.
     *
     * @param state whether any member is durable is not taken from it, but from {@link
     *     #groupDurable}: only the owner knows it before the member's SUBACK
     */
    public void groupChanged(SharedGroupRef group, GroupState state) {
        boolean durable = !group.indexed.isTransient();
        if (FilterNode.hasGroup(filters.find(group.filter().matchFilter()), group)) {
            group.indexed = state.withDurability(durable);
            listener.onGroup(group.filter(), group.indexed);
        }
    }

    /** Notes whether any member of a group of this node is durable. Owner thread. */
    public void groupDurable(SharedGroupRef group, boolean durable) {
        GroupState now = group.indexed.withDurability(durable);
        if (!now.equals(group.indexed)) {
            group.indexed = now;
            listener.onGroup(group.filter(), now);
        }
    }

    /**
     * What another node has of a shared-subscription group. Owner thread.
     *
     * @param filter whole
     * @return false when that is known
     */
    public boolean putGroup(TopicFilter filter, NodeRef node, GroupState state) {
        boolean changed = groupsElsewhere.put(filter, node, state);
        if (changed) {
            version++;
        }
        return changed;
    }

    /**
     * A group as other nodes have it. Any thread.
     *
     * @param filter whole
     * @return null when none has a member of it
     */
    public @Nullable GroupElsewhere groupElsewhere(TopicFilter filter) {
        return groupsElsewhere.find(filter);
    }

    /** The index's version: grows with each change, after it became visible. Any thread. */
    public long version() {
        return version;
    }

    /**
     * The targets of a topic. Any thread; who asks often keeps a {@link #matcher}, which allocates
     * less.
     */
    public Route route(Topic topic) {
        return matcher().route(topic);
    }

    /** Of names that strangers choose. Any thread. */
    public KeyedHash hash() {
        return hash;
    }

    /** A matcher for one reading thread. */
    public TopicMatcher matcher() {
        return new TopicMatcher(
                this, filters.matcher(), nodes.matcher(), groupsElsewhere.matcher());
    }

    /** How many subscriptions there are, shared ones not counted. Any thread. */
    public int size() {
        return subscriptions;
    }

    /** How many distinct filters there are, those of shared subscriptions included. Any thread. */
    public int filters() {
        return filters.size();
    }

    /** How many shared-subscription groups there are. Any thread. */
    public int groups() {
        return groups;
    }

    /** Distinct filters of other nodes. Any thread. */
    public int nodeFilters() {
        return nodes.size();
    }

    FilterIndex<FilterEntry> index() {
        return filters;
    }

    NodeFilters nodes() {
        return nodes;
    }

    GroupFilters groupsElsewhere() {
        return groupsElsewhere;
    }

    private void replace(
            TopicFilter filter, @Nullable FilterEntry before, @Nullable FilterEntry after) {
        filters.replace(filter, before, after);
        version++;
    }
}
