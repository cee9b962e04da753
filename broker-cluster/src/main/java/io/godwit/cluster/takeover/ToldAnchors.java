package io.godwit.cluster.takeover;

import io.godwit.cluster.membership.Slots;
import io.godwit.cluster.takeover.TakeoverMessage.RoomWanted;
import io.godwit.core.packet.ClientId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Waits until the anchors of client ids have heard what this node has said of them, before it makes
 * durable sessions: of a session that nobody has been told of nobody knows when its node dies, and
 * its client would get another one elsewhere. What is said to a node is heard in order, so one
 * question to an anchor is asked for all that wait for it, and the next one when that is answered.
 *
 * <p>A node that is not linked is not waited for, and any other no longer than {@code
 * cluster.peer-timeout}, as a SUBACK waits. While a link comes or goes what the node was told may
 * be lost: then those who wait do so until all slots are told of, and it is asked anew. Questions
 * have numbers, since what it was asked before that may be answered after it.
 */
final class ToldAnchors {
    private final int self;
    private final Anchors anchors;
    private final Post post;
    private final BooleanSupplier areTold;
    private final long timeoutMs;

    /** Those for whom nobody is asked yet, in order. */
    private final ArrayDeque<Waiting> unasked = new ArrayDeque<>(0);

    /** Those who wait for answers, in order; what is done stays until it is the first. */
    private final ArrayDeque<Waiting> asked = new ArrayDeque<>(0);

    /** By server id. */
    private final Map<Integer, Questions> questions = new HashMap<>();

    private long nowMs;
    private long number = Drain.QUESTION;

    private static final class Waiting {
        /** Whose anchors; null: certain nodes. */
        final @Nullable ClientId clientId;

        final Runnable task;
        final long untilMs;

        /** How many have not answered. */
        int missing;

        boolean isDone;

        Waiting(@Nullable ClientId clientId, Runnable task, long untilMs) {
            this.clientId = clientId;
            this.task = task;
            this.untilMs = untilMs;
        }
    }

    /** To one node. */
    private static final class Questions {
        /** Number of the one that is under way. */
        long open;

        /** Those for whom it is asked now, and next. */
        List<Waiting> now = new ArrayList<>();

        List<Waiting> next = new ArrayList<>();
    }

    /**
     * @param self server id of this node
     * @param areTold whether nothing is to be told of whole slots; see {@link #look}
     */
    ToldAnchors(int self, Anchors anchors, Post post, BooleanSupplier areTold, long timeoutMs) {
        this.self = self;
        this.areTold = areTold;
        this.anchors = anchors;
        this.post = post;
        this.timeoutMs = timeoutMs;
    }

    /** Passes the time, monotonic milliseconds. */
    void now(long now) {
        nowMs = now;
    }

    /** Runs a task when the anchors of a client id know what was said before. */
    void when(ClientId clientId, Runnable task) {
        unasked.add(new Waiting(clientId, task, nowMs + timeoutMs));
        look();
    }

    /**
     * Runs a task when some nodes know what they were told before; never, when the link to one of
     * them comes or goes before that.
     *
     * @param servers their server ids
     */
    void whenHeard(Set<Integer> servers, Runnable task) {
        ask(servers, new Waiting(null, task, nowMs + timeoutMs));
    }

    /** Asks for those who wait, when every slot is told of. */
    void look() {
        while (!unasked.isEmpty() && areTold.getAsBoolean()) {
            Waiting next = unasked.remove();
            int slot = Slots.of(Objects.requireNonNull(next.clientId));
            Set<Integer> both = new LinkedHashSet<>();
            both.add(anchors.first(slot));
            both.add(anchors.second(slot));
            ask(both, next);
        }
    }

    private void ask(Set<Integer> servers, Waiting of) {
        asked.add(of);
        of.missing = 1; // Until all are asked.
        servers.forEach(server -> ask(server, of));
        answered(of);
    }

    private void ask(int server, Waiting of) {
        if (server != self && server != Anchors.NOBODY && post.reaches(server)) {
            of.missing++;
            Questions to = questions.computeIfAbsent(server, any -> new Questions());
            to.next.add(of);
            askNext(server, to);
        }
    }

    private void askNext(int server, Questions to) {
        if (to.now.isEmpty() && !to.next.isEmpty()) {
            List<Waiting> free = to.now;
            to.now = to.next;
            to.next = free;
            to.open = ++number;
            post.send(server, new RoomWanted(to.open));
        }
    }

    /**
     * A node has answered.
     *
     * @param question see {@link TakeoverMessage.Room}
     */
    void heard(int server, long question) {
        Questions to = questions.get(server);
        if (to != null && (question == to.open || question == 0)) {
            List<Waiting> told = to.now;
            to.now = new ArrayList<>();
            askNext(server, to);
            told.forEach(this::answered);
        }
    }

    private void answered(Waiting each) {
        if (--each.missing == 0) {
            done(each);
        }
    }

    private static void done(Waiting each) {
        if (!each.isDone) {
            each.isDone = true;
            each.task.run();
        }
    }

    /**
     * What a node was told, or has answered, may be lost with a link: who waits for it asks anew.
     */
    void again(int server) {
        Questions lost = questions.remove(server);
        if (lost != null) {
            lost.now.forEach(this::again);
            lost.next.forEach(this::again);
        }
    }

    private void again(Waiting each) {
        boolean wasDone = each.isDone;
        each.isDone = true; // Others may still answer for it.
        if (!wasDone && each.clientId != null) {
            unasked.add(new Waiting(each.clientId, each.task, each.untilMs));
        }
    }

    /** Nobody is waited for for ever: an anchor may have stopped. */
    void tick() {
        expire(asked);
        expire(unasked);
        look();
    }

    private void expire(ArrayDeque<Waiting> some) {
        Waiting first;
        while ((first = some.peek()) != null && (first.isDone || first.untilMs <= nowMs)) {
            some.remove();
            done(first);
        }
    }
}
