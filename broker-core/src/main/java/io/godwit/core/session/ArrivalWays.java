package io.godwit.core.session;

import io.godwit.core.load.ShardLoad;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.Subscription;
import io.godwit.core.store.Recovery.KeptSubscription;
import io.godwit.core.store.SessionMoves;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * By which ways messages come to a session that has come from another node, for each of the filters
 * that it has come with, and what waits for what: see {@link Arrival}.
 */
final class ArrivalWays {
    /** What a filter takes with its place in a set; the filter itself is the subscription's. */
    private static final int FILTER_BYTES = 96;

    /** Of what comes round. */
    private final ArrivedFilters taken;

    /** Of what comes both ways: what comes directly waits to come round. */
    final ArrivedFilters followed;

    /**
     * Of what has come directly all the time, since an earlier copy was here: what comes round
     * waits to come directly.
     */
    final ArrivedFilters direct = new ArrivedFilters(Set.of());

    /**
     * Of those that come both ways: what came directly where an earlier copy of it has been all the
     * time waited to come round, and does so still. So does what comes round out of order.
     */
    final ArrivedFilters waits = new ArrivedFilters(Set.of());

    /**
     * Of those that the copy has and that the session has subscribed to elsewhere since: what the
     * copy has passed on of them may not have been wanted there.
     */
    private final ArrivedFilters renewed = new ArrivedFilters(Set.of());

    /** See {@link SessionMoves#behind}. */
    private final Set<Long> behind = new HashSet<>(0);

    /**
     * Of those that it has come with, since when it has had them, if not since it left the oldest
     * of its former homes: numbers of grants.
     */
    private final Map<TopicFilter, Long> since = new HashMap<>(0);

    private ShardLoad load;
    private long countedBytes;

    /**
     * @param subscriptions that the session has come with
     */
    ArrivalWays(Collection<Subscription> subscriptions, ShardLoad load) {
        this.taken = new ArrivedFilters(subscriptions);
        this.followed = new ArrivedFilters(subscriptions);
        this.load = load;
        count();
    }

    private void count() {
        int sets = taken.size() + followed.size() + direct.size() + renewed.size() + waits.size();
        long now = (long) FILTER_BYTES * (sets + since.size());
        load.sessionBytes(now - countedBytes);
        countedBytes = now;
    }

    void leaveShard() {
        load.sessionBytes(-countedBytes);
        countedBytes = 0;
    }

    void arrive(ShardLoad now) {
        load = now;
        count();
    }

    // ---------------------------------------------------------------- of a message

    /** Whether what comes round on that topic is for the session. */
    boolean takes(Topic topic) {
        return taken.match(topic);
    }

    /** Whether what a former home has passed on waits for those that are in order. */
    boolean isBehind(Topic topic, long changes) {
        return waits.match(topic) && behind.contains(changes);
    }

    /**
     * Whether a message that the copy has passed on, and that is back, comes otherwise: to the home
     * where the session has subscribed since.
     */
    boolean comesOtherwise(Topic topic) {
        return renewed.match(topic) && !direct.match(topic);
    }

    // ---------------------------------------------------------------- what nobody waits for

    void waitForNothing() {
        followed.clear();
        direct.clear();
        waits.clear();
        count();
    }

    /** What comes directly waits for nothing. */
    void followNoMore() {
        followed.clear();
        count();
    }

    /** The same of what has waited here before, and of what comes round out of order. */
    void roundIsComplete() {
        followed.removeAll(waits);
        waits.clear();
        count();
    }

    /** What comes round does not wait to come directly. */
    void directIsComplete() {
        direct.clear();
        count();
    }

    /** The session is back where it had gone from. */
    void comesBack() {
        renewed.clear(); // What it has passed on since came in order.
        count();
    }

    // ---------------------------------------------------------------- what it subscribes to

    /** The session has this filter no more, or anew. */
    void unsubscribed(TopicFilter filter) {
        taken.remove(filter);
        since.remove(filter);
        followed.remove(filter);
        direct.remove(filter);
        waits.remove(filter);
        count();
    }

    /** The session has this filter only since it came. */
    void subscribedHere(TopicFilter filter) {
        taken.remove(filter);
        followed.remove(filter);
        count();
    }

    /** Nothing comes round for this one: it comes directly alone. */
    void directAlone(TopicFilter filter) {
        followed.remove(filter);
        count();
    }

    /** Takes up which of the filters that it has come with it had not always. */
    void subscribedBefore(Collection<KeptSubscription> all) {
        for (KeptSubscription each : all) {
            if (each.since() != 0 && taken.has(each.filter())) {
                since.put(each.filter(), each.since());
            }
        }
        count();
    }

    /** See {@link ArrivingSession#comesDirectly}. */
    void directFirst(Collection<Subscription> subscriptions, SessionMoves moves) {
        long stayed = moves.stayed();
        long waited = moves.inOrder().isEmpty() ? 0 : moves.waited();
        behind.addAll(moves.behind());
        for (Subscription each : subscriptions) {
            if (!taken.has(each.filter)) {
                continue; // It is shared, or only of this home.
            }
            long of = since.getOrDefault(each.filter, 0L);
            if (of < waited) {
                waits.add(each.filter);
            } else if (of < stayed) {
                followed.remove(each.filter);
                direct.add(each.filter);
            } else {
                renewed.add(each.filter);
            }
        }
        count();
    }

    /**
     * Since when it has had a filter, if not since it left the oldest of its former homes.
     *
     * @param here number of the grant of this home
     */
    long since(TopicFilter filter, long here) {
        return taken.has(filter) ? since.getOrDefault(filter, 0L) : here;
    }
}
