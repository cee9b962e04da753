package io.godwit.core.routing;

import io.godwit.core.packet.TopicFilter;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A shared-subscription group as other nodes have it: which of them have a member of it that is
 * online, and which only members that are not. Immutable.
 *
 * @param filter whole, {@code $share/group/filter}
 * @param online nodes with a member that is online, in the order of their server ids
 * @param waiting nodes with members of which none is online, in the same order
 * @param sticky one of {@code online}, the same for as long as it is among them; null when there is
 *     none
 */
public record GroupElsewhere(
        TopicFilter filter, NodeRef[] online, NodeRef[] waiting, @Nullable NodeRef sticky) {
    static final GroupElsewhere[] NONE = new GroupElsewhere[0];

    static GroupElsewhere nowhere(TopicFilter filter) {
        return new GroupElsewhere(filter, Route.NO_NODES, Route.NO_NODES, null);
    }

    boolean isNowhere() {
        return online.length == 0 && waiting.length == 0;
    }

    /** Returns the group with what a node has of it now. */
    GroupElsewhere with(NodeRef node, GroupState state) {
        NodeRef[] nowOnline = with(online, node, state.isOnline());
        NodeRef[] nowWaiting = with(waiting, node, state.isWaiting());
        return nowOnline == online && nowWaiting == waiting
                ? this
                : new GroupElsewhere(filter, nowOnline, nowWaiting, stickyOf(nowOnline));
    }

    private @Nullable NodeRef stickyOf(NodeRef[] nodes) {
        if (nodes.length == 0) {
            return null;
        }
        for (NodeRef node : nodes) {
            if (node.equals(sticky)) {
                return node; // What it has there may be something else now.
            }
        }
        // Groups differ in it, so that not all of them stay with the same node.
        return nodes[Math.floorMod(filter.hashCode(), nodes.length)];
    }

    private static NodeRef[] with(NodeRef[] nodes, NodeRef node, boolean has) {
        if (has) {
            return NodeFilters.with(nodes, node);
        }
        return Arrays.asList(nodes).contains(node) ? NodeFilters.without(nodes, node) : nodes;
    }
}
