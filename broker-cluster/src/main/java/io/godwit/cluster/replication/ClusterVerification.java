package io.godwit.cluster.replication;

import io.godwit.cluster.replication.VerifyMessages.Verified;
import io.godwit.cluster.replication.VerifyMessages.Verify;
import io.godwit.cluster.transport.LinkState;
import io.godwit.cluster.transport.PeerLink;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Has all leaders of the cluster compare their copies, one leader after the other: a node describes
 * its queues for one comparison at a time. Asks for this node's operator, and answers other nodes.
 *
 * <p>On the shard that owns the copies.
 */
final class ClusterVerification {
    /** Everything is asked and answered within this time. */
    static final long LIMIT_MS = 60_000;

    /** Time that is kept for each leader that is asked later. */
    private static final long KEPT_MS = 2_000;

    /** A leader ends so long before who has asked does not wait any more. */
    private static final long ANSWER_MS = 500;

    /** Compares the copies of this node's queues. */
    interface Leader {
        /**
         * @param limitMs within which it is told
         * @param then told once
         */
        void verify(long limitMs, Consumer<LeaderVerdict> then);
    }

    private final int self;
    private final Leader leader;
    private final Map<Integer, PeerLink> links = new HashMap<>();
    private long questions;

    /** Asks the leaders for an operator; null while nobody has asked. */
    private @Nullable Round round;

    private long nowMs;

    /** One question of the operator. */
    private static final class Round {
        final Consumer<ClusterVerdict> then;
        final ArrayDeque<Integer> left;
        final long untilMs;
        final Map<Integer, LeaderVerdict> leaders = new TreeMap<>();
        final Map<Integer, String> unanswered = new TreeMap<>();

        /** The node that is asked now; 0: none is. */
        int asked;

        long question;
        @Nullable PeerLink link;
        long askedUntilMs;

        Round(Collection<Integer> servers, long untilMs, Consumer<ClusterVerdict> then) {
            left = new ArrayDeque<>(servers);
            this.untilMs = untilMs;
            this.then = then;
        }
    }

    /**
     * @param self server id of this node
     */
    ClusterVerification(int self, Leader leader) {
        this.self = self;
        this.leader = leader;
    }

    /** Whether nodes are asked for an operator. */
    boolean isAsking() {
        return round != null;
    }

    void onUp(PeerLink link) {
        links.put(link.peer().server(), link);
    }

    void onDown(PeerLink link) {
        links.remove(link.peer().server(), link);
        Round of = round;
        if (of != null && of.link == link) {
            unanswered(of, "its link broke");
        }
    }

    /**
     * Asks all members.
     *
     * @param others server ids of the members, but for this node
     * @param now monotonic milliseconds
     * @param then told once, within {@link #LIMIT_MS}
     */
    void verify(Collection<Integer> others, long now, Consumer<ClusterVerdict> then) {
        nowMs = now;
        if (round != null) {
            then.accept(ClusterVerdict.BUSY);
            return;
        }
        TreeSet<Integer> all = new TreeSet<>(others);
        all.add(self);
        Round made = new Round(all, nowMs + LIMIT_MS, then);
        round = made;
        next(made);
    }

    private void next(Round of) {
        while (round == of && of.asked == 0) {
            Integer server = of.left.poll();
            if (server == null) {
                round = null;
                of.then.accept(new ClusterVerdict(of.leaders, of.unanswered, false));
            } else {
                ask(of, server);
            }
        }
    }

    private void ask(Round of, int server) {
        long leftMs = of.untilMs - nowMs - KEPT_MS * of.left.size();
        if (leftMs <= ANSWER_MS) {
            of.unanswered.put(server, "the time was over before it was asked");
            return;
        }
        long question = ++questions;
        of.asked = server;
        of.question = question;
        of.askedUntilMs = nowMs + leftMs;
        of.link = null;
        if (server == self) {
            leader.verify(leftMs - ANSWER_MS, verdict -> onVerdict(self, question, verdict));
            return;
        }
        PeerLink link = links.get(server);
        if (link == null || link.state() != LinkState.UP) {
            of.asked = 0;
            of.unanswered.put(server, "it is out of reach");
            return;
        }
        of.link = link;
        if (!link.offer(new Verify(question, leftMs - ANSWER_MS))) {
            of.asked = 0;
            of.unanswered.put(server, "its link broke");
        }
    }

    private void onVerdict(int from, long question, LeaderVerdict verdict) {
        Round of = round;
        if (of != null && of.asked == from && of.question == question) {
            of.asked = 0;
            of.leaders.put(from, verdict);
            next(of);
        }
    }

    private void unanswered(Round of, String why) {
        of.unanswered.put(of.asked, why);
        of.asked = 0;
        next(of);
    }

    /** Another node asks. */
    void onVerify(PeerLink from, long question, long limitMs) {
        leader.verify(limitMs, verdict -> from.offer(new Verified(question, verdict.toBytes())));
    }

    /** Another node has answered. */
    void onVerified(PeerLink from, long question, LeaderVerdict verdict) {
        Round of = round;
        if (of != null && of.link == from) {
            onVerdict(from.peer().server(), question, verdict);
        }
    }

    /** Time has passed: who has not answered is not waited for. */
    void tick(long now) {
        nowMs = now;
        Round of = round;
        if (of != null && of.asked != 0 && nowMs >= of.askedUntilMs) {
            unanswered(of, "it did not answer in time");
        }
    }
}
