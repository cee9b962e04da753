package io.godwit.cluster.routes;

import io.godwit.core.message.Digest;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.GroupState;
import io.godwit.core.routing.NodeRef;
import io.godwit.core.routing.TopicIndex;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** The filters of one other node, as it has told them, and in the topic index. */
final class PeerFilters {
    /** Bytes of a filter here and in the topic index beside its own, about. */
    private static final long FILTER_BYTES = 150;

    private final NodeRef durable;
    private final NodeRef transientOnly;
    private final TopicIndex index;
    private final LongConsumer account;
    private final FilterDigest digest = new FilterDigest();

    /** In an order of their own: to take out the first ones asks for no copy of all. */
    private final Map<TopicFilter, GroupState> known = new LinkedHashMap<>();

    /** While all of them come: what has come of them. */
    private @Nullable Set<TopicFilter> arriving;

    /** Whether the node is forgotten, and all of them are to go. */
    private boolean isLeaving;

    private boolean complete;

    /** Whether another node has told all durable ones, since the node is out of reach. */
    private boolean isToldByOther;

    /**
     * @param server id of the node
     * @param account told by how many bytes what is here has changed
     */
    PeerFilters(int server, TopicIndex index, LongConsumer account) {
        this.durable = new NodeRef(server, true);
        this.transientOnly = new NodeRef(server, false);
        this.index = index;
        this.account = account;
    }

    /** Whether all of them have come once. */
    boolean isComplete() {
        return complete;
    }

    /** Whether all durable ones have come, from the node itself or from another one. */
    boolean isKnown() {
        return complete || isToldByOther;
    }

    /** Notes that another node has told all durable ones. */
    void known() {
        isToldByOther = true;
    }

    /** Whether the node is telling all of them. */
    boolean isArriving() {
        return arriving != null;
    }

    /** Returns the filters that durable sessions or members have. */
    List<TopicFilter> durable() {
        List<TopicFilter> durable = new ArrayList<>();
        known.forEach((filter, state) -> {
            if (!state.isTransient()) {
                durable.add(filter);
            }
        });
        return durable;
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
        if (all != null && state.isNone()) {
            all.remove(filter);
        } else if (all != null) {
            all.add(filter);
        }
        GroupState before = known.getOrDefault(filter, GroupState.NONE);
        if (before.equals(state)) {
            return;
        }
        if (!before.isNone()) {
            digest.remove(filter, before);
            account.accept(-bytes(filter));
        }
        if (state.isNone()) {
            known.remove(filter);
        } else {
            known.put(filter, state);
            digest.add(filter, state);
            account.accept(bytes(filter));
        }
        route(filter, state);
    }

    private static long bytes(TopicFilter filter) {
        return FILTER_BYTES + filter.length();
    }

    private void route(TopicFilter filter, GroupState state) {
        NodeRef node = state.isTransient() ? transientOnly : durable;
        if (state.isLimited()) {
            node = new NodeRef(node.server(), node.hasDurable(), state.packetBytesMax());
        }
        if (filter.isShared()) {
            index.putGroup(filter, node, state);
        } else if (state.isNone()) {
            index.removeNode(filter, node);
        } else {
            index.addNode(filter, node);
        }
    }

    /** All of them come: those that do not are gone at the end, and not before. */
    void begin() {
        isLeaving = false;
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

    /** The node is forgotten: {@link #forgetMore} follows. */
    void forget() {
        arriving = null;
        complete = false;
        isToldByOther = false;
        isLeaving = true;
    }

    /** The node is back before all of them are gone: those that are left stay. */
    void stay() {
        isLeaving = false;
    }

    /** Whether the node is forgotten, and has not begun to tell them anew. */
    boolean isForgotten() {
        return isLeaving;
    }

    /**
     * Takes some out of the index, by which nothing is routed any more: a slice.
     *
     * @return whether none is left to go
     */
    boolean forgetMore(int most) {
        for (int i = 0; isLeaving && i < most && !known.isEmpty(); i++) {
            change(known.keySet().iterator().next(), GroupState.NONE);
        }
        return !isLeaving || known.isEmpty();
    }

    /** Whether they are those that the node has itself. */
    boolean isSame(Digest theirs) {
        return arriving != null || digest.value().isSame(theirs);
    }
}
