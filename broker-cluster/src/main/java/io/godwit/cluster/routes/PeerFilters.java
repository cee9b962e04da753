package io.godwit.cluster.routes;

import io.godwit.core.message.Digest;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.GroupState;
import io.godwit.core.routing.NodeRef;
import io.godwit.core.routing.TopicIndex;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The filters of one other node, as it has told them, and in the topic index. */
final class PeerFilters {
    private final NodeRef node;
    private final TopicIndex index;
    private final FilterDigest digest = new FilterDigest();
    private final Map<TopicFilter, GroupState> known = new HashMap<>();

    /** While all of them come: what has come of them. */
    private @Nullable Set<TopicFilter> arriving;

    private boolean complete;

    PeerFilters(NodeRef node, TopicIndex index) {
        this.node = node;
        this.index = index;
    }

    /** Whether all of them have come once. */
    boolean isComplete() {
        return complete;
    }

    int size() {
        return known.size();
    }

    /**
     * The node has something else of a filter.
     *
     * @param filter of a shared group the whole filter
     */
    void change(TopicFilter filter, GroupState state) {
        Set<TopicFilter> all = arriving;
        if (all != null && state == GroupState.NONE) {
            all.remove(filter);
        } else if (all != null) {
            all.add(filter);
        }
        GroupState before = known.getOrDefault(filter, GroupState.NONE);
        if (before == state) {
            return;
        }
        if (before != GroupState.NONE) {
            digest.remove(filter, before);
        }
        if (state == GroupState.NONE) {
            known.remove(filter);
        } else {
            known.put(filter, state);
            digest.add(filter, state);
        }
        route(filter, state);
    }

    private void route(TopicFilter filter, GroupState state) {
        if (filter.isShared()) {
            index.putGroup(filter, node, state);
        } else if (state == GroupState.NONE) {
            index.removeNode(filter, node);
        } else {
            index.addNode(filter, node);
        }
    }

    /** All of them come: those that do not are gone at the end, and not before. */
    void begin() {
        arriving = new HashSet<>();
    }

    void end() {
        Set<TopicFilter> all = arriving;
        if (all == null) {
            return;
        }
        arriving = null;
        complete = true;
        for (TopicFilter filter : List.copyOf(known.keySet())) {
            if (!all.contains(filter)) {
                change(filter, GroupState.NONE);
            }
        }
    }

    /** None of them is routed by any more. */
    void forget() {
        arriving = null;
        List.copyOf(known.keySet()).forEach(filter -> change(filter, GroupState.NONE));
    }

    /** Whether they are those that the node has itself. */
    boolean isSame(Digest theirs) {
        return arriving != null || digest.value().isSame(theirs);
    }
}
