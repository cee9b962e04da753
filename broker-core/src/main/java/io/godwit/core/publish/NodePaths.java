package io.godwit.core.publish;

import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import io.godwit.core.packet.Topic;
import io.godwit.core.routing.NodeRef;
import io.godwit.core.shard.Shard;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which ways to other nodes the PUBLISHes of one client have taken that are not answered. While
 * there are some on a topic, none of that topic takes another way: to other nodes, or as a retained
 * message, which goes by the stream of the shard that keeps those. So order per topic holds through
 * any change of route.
 *
 * <p>Belongs to the client's session, and goes with it; made with the first PUBLISH that goes to
 * another node.
 */
public final class NodePaths {
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

        long position(NodeRef node) {
            for (int i = 0; i < nodes.length; i++) {
                if (nodes[i].equals(node)) {
                    return positions[i];
                }
            }
            return 0;
        }
    }

    private Shard shard;
    private NodeSender sender;
    private final Map<Topic, Path> open = new HashMap<>();

    /** What was asked for last, and its path: a client's next message often has the same topic. */
    private @Nullable Topic lastTopic;

    private @Nullable Path lastPath;
    private final List<FormerWay> former = new ArrayList<>(0);

    /** What asks about former ways from this shard; another one from the next. */
    private Asking asking = new Asking();

    private int sweepAt = SWEEP_AT;

    NodePaths(Shard shard, NodeSender sender) {
        this.shard = shard;
        this.sender = sender;
    }

    // ---------------------------------------------------------------- with its session

    /** Whether there is nothing that anything would have to wait for. */
    public boolean isIdle() {
        sweep();
        return open.isEmpty() && former.isEmpty();
    }

    /** The session goes to another shard; on the one that it leaves. */
    public void leave() {
        asking.ended = true;
        former.forEach(FormerWay::leave);
        Map<NodeRef, Long> last = new LinkedHashMap<>();
        for (Path path : open.values()) {
            for (NodeRef node : unanswered(path)) {
                last.merge(node, path.position(node), Math::max);
            }
        }
        last.forEach((node, position) -> {
            if (former(node) == null) {
                former.add(new FormerWay(node, sender, shard.index(), position));
            }
        });
        open.clear();
        lastTopic = null;
    }

    /** A connection of its client publishes from this shard. */
    void arrive(Shard here, NodeSender senderHere) {
        if (shard == here && !asking.ended) {
            return;
        }
        shard = here;
        sender = senderHere;
        asking = new Asking();
        List.copyOf(former).forEach(way -> way.ask(here, asking));
    }

    /** Whether something went by another shard that is not answered. */
    boolean hasFormer() {
        return !former.isEmpty();
    }

    private @Nullable FormerWay former(NodeRef node) {
        for (FormerWay way : former) {
            if (way.node.equals(node)) {
                return way;
            }
        }
        return null;
    }

    private final class Asking implements FormerWay.Asker {
        boolean ended;

        @Override
        public void onAway(FormerWay way) {
            if (!ended) {
                way.goOn(true);
            }
        }

        @Override
        public void onAnswered(FormerWay way, boolean isOver) {
            if (ended) {
                return;
            }
            if (isOver) {
                former.remove(way);
                way.goOn(false);
            } else {
                way.ask(shard, this);
            }
        }

        @Override
        public void onSwitchedOver(FormerWay way, int switchOvers) {
            if (!ended) {
                way.switchedOver(switchOvers);
            }
        }
    }

    // ---------------------------------------------------------------- what is published

    /** A message went to these nodes just now, by this shard's streams. */
    void sent(Topic topic, NodeRef[] nodes) {
        Path path = path(topic);
        if (path == null || path.nodes != nodes) {
            path = new Path(nodes);
            open.put(topic, path);
            lastPath = path;
        }
        for (int i = 0; i < nodes.length; i++) {
            path.positions[i] = sender.position(nodes[i]);
        }
        if (open.size() >= sweepAt) {
            sweep();
            sweepAt = Math.max(SWEEP_AT, open.size() * 2);
        }
    }

    private @Nullable Path path(Topic topic) {
        if (topic != lastTopic) {
            lastPath = open.get(topic);
            lastTopic = topic;
        }
        return lastPath;
    }

    /** Takes out what is answered. */
    private void sweep() {
        open.values().removeIf(each -> unanswered(each).length == 0);
        lastTopic = null;
    }

    /**
     * Whether a message has to wait.
     *
     * @param nodes that it would go to
     */
    boolean mustWait(Message message, NodeRef[] nodes) {
        if (formerThatWaits(nodes) != null) {
            return true;
        }
        Path path = path(message.topic);
        if (path == null || !message.retain && Arrays.equals(path.nodes, nodes)) {
            return false;
        }
        return waitsFor(path) >= 0;
    }

    /**
     * Returns a way to one of these nodes that is not answered; or any whose node's slots another
     * one may have taken over since, for which the message may go there.
     */
    private @Nullable FormerWay formerThatWaits(NodeRef[] nodes) {
        for (FormerWay way : former) {
            if (way.isBehind(sender.switchOvers())) {
                return way;
            }
        }
        for (NodeRef node : nodes) {
            FormerWay way = former.isEmpty() ? null : former(node);
            if (way != null && !way.isAway()) {
                return way;
            }
        }
        return null;
    }

    /** The way to one of these nodes that its former shard has no room for; null for none. */
    @Nullable FormerWay formerFull(NodeRef[] nodes) {
        for (NodeRef node : nodes) {
            FormerWay way = former.isEmpty() ? null : former(node);
            if (way != null && way.isFull()) {
                return way;
            }
        }
        return null;
    }

    /**
     * Sends a message that does not have to wait to those nodes that have not answered for earlier
     * ones and are away, by the way that these took: by another one it would be there first when
     * they are back.
     *
     * @param nodes that it goes to
     * @return those that it was sent to
     */
    NodeRef[] sendLate(Message message, NodeRef[] nodes, @Nullable Receipt receipt) {
        if (former.isEmpty() && !message.retain) {
            return NONE;
        }
        List<NodeRef> sent = new ArrayList<>(0);
        for (NodeRef node : nodes) {
            FormerWay way = former.isEmpty() ? null : former(node);
            if (way != null) {
                way.send(shard, node, message, receipt);
                sent.add(node);
            }
        }
        Path path = message.retain ? open.get(message.topic) : null;
        if (path != null) {
            NodeRef[] late = asRouted(unanswered(path), nodes);
            if (late.length > 0) {
                sender.publishLate(late, message, receipt);
                sent(message.topic, late);
                sent.addAll(Arrays.asList(late));
            }
        }
        return sent.isEmpty() ? NONE : sent.toArray(NONE);
    }

    /** The nodes with what they have there now: a durable subscriber may have come since. */
    private static NodeRef[] asRouted(NodeRef[] late, NodeRef[] routed) {
        for (int i = 0; i < late.length; i++) {
            for (NodeRef node : routed) {
                if (node.equals(late[i])) {
                    late[i] = node;
                }
            }
        }
        return late;
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
    void whenAnswered(Topic topic, NodeRef[] nodes, Runnable task) {
        FormerWay way = formerThatWaits(nodes);
        if (way != null) {
            whenAnswered(way, task);
            return;
        }
        Path path = open.get(topic);
        int at = path == null ? -1 : waitsFor(path);
        if (path == null || at < 0) {
            task.run();
        } else {
            sender.whenAnswered(path.nodes[at], path.positions[at], task);
        }
    }

    private void whenAnswered(FormerWay way, Runnable task) {
        way.whenAnswered(task);
        if (way.isBehind(sender.switchOvers())) {
            way.askSwitchOvers(shard, asking, sender.switchOvers());
        }
    }

    /** Runs a task once each node that is not away has answered for all that was published. */
    public void whenAllAnswered(Runnable task) {
        for (FormerWay way : former) {
            if (!way.isAway() || way.isBehind(sender.switchOvers())) {
                whenAnswered(way, () -> whenAllAnswered(task));
                return;
            }
        }
        for (Path path : open.values()) {
            int at = waitsFor(path);
            if (at >= 0) {
                NodeRef node = path.nodes[at];
                sender.whenAnswered(node, lastPosition(node), () -> whenAllAnswered(task));
                return;
            }
        }
        task.run();
    }

    private long lastPosition(NodeRef node) {
        return open.values().stream().mapToLong(path -> path.position(node)).max().orElse(0);
    }

    /** The first node that has not answered and is not away; -1 for none. */
    private int waitsFor(@Nullable Path path) {
        for (int i = 0; path != null && i < path.nodes.length; i++) {
            NodeRef node = path.nodes[i];
            if (!sender.isAnswered(node, path.positions[i])
                    && (!sender.isAway(node) || sender.isSwitchingOver(node))) {
                return i;
            }
        }
        return -1;
    }
}
