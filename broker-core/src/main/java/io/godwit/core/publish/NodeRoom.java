package io.godwit.core.publish;

import io.godwit.core.message.Message;
import io.godwit.core.packet.Topic;
import io.godwit.core.routing.NodeRef;
import io.godwit.core.routing.Route;
import io.godwit.core.routing.SpreadGroup;
import org.jspecify.annotations.Nullable;

/**
 * Which messages have to wait, before they are routed, for a node that enough is kept for, and
 * which are refused since that node is away.
 */
final class NodeRoom {
    private final NodeSender nodes;
    private final Routes routes;
    private final SharedRouting shared;

    NodeRoom(NodeSender nodes, Routes routes, SharedRouting shared) {
        this.nodes = nodes;
        this.routes = routes;
        this.shared = shared;
    }

    /**
     * A node that a message goes to and that is full: it has to wait here. One of QoS 0 waits for
     * nodes that are heard, as long as its client is there: else it is dropped.
     *
     * @return null when there is none
     */
    @Nullable NodeRef fullFor(Message message) {
        if (nodes == NodeSender.ALONE || message.topic.isSysTree()) {
            return null;
        }
        NodeRef full = fullOf(routes.of(message.topic), message);
        return full == null && message.retain ? nodes.holdsRetained() : full;
    }

    private @Nullable NodeRef fullOf(Route route, Message message) {
        for (NodeRef node : route.nodes()) {
            if (isFull(node, message)) {
                return node;
            }
        }
        for (SpreadGroup group : route.spread()) {
            NodeRef node = shared.nodeOf(group, message);
            if (node != null && isFull(node, message)) {
                return node;
            }
        }
        return null;
    }

    private boolean isFull(NodeRef node, Message message) {
        if (message.qos == 0) {
            return !nodes.hasRoom(node) && !nodes.isAway(node);
        }
        return nodes.isFull(node) || message.retain && nodes.isRetainedFull(node);
    }

    /** Whether a message waits for a node that is away, and may not. */
    boolean refuses(Message waiting) {
        NodeRef full = nodes.refusesForAway() ? fullFor(waiting) : null;
        return full != null && nodes.isAway(full);
    }

    /** Whether a message of this topic would wait for another node that is away, and may not. */
    boolean refuses(Topic topic) {
        if (!nodes.refusesForAway()) {
            return false;
        }
        Route route = routes.of(topic);
        for (NodeRef node : route.nodes()) {
            if (node.hasDurable() && nodes.isAway(node)) {
                return true;
            }
        }
        return !topic.isSysTree() && shared.awaitsNodes(route);
    }
}
