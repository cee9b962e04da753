package io.godwit.cluster.registration;

import io.godwit.cluster.registration.RegistrationMessage.OfStandIn;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.Resumed;
import io.godwit.cluster.transport.Unconfirmed;
import io.godwit.core.time.Timer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Gathers what a turn of one shard has for other nodes and other shards, and knows which nodes are
 * in reach.
 */
final class RegistrationOutbox {
    /** Takes what this shard has for a shard of its own node, this one too. */
    interface OwnShards {
        void deliver(int shard, List<RegistrationMessage> messages);
    }

    private final NodeStart self;
    private final int shard;
    private final int shards;
    private final RegistrationTimes times;
    private final ShardTurns turns;
    private final OwnShards ownShards;
    private final Consumer<NodeStart> whenAway;

    private final Map<NodeStart, Peer> peers = new LinkedHashMap<>();
    private final List<List<RegistrationMessage>> own = new ArrayList<>();
    private boolean isFlushAsked;

    private final class Peer extends Timer {
        final NodeStart start;
        final PeerChannel channel = new PeerChannel(shard);
        boolean isHeard;

        /** Whether it is out of reach for good, as far as is known. */
        boolean isGone;

        /** How long it was not heard while this process ran. */
        long unheardMs;

        /** Nobody waits for it any more. */
        boolean isAway;

        long awayAtMs;

        Peer(NodeStart start) {
            this.start = start;
        }

        void armAway() {
            awayAtMs = turns.nowMs() + times.peerTimeoutMs();
            turns.arm(this, awayAtMs);
        }

        @Override
        protected void onTimer(long nowMs) {
            if (nowMs - awayAtMs > RegistrationTimes.PAUSE_MS) {
                armAway();
            } else {
                away(this);
            }
        }
    }

    /**
     * @param whenAway told of a node that nobody waits for any more
     */
    RegistrationOutbox(
            NodeStart self,
            int shard,
            int shards,
            RegistrationTimes times,
            ShardTurns turns,
            OwnShards ownShards,
            Consumer<NodeStart> whenAway) {
        this.self = self;
        this.shard = shard;
        this.shards = shards;
        this.times = times;
        this.turns = turns;
        this.ownShards = ownShards;
        this.whenAway = whenAway;
        for (int i = 0; i < shards; i++) {
            own.add(new ArrayList<>(0));
        }
    }

    // ---------------------------------------------------------------- sending

    /** Sends a message to a node as a leader, or as a stand-in. */
    void send(NodeStart to, boolean asStandIn, RegistrationMessage message) {
        send(to, asStandIn ? new OfStandIn(message) : message);
    }

    /** Sends a message at the end of the turn; to a start that is not known, to nobody. */
    void send(NodeStart to, RegistrationMessage message) {
        if (to.equals(self)) {
            RegistrationRoutes.route(message, shards, own);
        } else {
            Peer peer = peers.get(to);
            if (peer == null) {
                return;
            }
            peer.channel.add(message);
        }
        if (!isFlushAsked) {
            isFlushAsked = true;
            turns.atTurnEnd(this::flush);
        }
    }

    private void flush() {
        isFlushAsked = false;
        for (Peer each : peers.values()) {
            each.channel.flush();
        }
        for (int i = 0; i < shards; i++) {
            List<RegistrationMessage> messages = own.get(i);
            if (!messages.isEmpty()) {
                own.set(i, new ArrayList<>(0));
                ownShards.deliver(i, messages);
            }
        }
    }

    // ---------------------------------------------------------------- nodes

    /** Whether what is sent to that start of a node arrives, as long as both live. */
    boolean knows(NodeStart node) {
        return node.equals(self) || peers.containsKey(node);
    }

    /** Whether it is heard now. */
    boolean isHeard(NodeStart node) {
        Peer peer = peers.get(node);
        return node.equals(self) || peer != null && peer.isHeard;
    }

    /** Whether nobody waits for it: it was silent for too long, or that start has ended. */
    boolean isAway(NodeStart node) {
        Peer peer = peers.get(node);
        return !node.equals(self) && (peer == null || peer.isAway);
    }

    /** Returns the nodes that are waited for, this one too. */
    List<NodeStart> live() {
        List<NodeStart> live = new ArrayList<>(peers.size() + 1);
        live.add(self);
        for (Peer each : peers.values()) {
            if (!each.isAway) {
                live.add(each.start);
            }
        }
        return live;
    }

    /**
     * Finds nodes that are out of reach for good now, as far as is known.
     *
     * @param passedMs since it was asked last, while this process ran
     * @param hasEnded knows which servers have ended
     */
    List<NodeStart> gone(long passedMs, IntPredicate hasEnded) {
        List<NodeStart> gone = new ArrayList<>(0);
        for (Peer each : peers.values()) {
            if (!each.isHeard && !each.isGone) {
                each.unheardMs += passedMs;
                boolean isLong = times.goneMs() > 0 && each.unheardMs >= times.goneMs();
                if (isLong || hasEnded.test(each.start.server())) {
                    each.isGone = true;
                    gone.add(each.start);
                }
            }
        }
        return gone;
    }

    /** Returns the servers that are out of reach for good, as far as is known. */
    Set<Integer> goneServers() {
        Set<Integer> servers = new HashSet<>();
        for (Peer each : peers.values()) {
            if (each.isGone) {
                servers.add(each.start.server());
            }
        }
        return servers;
    }

    /** Returns the start of a server that is known and older than this one. */
    @Nullable NodeStart olderThan(NodeStart start) {
        for (NodeStart each : peers.keySet()) {
            if (each.server() == start.server() && each.start() < start.start()) {
                return each;
            }
        }
        return null;
    }

    /** Returns the known start of a server. */
    @Nullable NodeStart start(int server) {
        for (NodeStart each : peers.keySet()) {
            if (each.server() == server) {
                return each;
            }
        }
        return null;
    }

    void onUp(PeerLink link, Resumed resumed) {
        Peer peer = peers.computeIfAbsent(link.peer(), Peer::new);
        peer.channel.onUp(link, resumed);
        heard(peer);
    }

    void onDown(PeerLink link, List<Unconfirmed> mine) {
        Peer peer = peers.get(link.peer());
        if (peer != null) {
            peer.channel.onDown(mine);
            peer.isHeard = false;
            if (!peer.isAway) {
                peer.armAway();
            }
        }
    }

    void onSilent(NodeStart node) {
        Peer peer = peers.get(node);
        if (peer != null) {
            away(peer);
        }
    }

    void onHeard(NodeStart node) {
        Peer peer = peers.get(node);
        if (peer != null) {
            heard(peer);
        }
    }

    private void heard(Peer peer) {
        peer.isHeard = true;
        peer.isGone = false;
        peer.unheardMs = 0;
        peer.isAway = false;
        turns.cancel(peer);
    }

    private void away(Peer peer) {
        peer.isHeard = false;
        if (!peer.isAway) {
            peer.isAway = true;
            turns.cancel(peer);
            whenAway.accept(peer.start);
        }
    }

    /** Forgets a start that has ended, with what was to be sent there. */
    void onEnded(NodeStart node) {
        Peer peer = peers.remove(node);
        if (peer != null) {
            turns.cancel(peer);
        }
    }

    /** Counts the bytes that wait for links, for the account of memory. */
    long waitingBytes() {
        long bytes = 0;
        for (Peer each : peers.values()) {
            bytes += each.channel.waitingBytes();
        }
        return bytes;
    }
}
