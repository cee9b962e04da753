package io.godwit.core.publish;

import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.NodeRef;
import java.util.Arrays;

/** The shared groups of other nodes that get a message, by node. */
public final class GroupTargets {
    /** None does. */
    public static final GroupTargets NONE = new GroupTargets(NodePaths.NONE, new TopicFilter[0][]);

    /** No group. */
    public static final TopicFilter[] NO_FILTERS = new TopicFilter[0];

    private final NodeRef[] nodes;
    private final TopicFilter[][] filters;

    private GroupTargets(NodeRef[] nodes, TopicFilter[][] filters) {
        this.nodes = nodes;
        this.filters = filters;
    }

    /** These, and a group of a node. */
    GroupTargets with(NodeRef node, TopicFilter group) {
        int at = Arrays.asList(nodes).indexOf(node);
        NodeRef[] allNodes = Arrays.copyOf(nodes, at < 0 ? nodes.length + 1 : nodes.length);
        TopicFilter[][] all = Arrays.copyOf(filters, allNodes.length);
        int place = at < 0 ? nodes.length : at;
        TopicFilter[] before = of(node);
        TopicFilter[] after = Arrays.copyOf(before, before.length + 1);
        after[before.length] = group;
        if (at < 0 || node.hasDurable()) {
            allNodes[place] = node; // One durable group at the node is enough.
        }
        all[place] = after;
        return new GroupTargets(allNodes, all);
    }

    /** The nodes; never changed by anyone. */
    public NodeRef[] nodes() {
        return nodes;
    }

    /** Whether one of the groups of a node has a durable member there. */
    public boolean hasDurable(NodeRef at) {
        for (NodeRef node : nodes) {
            if (node.equals(at)) {
                return node.hasDurable();
            }
        }
        return false;
    }

    /** The whole filters of the groups of a node; never changed by anyone. */
    public TopicFilter[] of(NodeRef node) {
        for (int i = 0; i < nodes.length; i++) {
            if (nodes[i].equals(node)) {
                return filters[i];
            }
        }
        return NO_FILTERS;
    }
}
