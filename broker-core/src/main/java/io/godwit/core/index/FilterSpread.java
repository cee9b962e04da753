package io.godwit.core.index;

import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.FilterListener;
import io.godwit.core.routing.GroupState;

/** Tells other nodes of this node's filters. On the thread that owns the topic index. */
public interface FilterSpread extends FilterListener {
    /** There is no other node. */
    FilterSpread NONE =
            new FilterSpread() {
                @Override
                public void onSessions(TopicFilter filter, GroupState state) {}

                @Override
                public void onGroup(TopicFilter filter, GroupState state) {}

                @Override
                public void whenKnown(Runnable task) {
                    task.run();
                }
            };

    /**
     * Runs a task once every node that answers has all filters so far; at once when it has them
     * already.
     */
    void whenKnown(Runnable task);
}
