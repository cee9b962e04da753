package io.godwit.core.publish;

import io.godwit.core.ack.PublisherTask;
import io.godwit.core.ack.Receipt;
import io.godwit.core.ack.ReceiptListener;
import io.godwit.core.message.Message;
import io.godwit.core.message.PassingMessage;
import io.godwit.core.packet.Topic;
import io.godwit.core.routing.NodeRef;
import io.godwit.core.routing.Route;
import io.godwit.core.shard.Shard;
import java.util.function.BooleanSupplier;
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

    /** The topic and the route of the last message, if the next one may go the same way. */
    private @Nullable Topic plainTopic;

    private @Nullable Route plain;

    /** The node for which the client waits, since it has enough to do; null for none. */
    private @Nullable NodeRef roomAt;

    private final Runnable hasRoom;
    private boolean ended;

    /** Whether what it waits for is still full, where nobody says when it no longer is. */
    private @Nullable BooleanSupplier isFull;

    /**
     * @param connection whose PUBLISHes these are
     * @param whenAnswered run when what waits for an answer may be tried again
     * @param whenRoom the same when there is room, and more may be read
     */
    NodeWays(
            ReceiptListener connection,
            Shard shard,
            Routes routes,
            NodeSender sender,
            PublisherSession session,
            Runnable whenAnswered,
            Runnable whenRoom) {
        this.hasRoom = new PublisherTask(connection, this::hasRoom);
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
        BooleanSupplier full = isFull;
        if (full != null && !full.getAsBoolean()) {
            isFull = null;
        }
        return roomAt != null || isFull != null;
    }

    /**
     * Has a message wait that a full node would have to be sent.
     *
     * @param node that is full, of those that it goes to; null for none
     * @param stillFull whether there is such a node
     * @return whether it waits
     */
    boolean awaitsRoom(Message message, @Nullable NodeRef node, BooleanSupplier stillFull) {
        NodePaths open = message.qos == 0 ? null : paths;
        FormerWay way = open == null ? null : open.formerFull(routes.of(message.topic).nodes());
        if (way != null) {
            isFull = way::isFull;
        } else if (node != null && sender.hasRoom(node)) {
            isFull = stillFull; // Of what another shard keeps, which does not tell.
        } else if (node != null) {
            awaitRoom(node);
        }
        return way != null || node != null;
    }

    private void awaitRoom(NodeRef node) {
        if (roomAt == null && !ended) {
            roomAt = node;
            sender.whenRoom(node, hasRoom);
        }
    }

    /** The connection has ended: it waits for no room. */
    void end() {
        ended = true;
        if (roomAt != null) {
            sender.forgetRoom(roomAt, hasRoom);
        }
    }

    /**
     * Whether a message of a topic, if it is not retained, goes the way of the one before it, to
     * sessions of other nodes alone, and there is room: most do, and then neither {@link #mustWait}
     * nor {@link NodeRoom} has to be asked.
     */
    boolean goesOn(Topic topic) {
        Route route = plain;
        if (route == null || topic != plainTopic || waitsForAnswer || !routes.isOf(route, topic)) {
            return false;
        }
        for (NodeRef node : route.nodes()) {
            if (!sender.hasRoom(node)) {
                return false;
            }
        }
        return true;
    }

    /** Sends what {@linkplain #goesOn goes on}. */
    void passOn(PassingMessage message, @Nullable Receipt receipt) {
        Route route = plain;
        NodePaths open = paths;
        if (route == null || open == null) {
            throw new IllegalStateException("no message has gone before");
        }
        NodeRef[] nodes = route.nodes();
        sender.passOn(nodes, message, receipt);
        open.sent(message.topic, nodes);
        feeds(nodes);
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
        return open == null || !message.retain && !open.hasFormer()
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
        Topic topic = message.topic;
        if (topic != plainTopic || topic.route != plain) {
            Route route = routes.of(topic);
            plainTopic = topic;
            plain = open.hasFormer() || topic.isSysTree() || !isPlain(route) ? null : route;
        }
        feeds(nodes);
    }

    private static boolean isPlain(Route route) {
        return route.count() == 0 && route.groups().length == 0 && route.spread().length == 0;
    }

    /** Messages of this client go to these nodes: it waits while one of them has enough to do. */
    void feeds(NodeRef[] nodes) {
        for (NodeRef node : nodes) {
            if (!sender.hasRoom(node)) {
                awaitRoom(node);
            }
        }
    }

    private void hasRoom() {
        roomAt = null;
        whenRoom.run();
    }
}
