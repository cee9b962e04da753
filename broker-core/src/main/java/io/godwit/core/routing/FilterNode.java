package io.godwit.core.routing;

import org.jspecify.annotations.Nullable;

/**
 * Who has subscribed to one filter: sessions, and shared-subscription groups. Changed by the
 * index's writer only; 24 bytes, the filter's own bytes are shared with the first subscription.
 */
final class FilterNode extends KeyedNode {
    /** Null, a {@link Subscription} when it is the only one, or a {@link SubscriberSet}. */
    private volatile @Nullable Object subscribers;

    /** Copied at each change. */
    private volatile SharedGroupRef[] groups = Route.NO_GROUPS;

    FilterNode(byte[] filter) {
        super(filter);
    }

    /** Any thread: null, a {@link Subscription} or a {@link SubscriberSet}. */
    @Nullable Object subscribers() {
        return subscribers;
    }

    /** Any thread; never changed. */
    SharedGroupRef[] groups() {
        return groups;
    }

    /** Returns the subscription of the same session that it replaces. */
    @Nullable Subscription put(Subscription s) {
        Object held = subscribers;
        if (held == null) {
            subscribers = s;
            return null;
        }
        if (held instanceof Subscription one) {
            if (one.session.equals(s.session)) {
                subscribers = s;
                return one;
            }
            subscribers = SubscriberSet.of(one, s);
            return null;
        }
        SubscriberSet set = (SubscriberSet) held;
        Subscription older = set.find(s.session);
        if (older != null) {
            return set.replace(older, s);
        }
        if (set.isFull()) {
            set = set.compacted();
            set.append(s);
            subscribers = set;
        } else {
            set.append(s);
        }
        return null;
    }

    @Nullable Subscription remove(SessionRef session) {
        Object held = subscribers;
        if (held instanceof Subscription one) {
            if (!one.session.equals(session)) {
                return null;
            }
            subscribers = null;
            return one;
        }
        if (!(held instanceof SubscriberSet set)) {
            return null;
        }
        Subscription s = set.find(session);
        if (s == null) {
            return null;
        }
        set.remove(s);
        if (set.live() == 1) {
            subscribers = set.last();
        } else if (set.isSparse()) {
            subscribers = set.compacted();
        }
        return s;
    }

    void addGroup(SharedGroupRef group) {
        SharedGroupRef[] before = groups;
        SharedGroupRef[] after = new SharedGroupRef[before.length + 1];
        System.arraycopy(before, 0, after, 0, before.length);
        after[before.length] = group;
        groups = after;
    }

    boolean hasGroup(SharedGroupRef group) {
        for (SharedGroupRef g : groups) {
            if (g.equals(group)) {
                return true;
            }
        }
        return false;
    }

    /** Removes one that {@link #hasGroup}. */
    void removeGroup(SharedGroupRef group) {
        SharedGroupRef[] before = groups;
        if (before.length == 1) {
            groups = Route.NO_GROUPS;
            return;
        }
        SharedGroupRef[] after = new SharedGroupRef[before.length - 1];
        int n = 0;
        for (SharedGroupRef g : before) {
            if (!g.equals(group)) {
                after[n++] = g;
            }
        }
        groups = after;
    }

    boolean isEmpty() {
        return subscribers == null && groups.length == 0;
    }
}
