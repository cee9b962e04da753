package io.godwit.core.routing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes one route of the filters that a topic matched. One filter: its array is shared. Several:
 * each session once, found by a scan while they are few, by a hash table when they are many.
 */
final class RouteMerger {
    private static final int SCANNED = 16;

    /** Slots of the table that are kept between two merges: 256 KiB. */
    private static final int KEPT = 1 << 16;

    /** The subscriptions of filters that have only one ... */
    private Subscription[] ones = new Subscription[16];

    private int oneCount;

    /** ... and the sets of the others, with how many entries of them belong to this route. */
    private SubscriberSet[] sets = new SubscriberSet[16];

    private int[] sizes = new int[16];
    private int setCount;
    private int entries;

    /** The sessions of a route that is scanned. */
    private final @Nullable SessionRef[] sessions = new SessionRef[SCANNED];

    /** Open addressing: place in the route + 1, by the session's hash. */
    private int[] places = new int[0];

    private int mask;

    /** By place in the route: sessions that have several subscriptions. */
    private @Nullable Overlap[] overlaps = new Overlap[SCANNED];

    private int overlapsEnd;

    /**
     * @param matched what stands at the filters that match; the first {@code matches} count
     * @param nodes other nodes that it goes to
     * @param elsewhere groups that other nodes have members of
     */
    Route route(
            long version,
            @Nullable Object[] matched,
            int matches,
            NodeRef[] nodes,
            GroupElsewhere[] elsewhere) {
        Route.Groups groups = groups(read(matched, matches), elsewhere);
        if (entries == 0) {
            return new Route(version, Route.NO_SUBSCRIPTIONS, 0, groups, nodes);
        }
        if (entries == oneCount && oneCount == 1) {
            return new Route(version, new Subscription[] {ones[0]}, 1, groups, nodes);
        }
        if (oneCount == 0 && setCount == 1) {
            return new Route(version, sets[0], sizes[0], groups, nodes);
        }
        return merged(version, groups, nodes);
    }

    private static Route.Groups groups(SharedGroupRef[] here, GroupElsewhere[] elsewhere) {
        if (elsewhere.length == 0) {
            return here.length == 0 ? Route.Groups.NONE : new Route.Groups(here, Route.NO_SPREAD);
        }
        List<SharedGroupRef> alone = new ArrayList<>(Arrays.asList(here));
        SpreadGroup[] spread = new SpreadGroup[elsewhere.length];
        for (int i = 0; i < spread.length; i++) {
            SharedGroupRef found = null;
            for (SharedGroupRef group : here) {
                if (group.filter().equals(elsewhere[i].filter())) {
                    found = group;
                }
            }
            alone.remove(found);
            spread[i] = new SpreadGroup(elsewhere[i], found);
        }
        return new Route.Groups(alone.toArray(Route.NO_GROUPS), spread);
    }

    /** How many subscriptions the last route was made of. */
    int entries() {
        return entries;
    }

    /** Reads each filter's subscribers once, so that what follows has one moment of each. */
    private SharedGroupRef[] read(@Nullable Object[] matched, int matches) {
        if (ones.length < matches) {
            ones = new Subscription[matches * 2];
            sets = new SubscriberSet[matches * 2];
            sizes = new int[matches * 2];
        }
        SharedGroupRef[] groups = Route.NO_GROUPS;
        oneCount = 0;
        setCount = 0;
        entries = 0;
        for (int i = 0; i < matches; i++) {
            if (matched[i] instanceof FilterNode node) {
                groups = with(groups, node.groups());
                SubscriberSet set = node.sessions();
                if (set != null) {
                    sets[setCount] = set;
                    sizes[setCount] = set.size();
                    entries += sizes[setCount];
                    setCount++;
                }
            } else if (matched[i] instanceof Subscription one) {
                ones[oneCount++] = one;
                entries++;
            }
        }
        return groups;
    }

    private Route merged(long version, Route.Groups groups, NodeRef[] nodes) {
        Subscription[] merged = new Subscription[entries];
        clearTable();
        int n = 0;
        for (int i = 0; i < oneCount; i++) {
            n = put(merged, n, ones[i]);
        }
        for (int i = 0; i < setCount; i++) {
            @Nullable Subscription[][] from = sets[i].chunks();
            for (int k = 0; k < sizes[i]; k++) {
                Subscription s = SubscriberSet.at(from, k);
                if (s != null) {
                    n = put(merged, n, s);
                }
            }
        }
        if (places.length > KEPT) {
            places = new int[0];
        }
        finish(merged);
        return new Route(version, merged, n, groups, nodes);
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
        SessionRef session = s.session;
        if (mask == 0) {
            for (int i = 0; i < n; i++) {
                if (session.equals(sessions[i])) {
                    overlap(i, merged[i], s);
                    return n;
                }
            }
            sessions[n] = session;
        } else {
            int i = session.hashCode() & mask;
            for (; places[i] != 0; i = i + 1 & mask) {
                int place = places[i] - 1;
                if (merged[place].session.equals(session)) {
                    overlap(place, merged[place], s);
                    return n;
                }
            }
            places[i] = n + 1;
        }
        merged[n] = s;
        return n + 1;
    }

    /** Adds another subscription of the session at this place of the route. */
    private void overlap(int place, Subscription first, Subscription another) {
        if (overlaps.length <= place) {
            overlaps = Arrays.copyOf(overlaps, Math.max(place + 1, overlaps.length * 2));
        }
        Overlap overlap = overlaps[place];
        if (overlap == null) {
            overlap = new Overlap();
            overlap.add(first);
            overlaps[place] = overlap;
            overlapsEnd = Math.max(overlapsEnd, place + 1);
        }
        overlap.add(another);
    }

    /** Puts one subscription in the place of those that overlap. */
    private void finish(Subscription[] merged) {
        for (int i = 0; i < overlapsEnd; i++) {
            Overlap overlap = overlaps[i];
            if (overlap != null) {
                merged[i] = overlap.merged();
                overlaps[i] = null;
            }
        }
        overlapsEnd = 0;
        if (overlaps.length > KEPT) {
            overlaps = new Overlap[SCANNED];
        }
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
