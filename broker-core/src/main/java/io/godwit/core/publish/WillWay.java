package io.godwit.core.publish;

import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import io.godwit.core.routing.NodeRef;
import io.godwit.core.shard.Shard;
import org.jspecify.annotations.Nullable;

/**
 * The way of a will to other nodes: behind what its client has published before, and before what
 * the client publishes when it is back, though its session is on another shard then. A will does
 * not wait for answers as a PUBLISH does: it goes by the former way.
 */
final class WillWay {
    private final Shard shard;
    private final NodeSender sender;
    private final PublisherSession session;

    WillWay(Shard shard, NodeSender sender, PublisherSession session) {
        this.shard = shard;
        this.sender = sender;
        this.session = session;
    }

    /**
     * Sends the will to those nodes that it has to reach by a former way.
     *
     * @param nodes that it goes to
     * @return those that it was sent to
     */
    NodeRef[] sendLate(Message message, NodeRef[] nodes, @Nullable Receipt receipt) {
        NodePaths paths = isHere() ? session.nodePaths() : null;
        if (paths == null) {
            return NodePaths.NONE;
        }
        paths.arrive(shard, sender);
        return paths.sendLate(message, nodes, receipt);
    }

    /** It went to these nodes just now, by this shard's streams: what follows goes the same way. */
    void wentTo(NodeRef[] nodes, Message message) {
        if (nodes.length == 0 || message.retain || !isHere() || session.isEnded()) {
            return;
        }
        NodePaths paths = session.nodePaths();
        if (paths == null) {
            paths = new NodePaths(shard, sender);
            session.nodePaths(paths);
        }
        paths.sent(message.topic, nodes);
        for (NodeRef node : nodes) {
            sender.whenAnsweredAtLast(node, sender.position(node), this::forget);
        }
    }

    /** A session that has gone meanwhile has its ways elsewhere. */
    private boolean isHere() {
        return session.owner() == shard.index();
    }

    private void forget() {
        if (isHere()) {
            session.forgetIdlePaths();
        }
    }
}
