package io.godwit.cluster.takeover;

import io.godwit.cluster.transport.NodeStart;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * Carries what a node says about takeovers: over the links that there are, and to the node itself,
 * which hears it behind what it was said in. What is said to others is lost: it is said again when
 * there is a link.
 */
final class Post implements Out {
    private final NodeStart self;
    private final BiConsumer<Integer, TakeoverMessage> link;
    private final BiConsumer<NodeStart, TakeoverMessage> hearer;

    /** By server id: the nodes that there is a link to. */
    private final Map<Integer, NodeStart> linked = new HashMap<>();

    /** Said to this node itself, and not heard yet. */
    private final ArrayDeque<TakeoverMessage> own = new ArrayDeque<>();

    private boolean hearing;

    /**
     * @param link sends to a node that there is a link to
     * @param hearer hears what this node says to itself
     */
    Post(
            NodeStart self,
            BiConsumer<Integer, TakeoverMessage> link,
            BiConsumer<NodeStart, TakeoverMessage> hearer) {
        this.self = self;
        this.link = link;
        this.hearer = hearer;
    }

    @Override
    public void send(int server, TakeoverMessage message) {
        if (server == self.server()) {
            own.add(message);
        } else if (linked.containsKey(server)) {
            link.accept(server, message);
        }
    }

    /** Has this node hear what it has said to itself; within that call, does nothing. */
    void hear() {
        if (hearing) {
            return;
        }
        hearing = true;
        for (TakeoverMessage next = own.poll(); next != null; next = own.poll()) {
            hearer.accept(self, next);
        }
        hearing = false;
    }

    // ---------------------------------------------------------------- links

    void linked(NodeStart peer) {
        linked.put(peer.server(), peer);
    }

    /**
     * @return false when the link was to another start of that node, or there was none
     */
    boolean unlinked(NodeStart peer) {
        return linked.remove(peer.server(), peer);
    }

    /** Whether there is a link to that start of the node. */
    boolean isLinked(NodeStart peer) {
        return peer.equals(linked.get(peer.server()));
    }

    /** Whether what is said to the node gets there. */
    boolean reaches(int server) {
        return server == self.server() || linked.containsKey(server);
    }

    /** Server ids of the nodes that there is a link to. */
    Set<Integer> others() {
        return linked.keySet();
    }
}
