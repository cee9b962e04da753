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

    static final NodeRef[] NONE = new NodeRef[0];

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
            open.values().removeIf(each -> unanswered(each).length == 0);
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
        return waitsFor(path) >= 0;
    }

    /**
     * Nodes that have not answered for a message of this topic. When nothing has to wait they are
     * away: what comes next goes to them by the same stream, or it would be there first when they
     * are back.
     */
    NodeRef[] unanswered(Topic topic) {
        Path path = open.get(topic);
        return path == null ? NONE : unanswered(path);
    }

    private NodeRef[] unanswered(Path path) {
        int count = 0;
        NodeRef[] late = new NodeRef[path.nodes.length];
        for (int i = 0; i < path.nodes.length; i++) {
            if (!sender.isAnswered(path.nodes[i], path.positions[i])) {
                late[count++] = path.nodes[i];
            }
        }
        return count == 0 ? NONE : Arrays.copyOf(late, count);
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

    /** The first node that has not answered and is not away; -1 for none. */
    private int waitsFor(@Nullable Path path) {
        for (int i = 0; path != null && i < path.nodes.length; i++) {
            NodeRef node = path.nodes[i];
            if (!sender.isAnswered(node, path.positions[i]) && !sender.isAway(node)) {
                return i;
            }
        }
        return -1;
    }
}
