package io.godwit.core.index;

import io.godwit.core.auth.Access;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.routing.Subscription;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.shard.Sliced;
import java.util.ArrayList;
import java.util.List;

/**
 * Takes the subscriptions from a session that its client may not have any more, some at a time. It
 * ends early when the session leaves its shard: it is looked at again with the next connection.
 */
public final class FilterReview implements Sliced {
    private static final int SLICE = 200;

    private final SubscribeContext context;
    private final Subscriber session;
    private final Access access;
    private final Told told;
    private final Runnable whenDone;
    private final List<Subscription> filters;
    private int next;
    private int missing = 1;
    private int revoked;

    /** Hears how many subscriptions a client has lost. */
    public interface Told {
        void revoked(ClientId clientId, int count);
    }

    private FilterReview(
            SubscribeContext context,
            Subscriber session,
            Access access,
            Told told,
            Runnable whenDone) {
        this.context = context;
        this.session = session;
        this.access = access;
        this.told = told;
        this.whenDone = whenDone;
        this.filters = new ArrayList<>(session.subscriptions().all());
    }

    /**
     * Looks at all subscriptions of a session.
     *
     * @param told called if there were some that were taken away
     * @param whenDone run when no shard routes to these any more; at once, if none is taken away
     */
    public static void begin(
            SubscribeContext context,
            Subscriber session,
            Access access,
            Told told,
            Runnable whenDone) {
        FilterReview review = new FilterReview(context, session, access, told, whenDone);
        if (!review.slice()) {
            context.shard().slice(review);
        }
    }

    @Override
    public boolean slice() {
        int end = Math.min(filters.size(), next + SLICE);
        boolean isHere = session.owner() == context.shard().index() && !session.isEnded();
        List<Subscription> removed = new ArrayList<>(0);
        for (; next < end && isHere; next++) {
            Subscription each = filters.get(next);
            if (!access.maySubscribe(each.filter, each.qos)
                    && session.subscriptions().remove(each.filter) != null) {
                removed.add(each);
            }
        }
        if (!removed.isEmpty()) {
            missing++;
            revoked += removed.size();
            context.shard().counters().add(Metric.FILTERS_REVOKED, null, removed.size());
            context.shard()
                    .send(
                            TopicIndex.OWNER,
                            new UnsubscribeMail(
                                    context.index().get(), session, removed, this::done, false));
        }
        boolean isOver = next == filters.size() || !isHere;
        if (isOver) {
            done();
        }
        return isOver;
    }

    private void done() {
        if (--missing == 0) {
            if (revoked > 0) {
                told.revoked(session.clientId(), revoked);
            }
            whenDone.run();
        }
    }
}
