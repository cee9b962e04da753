package io.godwit.core.routing;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Makes one route of the filters that a topic matched. One filter: its array is shared. Several:
 * each session once, found by a scan while they are few, by a hash table when they are many.
 */
final class RouteMerger {
    private static final int SCANNED = 16;

    /** Slots of the table that are kept between two merges: 256 KiB. */
    private static final int KEPT = 1 << 16;

    /** Subscribers of each matched filter, read once: a subscription or a set ... */
    private Object[] held = new Object[16];

    /** ... and how many entries of the set belong to this route. */
    private int[] sizes = new int[16];

    private int count;
    private int entries;
    private SharedGroupRef[] groups = Route.NO_GROUPS;

    /** Open addressing: place in the route + 1, by the session's hash. */
    private int[] places = new int[0];

    private int mask;

    void add(FilterNode node) {
        groups = with(groups, node.groups());
        Object subscribers = node.subscribers();
        if (subscribers == null) {
            return;
        }
        if (count == held.length) {
            held = Arrays.copyOf(held, count * 2);
            sizes = Arrays.copyOf(sizes, count * 2);
        }
        int size = subscribers instanceof SubscriberSet set ? set.size() : 1;
        held[count] = subscribers;
        sizes[count] = size;
        count++;
        entries += size;
    }

    /** The route of what was added since the last call. */
    Route route(long version) {
        Route route =
                switch (count) {
                    case 0 -> new Route(version, Route.NO_SUBSCRIPTIONS, 0, groups);
                    case 1 -> new Route(version, array(held[0]), sizes[0], groups);
                    default -> merged(version);
                };
        Arrays.fill(held, 0, count, this); // pins no subscriber
        count = 0;
        entries = 0;
        groups = Route.NO_GROUPS;
        return route;
    }

    private static @Nullable Subscription[] array(Object subscribers) {
        return subscribers instanceof SubscriberSet set
                ? set.entries()
                : new Subscription[] {(Subscription) subscribers};
    }

    private Route merged(long version) {
        Subscription[] merged = new Subscription[entries];
        clearTable();
        int n = 0;
        for (int i = 0; i < count; i++) {
            if (held[i] instanceof SubscriberSet set) {
                @Nullable Subscription[] from = set.entries();
                for (int k = 0; k < sizes[i]; k++) {
                    Subscription s = from[k];
                    if (s != null) {
                        n = put(merged, n, s);
                    }
                }
            } else {
                n = put(merged, n, (Subscription) held[i]);
            }
        }
        if (places.length > KEPT) {
            places = new int[0];
        }
        return new Route(version, merged, n, groups);
    }

    private void clearTable() {
        if (entries <= SCANNED) {
            mask = 0;
            return;
        }
        int slots = Integer.highestOneBit(entries * 2 - 1) * 2;
        if (places.length < slots) {
            places = new int[slots];
        } else {
            Arrays.fill(places, 0, slots, 0);
        }
        mask = slots - 1;
    }

    /** Returns how many sessions the route has then. */
    private int put(Subscription[] merged, int n, Subscription s) {
        if (mask == 0) {
            for (int i = 0; i < n; i++) {
                if (merged[i].session.equals(s.session)) {
                    merged[i] = Subscription.merge(merged[i], s);
                    return n;
                }
            }
        } else {
            int i = s.session.hashCode() & mask;
            for (; places[i] != 0; i = i + 1 & mask) {
                int place = places[i] - 1;
                if (merged[place].session.equals(s.session)) {
                    merged[place] = Subscription.merge(merged[place], s);
                    return n;
                }
            }
            places[i] = n + 1;
        }
        merged[n] = s;
        return n + 1;
    }

    private static SharedGroupRef[] with(SharedGroupRef[] groups, SharedGroupRef[] more) {
        if (more.length == 0 || groups.length == 0) {
            return more.length == 0 ? groups : more;
        }
        SharedGroupRef[] both = Arrays.copyOf(groups, groups.length + more.length);
        System.arraycopy(more, 0, both, groups.length, more.length);
        return both;
    }
}
