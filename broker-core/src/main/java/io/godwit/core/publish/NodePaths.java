package io.godwit.core.publish;

import io.godwit.core.message.Message;
import io.godwit.core.packet.Topic;
import io.godwit.core.routing.NodeRef;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which ways to other nodes the PUBLISHes of one client have taken that are not answered. While
 * there are some on a topic, none of that topic takes another way: to other nodes, or as a retained
 * message, which goes by the stream of the shard that keeps those. So order per topic holds through
 * any change of route.
 *
 * <p>Made with the first PUBLISH that goes to another node.
 */
final class NodePaths {
    /** Topics after which those that are answered are looked for. */
    private static final int SWEEP_AT = 64;

    private static final class Path {
        final NodeRef[] nodes;
        final long[] positions;

        Path(NodeRef[] nodes) {
            this.nodes = nodes;
            this.positions = new long[nodes.length];
        }
    }

    private final NodeSender sender;
    private final Map<Topic, Path> open = new HashMap<>();
    private int sweepAt = SWEEP_AT;

    NodePaths(NodeSender sender) {
        this.sender = sender;
    }

    /** A message went to these nodes just now, by this shard's streams. */
    void sent(Topic topic, NodeRef[] nodes) {
        Path path = open.get(topic);
        if (path == null || path.nodes != nodes) {
            path = new Path(nodes);
            open.put(topic, path);
        }
        for (int i = 0; i < nodes.length; i++) {
            path.positions[i] = sender.position(nodes[i]);
        }
        if (open.size() >= sweepAt) {
            open.values().removeIf(each -> waitsFor(each) < 0);
            sweepAt = Math.max(SWEEP_AT, open.size() * 2);
        }
    }

    /**
     * Whether a message has to wait.
     *
     * @param nodes that it would go to
     */
    boolean mustWait(Message message, NodeRef[] nodes) {
        Path path = open.get(message.topic);
        if (path == null || !message.retain && Arrays.equals(path.nodes, nodes)) {
            return false;
        }
        if (waitsFor(path) >= 0) {
            return true;
        }
        open.remove(message.topic);
        return false;
    }

    /** Runs a task when something has been answered that a message of this topic waits for. */
    void whenAnswered(Topic topic, Runnable task) {
        Path path = open.get(topic);
        int at = path == null ? -1 : waitsFor(path);
        if (path == null || at < 0) {
            task.run();
        } else {
            sender.whenAnswered(path.nodes[at], path.positions[at], task);
        }
    }

    /** The first node that has not answered; -1 for none. */
    private int waitsFor(@Nullable Path path) {
        for (int i = 0; path != null && i < path.nodes.length; i++) {
            if (!sender.isAnswered(path.nodes[i], path.positions[i])) {
                return i;
            }
        }
        return -1;
    }
}
