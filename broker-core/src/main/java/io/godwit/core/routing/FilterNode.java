package io.godwit.core.routing;

import org.jspecify.annotations.Nullable;

/**
 * A filter's subscribers when they are more than one session: sessions, and shared-subscription
 * groups. Changed by the index's writer only.
 *
 * <p>Writer's side: each change takes the {@link FilterEntry} that stands at the filter and returns
 * the one that is to stand there, null for none.
 */
final class FilterNode implements FilterEntry {
    private volatile @Nullable SubscriberSet sessions;

    /** The shared-subscription groups; the array is copied at each change. */
    private volatile SharedGroupRef[] groups = Route.NO_GROUPS;

    /** How many of the sessions count as durable; writer only. */
    private int durable;

    private FilterNode() {}

    /** The sessions, null for none; any thread. */
    @Nullable SubscriberSet sessions() {
        return sessions;
    }

    /** The groups; any thread. The array is never changed. */
    SharedGroupRef[] groups() {
        return groups;
    }

    static @Nullable Subscription find(@Nullable FilterEntry entry, SessionRef session) {
        return switch (entry) {
            case null -> null;
            case Subscription one -> one.session.equals(session) ? one : null;
            case FilterNode node -> {
                SubscriberSet set = node.sessions;
                yield set == null ? null : set.find(session);
            }
        };
    }

    /** The entry with a subscription, in place of an older one of its session. */
    static FilterEntry with(@Nullable FilterEntry entry, Subscription s) {
        switch (entry) {
            case null -> {
                return s;
            }
            case Subscription one -> {
                if (one.session.equals(s.session)) {
                    return s;
                }
                FilterNode node = new FilterNode();
                node.put(one);
                node.put(s);
                return node;
            }
            case FilterNode node -> {
                node.put(s);
                return node;
            }
        }
    }

    /** The entry without a subscription that {@link #find} found in it. */
    static @Nullable FilterEntry without(FilterEntry entry, Subscription s) {
        if (!(entry instanceof FilterNode node)) {
            return null;
        }
        SubscriberSet set = node.sessions;
        if (set == null) {
            throw new IllegalStateException("not subscribed: " + s.filter);
        }
        node.sessions = set.without(s);
        node.durable -= s.countsAsDurable ? 1 : 0;
        return node.orNull();
    }

    /**
     * Returns whether sessions have the filter, and whether one is durable; groups do not count.
     */
    static GroupState sessionsOf(@Nullable FilterEntry entry) {
        return switch (entry) {
            case null -> GroupState.NONE;
            case Subscription one -> GroupState.ONLINE.withDurability(one.countsAsDurable);
            case FilterNode node ->
                    node.sessions == null
                            ? GroupState.NONE
                            : GroupState.ONLINE.withDurability(node.durable > 0);
        };
    }

    static boolean hasGroup(@Nullable FilterEntry entry, SharedGroupRef group) {
        if (entry instanceof FilterNode node) {
            for (SharedGroupRef g : node.groups) {
                if (g.equals(group)) {
                    return true;
                }
            }
        }
        return false;
    }

    static FilterEntry withGroup(@Nullable FilterEntry entry, SharedGroupRef group) {
        FilterNode node = entry instanceof FilterNode held ? held : new FilterNode();
        if (entry instanceof Subscription one) {
            node.put(one);
        }
        SharedGroupRef[] before = node.groups;
        SharedGroupRef[] after = new SharedGroupRef[before.length + 1];
        System.arraycopy(before, 0, after, 0, before.length);
        after[before.length] = group;
        node.groups = after;
        return node;
    }

    /** The entry without a group that it has. */
    static @Nullable FilterEntry withoutGroup(FilterEntry entry, SharedGroupRef group) {
        if (!(entry instanceof FilterNode node)) {
            return entry;
        }
        SharedGroupRef[] before = node.groups;
        SharedGroupRef[] after = new SharedGroupRef[before.length - 1];
        int n = 0;
        for (SharedGroupRef g : before) {
            if (!g.equals(group)) {
                after[n++] = g;
            }
        }
        node.groups = after.length == 0 ? Route.NO_GROUPS : after;
        return node.orNull();
    }

    private void put(Subscription s) {
        SubscriberSet set = sessions;
        Subscription older = set == null ? null : set.find(s.session);
        durable += (s.countsAsDurable ? 1 : 0) - (older != null && older.countsAsDurable ? 1 : 0);
        sessions = set == null ? SubscriberSet.of(s) : set.with(s);
    }

    private @Nullable FilterEntry orNull() {
        return sessions == null && groups.length == 0 ? null : this;
    }
}
