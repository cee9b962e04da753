package io.godwit.core.index;

import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.SharedGroupRef;
import io.godwit.core.routing.Subscription;
import io.godwit.core.routing.TopicIndex;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one session has subscribed to, the shared groups that it is a member of, and the retained
 * replays that run for it. Owned by the session's shard. Most sessions have one subscription, which
 * then needs no map.
 */
public final class Subscriptions {
    private final Subscriber session;
    private @Nullable Subscription only;
    private @Nullable Map<TopicFilter, Subscription> many;
    private @Nullable Map<TopicFilter, SharedGroupRef> groups;
    private int filterBytes;
    private int identifiedWildcards;

    /**
     * Groups that the session has left and that were made anew since: the old ones may still have
     * something in flight to it.
     */
    private @Nullable List<SharedGroupRef> former;

    @Nullable List<RetainedReplay> replays;

    public Subscriptions(Subscriber session) {
        this.session = session;
    }

    // ---------------------------------------------------------------- filters

    public int size() {
        return many != null ? many.size() : only == null ? 0 : 1;
    }

    public Collection<Subscription> all() {
        return many != null ? many.values() : only == null ? List.of() : List.of(only);
    }

    public @Nullable Subscription get(TopicFilter filter) {
        if (many != null) {
            return many.get(filter);
        }
        return only != null && only.filter.equals(filter) ? only : null;
    }

    void put(Subscription subscription) {
        SubscribeContext context = session.subscribing();
        Subscription before = replace(subscription);
        if (before == null) {
            context.load().subscriptions(1);
            context.load().sessionBytes(subscription.filter.length());
        }
        if (session.isDurable()) {
            context.shard()
                    .store()
                    .putSubscription(session.queueId(), subscription, context.ids().stamp());
        }
    }

    /** Takes up the group of a shared subscription that was kept; called at start. */
    public void recovered(SharedGroupRef group) {
        if (groups == null) {
            groups = new HashMap<>(2);
        }
        groups.put(group.filter(), group);
    }

    /**
     * Takes up a subscription that was kept; called at start. The shard counts it with the session.
     */
    public void recovered(Subscription subscription) {
        if (replace(subscription) == null) {
            session.subscribing().load().sessionBytes(subscription.filter.length());
        }
    }

    /** Bytes of the filters. */
    int filterBytes() {
        return filterBytes;
    }

    /**
     * Subscriptions with a wildcard and a Subscription Identifier: as many identifiers, and that of
     * one without a wildcard, one message may have to bring [MQTT-3.3.4-4].
     */
    int identifiedWildcards() {
        return identifiedWildcards;
    }

    /** Whether a subscription counts for {@link #identifiedWildcards}. A group sends on its own. */
    static boolean isIdentifiedWildcard(TopicFilter filter, int[] ids) {
        return ids.length > 0 && !filter.isShared() && filter.hasWildcard();
    }

    private @Nullable Subscription replace(Subscription subscription) {
        Subscription before = place(subscription);
        if (before == null) {
            filterBytes += subscription.filter.length();
        } else {
            countIdentifiers(before, -1);
        }
        countIdentifiers(subscription, 1);
        return before;
    }

    private void countIdentifiers(Subscription of, int change) {
        if (isIdentifiedWildcard(of.filter, of.ids)) {
            identifiedWildcards += change;
        }
    }

    private @Nullable Subscription place(Subscription subscription) {
        Subscription before = only;
        if (many == null && (before == null || before.filter.equals(subscription.filter))) {
            only = subscription;
            return before;
        }
        if (many == null) {
            many = new HashMap<>();
            if (before != null) {
                many.put(before.filter, before);
                only = null;
            }
        }
        return many.put(subscription.filter, subscription);
    }

    /** Removes the subscription to a filter. @return null when there was none */
    @Nullable Subscription remove(TopicFilter filter) {
        Subscription removed = get(filter);
        if (removed == null) {
            return null;
        }
        if (many != null) {
            many.remove(filter);
        } else {
            only = null;
        }
        filterBytes -= filter.length();
        countIdentifiers(removed, -1);
        SubscribeContext context = session.subscribing();
        context.load().subscriptions(-1);
        context.load().sessionBytes(-filter.length());
        if (session.isDurable()) {
            context.shard()
                    .store()
                    .removeSubscription(session.queueId(), filter, context.ids().stamp());
        }
        return removed;
    }

    /**
     * Ends all subscriptions with the session: the index forgets them, and running replays stop.
     */
    public void end() {
        SubscribeContext context = session.subscribing();
        List<Subscription> left = new ArrayList<>(all());
        if (!left.isEmpty()) {
            if (session.isAwaited()) {
                // Publishers find it until the end is kept, and wait for that. When it never will
                // be, nothing is acknowledged to them.
                context.shard()
                        .afterCommit(
                                session.copySet(),
                                isKept -> {
                                    if (isKept) {
                                        leaveIndex(left);
                                    }
                                });
            } else {
                leaveIndex(left);
            }
        }
        context.load().subscriptions(-size());
        context.load().sessionBytes(-filterBytes);
        filterBytes = 0;
        identifiedWildcards = 0;
        only = null;
        many = null;
        groups = null;
        if (replays != null) {
            for (RetainedReplay replay : replays) {
                replay.cancel();
            }
            replays = null;
        }
    }

    private void leaveIndex(List<Subscription> left) {
        SubscribeContext context = session.subscribing();
        context.shard()
                // Behind what groups were told of the session's entries, since it goes on to them.
                .sendAfterAll(
                        TopicIndex.OWNER,
                        new UnsubscribeMail(context.index().get(), session, left, null, true));
    }

    // ---------------------------------------------------------------- shared groups

    /**
     * Notes the group of a shared subscription, which was found or made: the session is its member
     * now.
     */
    void joined(SharedGroupRef group) {
        if (groups == null) {
            groups = new HashMap<>(2);
        }
        SharedGroupRef before = groups.put(group.filter(), group);
        if (before != null && before != group) {
            if (former == null) {
                former = new ArrayList<>(1);
            }
            former.add(before);
        }
        if (session.inFlightMax() > 0) {
            online(group);
        } else { // The connection that it had when it asked has ended since.
            session.subscribing().groups().offline(group, session);
        }
    }

    /** Tells the groups that the session has a connection, so that they may send. */
    public void onConnected() {
        if (groups != null) {
            groups.values().forEach(this::online);
        }
    }

    private void online(SharedGroupRef group) {
        int credit = session.inFlightMax();
        if (credit > 0) {
            session.subscribing()
                    .groups()
                    .online(group, session, credit, session.connectionNumber());
        }
    }

    /**
     * Tells the groups that the connection is gone.
     *
     * @return whether there are groups, which take back what they have sent
     */
    public boolean onConnectionLost() {
        if (groups == null) {
            return false;
        }
        for (SharedGroupRef group : groups.values()) {
            session.subscribing().groups().offline(group, session);
        }
        if (former != null) {
            for (SharedGroupRef group : former) {
                session.subscribing().groups().offline(group, session);
            }
            former = null;
        }
        groups.keySet().removeIf(filter -> get(filter) == null);
        return true;
    }

    // ---------------------------------------------------------------- retained replays

    void addReplay(RetainedReplay replay) {
        if (replays == null) {
            replays = new ArrayList<>(1);
        }
        // Subscribed again: it begins anew.
        replays.removeIf(older -> {
            if (!older.isOf(replay.filter())) {
                return false;
            }
            older.cancel();
            return true;
        });
        replays.add(replay);
    }

    void removeReplay(RetainedReplay replay) {
        if (replays != null) {
            replays.remove(replay);
            if (replays.isEmpty()) {
                replays = null;
            }
        }
    }

    /** Asks the running replays, one after the other, for more, since the session has room. */
    public void wantMore() {
        if (replays != null) {
            replays.getFirst().wantMore(session.subscribing().shard());
        }
    }
}
