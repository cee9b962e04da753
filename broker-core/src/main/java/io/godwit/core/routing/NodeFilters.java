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
    private final Map<List<NodeRef>, NodeRef[]> sets = new HashMap<>();

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

    boolean add(TopicFilter filter, NodeRef node) {
        NodeRef[] before = filters.find(filter);
        NodeRef[] after =
                shared(union(before == null ? Route.NO_NODES : before, new NodeRef[] {node}));
        filters.replace(filter, before, after);
        return before != after;
    }

    boolean remove(TopicFilter filter, NodeRef node) {
        NodeRef[] before = filters.find(filter);
        if (before == null || !Arrays.asList(before).contains(node)) {
            return false;
        }
        List<NodeRef> left = new ArrayList<>(Arrays.asList(before));
        left.remove(node);
        filters.replace(
                filter, before, left.isEmpty() ? null : shared(left.toArray(Route.NO_NODES)));
        return true;
    }

    private NodeRef[] shared(NodeRef[] set) {
        NodeRef[] known = sets.putIfAbsent(List.of(set), set);
        return known == null ? set : known;
    }

    /** Both sorted by server id, and so is what they make together; one of them when it has all. */
    static NodeRef[] union(NodeRef[] a, NodeRef[] b) {
        if (a.length == 0 || a == b) {
            return b;
        }
        NodeRef[] both = new NodeRef[a.length + b.length];
        int n = 0;
        int i = 0;
        int j = 0;
        while (i < a.length || j < b.length) {
            @Nullable NodeRef left = i < a.length ? a[i] : null;
            @Nullable NodeRef right = j < b.length ? b[j] : null;
            int order =
                    left == null
                            ? 1
                            : right == null ? -1 : Integer.compare(left.server(), right.server());
            both[n++] = order <= 0 ? a[i] : b[j];
            i += order <= 0 ? 1 : 0;
            j += order >= 0 ? 1 : 0;
        }
        if (n == a.length) {
            return a;
        }
        return n == b.length ? b : Arrays.copyOf(both, n);
    }
}
