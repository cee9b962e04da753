package io.godwit.core.routing;

import io.godwit.core.packet.KeyedHash;
import io.godwit.core.packet.TopicFilter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The filters of other nodes and which nodes have them. One writer; any thread reads.
 *
 * <p><i>Memory.</i> Nodes are few and filters are many: every set of nodes is one array, which all
 * filters with that set share.
 */
final class NodeFilters {
    private final FilterIndex<NodeRef[]> filters;
    private final Map<List<Integer>, NodeRef[]> sets = new HashMap<>();

    NodeFilters(KeyedHash hash) {
        filters = new FilterIndex<>(hash);
    }

    FilterMatcher<NodeRef[]> matcher() {
        return filters.matcher();
    }

    boolean isEmpty() {
        return filters.size() == 0;
    }

    int size() {
        return filters.size();
    }

    /** Notes what a node has at a filter, in place of what it had; false when that is known. */
    boolean add(TopicFilter filter, NodeRef node) {
        NodeRef[] before = filters.find(filter);
        NodeRef[] after = shared(with(before == null ? Route.NO_NODES : before, node));
        filters.replace(filter, before, after);
        return before != after;
    }

    boolean remove(TopicFilter filter, NodeRef node) {
        NodeRef[] before = filters.find(filter);
        if (before == null || !Arrays.asList(before).contains(node)) {
            return false;
        }
        NodeRef[] left = without(before, node);
        filters.replace(filter, before, left.length == 0 ? null : shared(left));
        return true;
    }

    /** Interns a set: by its nodes, and by which of them have a durable subscriber. */
    private NodeRef[] shared(NodeRef[] set) {
        List<Integer> key = new ArrayList<>(set.length);
        for (NodeRef node : set) {
            key.add(node.server() << 1 | (node.hasDurable() ? 1 : 0));
        }
        NodeRef[] known = sets.putIfAbsent(key, set);
        return known == null ? set : known;
    }

    /**
     * The nodes with this one, in place of an equal one; the same array when it has it as it is.
     */
    static NodeRef[] with(NodeRef[] nodes, NodeRef node) {
        int at = Arrays.asList(nodes).indexOf(node);
        if (at < 0) {
            return union(nodes, new NodeRef[] {node});
        }
        if (nodes[at].hasSame(node)) {
            return nodes;
        }
        NodeRef[] after = nodes.clone();
        after[at] = node;
        return after;
    }

    /** The nodes without this one. */
    static NodeRef[] without(NodeRef[] nodes, NodeRef node) {
        List<NodeRef> left = new ArrayList<>(Arrays.asList(nodes));
        left.remove(node);
        return left.toArray(Route.NO_NODES);
    }

    /**
     * Both sorted by server id, and so is what they make together; one of them when it has all. Of
     * a node in both, the one with a durable subscriber stays.
     */
    static NodeRef[] union(NodeRef[] a, NodeRef[] b) {
        if (a.length == 0 || a == b) {
            return b;
        }
        NodeRef[] both = new NodeRef[a.length + b.length];
        boolean isA = true;
        boolean isB = true;
        int n = 0;
        int i = 0;
        int j = 0;
        while (i < a.length || j < b.length) {
            @Nullable NodeRef left = i < a.length ? a[i] : null;
            @Nullable NodeRef right = j < b.length ? b[j] : null;
            int order = order(left, right);
            boolean takesLeft =
                    order < 0 || order == 0 && (a[i].hasDurable() || !b[j].hasDurable());
            both[n++] = takesLeft ? a[i] : b[j];
            isA &= order < 0 || order == 0 && a[i].hasDurable() == both[n - 1].hasDurable();
            isB &= order > 0 || order == 0 && b[j].hasDurable() == both[n - 1].hasDurable();
            i += order <= 0 ? 1 : 0;
            j += order >= 0 ? 1 : 0;
        }
        if (isA) {
            return a;
        }
        return isB ? b : Arrays.copyOf(both, n);
    }

    private static int order(@Nullable NodeRef left, @Nullable NodeRef right) {
        if (left == null) {
            return 1;
        }
        return right == null ? -1 : Integer.compare(left.server(), right.server());
    }
}
