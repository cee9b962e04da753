package io.godwit.core.publish;

import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import io.godwit.core.routing.NodeRef;
import io.godwit.core.shard.Shard;
import org.jspecify.annotations.Nullable;

/**
 * What one connection's PUBLISHes wait for at other nodes: answers, so that none takes another way
 * before those of its topic are answered; and room, so that who publishes to a busy node is not
 * read on.
 */
final class NodeWays {
    private final Shard shard;
    private final Routes routes;
    private final NodeSender sender;
    private final PublisherSession session;
    private final Runnable whenAnswered;
    private final Runnable whenRoom;

    /** The session's; null while it has published nothing to another node. */
    private @Nullable NodePaths paths;

    private boolean waitsForAnswer;
    private boolean waitsForRoom;

    /**
     * @param whenAnswered run when what waits for an answer may be tried again
     * @param whenRoom run when more may be read
     */
    NodeWays(
            Shard shard,
            Routes routes,
            NodeSender sender,
            PublisherSession session,
            Runnable whenAnswered,
            Runnable whenRoom) {
        this.shard = shard;
        this.routes = routes;
        this.sender = sender;
        this.session = session;
        this.whenAnswered = whenAnswered;
        this.whenRoom = whenRoom;
        this.paths = session.nodePaths();
        if (paths != null) {
            paths.arrive(shard, sender);
        }
    }

    /** Whether something waits for a node's answer. */
    boolean awaitsAnswer() {
        return waitsForAnswer;
    }

    /** Whether a node that this client publishes to has enough to do. */
    boolean awaitsRoom() {
        return waitsForRoom;
    }

    /** Whether a message has to wait for answers to those before it. */
    boolean mustWait(Message message) {
        NodePaths open = paths;
        if (open == null) {
            return false;
        }
        if (waitsForAnswer) {
            return true;
        }
        NodeRef[] nodes = routes.of(message.topic).nodes();
        if (!open.mustWait(message, nodes)) {
            return false;
        }
        waitsForAnswer = true;
        open.whenAnswered(message.topic, nodes, this::answered);
        return true;
    }

    private void answered() {
        waitsForAnswer = false;
        whenAnswered.run();
    }

    /**
     * Sends a message to nodes that it has to reach by a former way.
     *
     * @return those nodes
     */
    NodeRef[] sendLate(Message message, @Nullable Receipt receipt) {
        NodePaths open = paths;
        return open == null
                ? NodePaths.NONE
                : open.sendLate(message, routes.of(message.topic).nodes(), receipt);
    }

    /** A message of this client went to other nodes. */
    void wentTo(NodeRef[] nodes, Message message) {
        NodePaths open = paths;
        if (open == null) {
            open = session.nodePaths();
            if (open == null) {
                open = new NodePaths(shard, sender);
                session.nodePaths(open);
            }
            paths = open;
        }
        if (!message.retain) {
            open.sent(message.topic, nodes);
        }
        feeds(nodes);
    }

    /** Messages of this client go to these nodes: it waits while one of them has enough to do. */
    void feeds(NodeRef[] nodes) {
        for (NodeRef node : nodes) {
            if (!waitsForRoom && !sender.hasRoom(node)) {
                waitsForRoom = true;
                sender.whenRoom(node, this::hasRoom);
            }
        }
    }

    private void hasRoom() {
        waitsForRoom = false;
        whenRoom.run();
    }
}
