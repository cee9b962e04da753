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
                public void onSessions(TopicFilter filter, GroupState state) {}

                @Override
                public void onGroup(TopicFilter filter, GroupState state) {}
            };

    /**
     * Tells that a filter has its first session, has lost its last, or has a durable one from now
     * on or no more. Members of groups do not count.
     *
     * @param state {@code NONE} when the last is gone; {@code TRANSIENT_ONLINE} while none of them
     *     is durable
     */
    void onSessions(TopicFilter filter, GroupState state);

    /**
     * What this node has of a shared-subscription group has changed.
     *
     * @param filter whole, {@code $share/group/filter}
     */
    void onGroup(TopicFilter filter, GroupState state);
}
