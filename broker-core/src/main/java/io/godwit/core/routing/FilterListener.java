package io.godwit.core.routing;

import io.godwit.core.packet.TopicFilter;

/**
 * Hears of the filters that somebody of this node has subscribed to. Called on the thread that owns
 * the index, after the change became visible.
 */
public interface FilterListener {
    /** Nobody listens. */
    FilterListener NONE =
            new FilterListener() {
                @Override
                public void onFirst(TopicFilter filter) {}

                @Override
                public void onLast(TopicFilter filter) {}
            };

    /**
     * A filter has got its first subscriber, session or group.
     *
     * @param filter what topics are matched against: without {@code $share/group/}
     */
    void onFirst(TopicFilter filter);

    /** A filter has lost its last subscriber. */
    void onLast(TopicFilter filter);
}
