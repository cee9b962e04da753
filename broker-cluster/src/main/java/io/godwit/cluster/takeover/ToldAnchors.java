package io.godwit.cluster.takeover;

import io.godwit.cluster.membership.Slots;
import io.godwit.cluster.takeover.TakeoverMessage.RoomWanted;
import io.godwit.core.packet.ClientId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;

/**
 * Waits until the anchors of client ids have heard what this node has said of them, before it makes
 * durable sessions: of a session that nobody has been told of nobody knows when its node dies, and
 * its client would get another one elsewhere. What is said to a node is heard in order, so one
 * question to each anchor is asked for all that wait, and the next one when that is answered.
 *
 * <p>Whoever is not linked is not waited for. While a link comes or goes what it was told may be
 * lost: then those who wait do so until all slots are told of, and it is asked anew.
 */
final class ToldAnchors {
    private final int self;
    private final Anchors anchors;
    private final Post post;
    private final BooleanSupplier areTold;

    private List<Waiting> waiting = new ArrayList<>();

    /** Those for whom nodes are asked now. */
    private List<Waiting> asked = new ArrayList<>();

    /** Server ids of those that are asked, and have not answered. */
    private final Set<Integer> missing = new TreeSet<>();

    /** By server id: questions that are under way; with the last of them it has heard all. */
    private final Map<Integer, Integer> open = new HashMap<>();

    private record Waiting(ClientId clientId, Runnable task) {}

    /**
     * @param self server id of this node
     * @param areTold whether nothing is to be told of whole slots; see {@link #look}
     */
    ToldAnchors(int self, Anchors anchors, Post post, BooleanSupplier areTold) {
        this.self = self;
        this.areTold = areTold;
        this.anchors = anchors;
        this.post = post;
    }

    /** Runs a task when the anchors of a client id know what was said before. */
    void when(ClientId clientId, Runnable task) {
        waiting.add(new Waiting(clientId, task));
        look();
    }

    /** Asks for those who wait, when nobody is asked and every slot is told of. */
    void look() {
        if (waiting.isEmpty() || !asked.isEmpty() || !areTold.getAsBoolean()) {
            return;
        }
        asked = waiting;
        waiting = new ArrayList<>();
        for (Waiting each : asked) {
            int slot = Slots.of(each.clientId);
            ask(anchors.first(slot));
            ask(anchors.second(slot));
        }
        answered();
    }

    private void ask(int server) {
        if (server != self && server != Anchors.NOBODY && post.reaches(server)) {
            if (missing.add(server)) {
                send(server, new RoomWanted());
            }
        }
    }

    /** Sends it; of each question it is known that it is under way. */
    void send(int server, TakeoverMessage message) {
        if (message instanceof RoomWanted && server != self && post.reaches(server)) {
            open.merge(server, 1, Integer::sum);
        }
        post.send(server, message);
    }

    /** A node has answered a question. */
    void heard(int server) {
        int left = open.merge(server, -1, Integer::sum);
        if (left <= 0) {
            open.remove(server);
            missing.remove(server);
            answered();
        }
    }

    private void answered() {
        if (missing.isEmpty()) {
            List<Waiting> all = asked;
            asked = new ArrayList<>();
            all.forEach(each -> each.task.run());
            look();
        }
    }

    /** What a node was told, or has answered, may be lost with a link. */
    void again(int server) {
        open.remove(server);
        if (missing.remove(server)) {
            missing.clear();
            asked.addAll(waiting);
            waiting = asked;
            asked = new ArrayList<>();
        }
    }
}
