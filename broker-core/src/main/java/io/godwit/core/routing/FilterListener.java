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

                @Override
                public void onGroup(TopicFilter filter, GroupState state) {}
            };

    /** A filter has got its first session; groups are not counted. */
    void onFirst(TopicFilter filter);

    /** A filter has lost its last session. */
    void onLast(TopicFilter filter);

    /**
     * What this node has of a shared-subscription group has changed.
     *
     * @param filter whole, {@code $share/group/filter}
     */
    void onGroup(TopicFilter filter, GroupState state);
}
