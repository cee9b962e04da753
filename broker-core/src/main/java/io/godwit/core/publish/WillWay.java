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

    void publish(Router router, Message message, @Nullable Receipt receipt) {
        NodePaths paths = paths();
        NodeRef[] late = NodePaths.NONE;
        if (paths != null) {
            paths.arrive(shard, sender);
            NodeRef[] to = router.routes().of(message.topic).nodes();
            late = paths.sendLate(message, to, receipt);
        }
        router.publishOwn(message, receipt, late);
        if (!message.retain && isHere() && !session.isEnded()) {
            sent(router.wentTo(), message);
        }
    }

    /** A session that has gone meanwhile has its ways elsewhere. */
    private boolean isHere() {
        return session.owner() == shard.index();
    }

    private @Nullable NodePaths paths() {
        return isHere() ? session.nodePaths() : null;
    }

    private void sent(NodeRef[] nodes, Message message) {
        if (nodes.length == 0) {
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

    private void forget() {
        if (isHere()) {
            session.forgetIdlePaths();
        }
    }
}
