package io.godwit.cluster.publish;

import io.godwit.cluster.stream.OtherMembers;
import io.godwit.cluster.stream.SpareChunks;
import io.godwit.cluster.stream.StreamRecord;
import io.godwit.cluster.stream.UnansweredForGroups;
import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.time.Timer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The other nodes that one shard has heard of or sent to since its start. */
final class ShardPeers {
    /** Bytes that a stream may keep in any case, and those after which it is only late. */
    private static final long BYTES_LEAST = 1 << 10;

    private static final long BYTES_MOST = 8 << 20;

    /** Time after which messages kept for a forgotten node are offered to other nodes again. */
    private static final long AGAIN_MS = 100;

    private final BrokerShard shard;
    private final OpenPublishes open;
    private final Releases releases;
    private final Runnable whenToFlush;
    private final SpareChunks spares;
    private final Map<Integer, PeerStreams> peers = new LinkedHashMap<>();

    /** The same of those that are forgotten: nobody waits for them. */
    private final Map<Integer, PeerStreams> gone = new LinkedHashMap<>(0);

    private volatile Set<Integer> forgotten = Set.of();

    /** Whether the timer of {@link #askAgain} runs. */
    private boolean isAskedAgain;

    /** That which was asked for last: each message asks several times for each of its nodes. */
    private @Nullable PeerStreams last;

    /** The same for any thread; replaced when one is added. They are few. */
    private volatile PeerStreams[] shown = new PeerStreams[0];

    /** Bytes that one stream may keep: asked for several times for each message. */
    private volatile long bytesMax;

    /**
     * @param whenToFlush asks for {@link PeerStreams#flush} at the end of the turn
     */
    ShardPeers(BrokerShard shard, OpenPublishes open, Releases releases, Runnable whenToFlush) {
        this.shard = shard;
        this.open = open;
        this.releases = releases;
        this.whenToFlush = whenToFlush;
        this.spares = new SpareChunks(shard.load()::peerBytesMax, shard.load()::spareChunks);
    }

    /** What there is with a node; made when there was nothing. */
    PeerStreams of(int server) {
        PeerStreams before = last;
        if (before != null && before.server == server) {
            return before;
        }
        PeerStreams found = peers.get(server);
        if (found == null) {
            found = gone.get(server);
        }
        if (found == null) {
            found =
                    new PeerStreams(
                            server,
                            shard,
                            open,
                            releases,
                            () -> bytesMax,
                            spares,
                            this::giveTo,
                            whenToFlush);
            (forgotten.contains(server) ? gone : peers).put(server, found);
            show();
        }
        last = found;
        return found;
    }

    private void show() {
        bytesMax = bytesMax(Math.max(1, peers.size()));
        shown = peers.values().toArray(new PeerStreams[0]);
    }

    /**
     * These nodes do not belong to the cluster: what there is with them is dropped.
     *
     * @param now server ids
     */
    void forgotten(Set<Integer> now) {
        forgotten = now;
        List<PeerStreams> all = new ArrayList<>(peers.values());
        all.addAll(gone.values());
        List<PeerStreams> dropped = new ArrayList<>(0);
        for (PeerStreams each : all) {
            boolean goes = now.contains(each.server);
            if (goes && peers.remove(each.server, each)) {
                dropped.add(each);
            }
            (goes ? gone : peers).put(each.server, each);
            (goes ? peers : gone).remove(each.server);
        }
        show();
        dropped.forEach(PeerStreams::forget);
    }

    /** Offers what links have room for. */
    void flush() {
        peers.values().forEach(PeerStreams::flush);
        if (!gone.isEmpty()) {
            List.copyOf(gone.values()).forEach(PeerStreams::forget);
            if (!isAskedAgain && gone.values().stream().anyMatch(PeerStreams::hasKept)) {
                isAskedAgain = true;
                shard.timers().arm(Timer.of(nowMs -> askAgain()), shard.nowMs() + AGAIN_MS);
            }
        }
    }

    /** Offers messages kept for forgotten nodes again: groups may have other members by now. */
    private void askAgain() {
        isAskedAgain = false;
        whenToFlush.run();
    }

    /** Bytes that one stream may keep: all of them share what the shard may. */
    private long bytesMax(int peers) {
        long share = shard.load().peerBytesMax() / peers;
        boolean hasShared = shard.index() == TopicIndex.OWNER;
        return Math.clamp(hasShared ? share / 3 : share, BYTES_LEAST, BYTES_MOST);
    }

    /** What there is with a node, if there is anything; any thread asks. */
    @Nullable PeerStreams shown(int server) {
        for (PeerStreams each : shown) {
            if (each.server == server) {
                return each;
            }
        }
        return null;
    }

    /** Whether a node does not belong to the cluster any more; any thread asks. */
    boolean isForgotten(int server) {
        return forgotten.contains(server);
    }

    /** What there is with all nodes; any thread asks. */
    Collection<PeerStreams> shown() {
        return List.of(shown);
    }

    /** See {@link OtherMembers#giveTo}. */
    void giveTo(int taker, UnansweredForGroups each) {
        Message message = each.message();
        Receipt receipt = each.receipt();
        if (isForgotten(taker)) {
            shard.router().shared().giveToOthers(each.groups(), message, receipt);
            return;
        }
        for (TopicFilter group : each.groups()) {
            if (releases.isThisNode(taker)) {
                shard.router().shared().arrivedAgain(group, message, receipt);
                continue;
            }
            PeerStreams to = of(taker);
            receipt.await();
            open.add(OpenPublishes.idOf(message));
            receipt.takenBy(message, to);
            to.publishes.add(
                    new StreamRecord.PassedOn(message, group), receipt, false, false, true);
        }
    }

    Collection<PeerStreams> all() {
        return peers.values();
    }

    Set<Integer> servers() {
        return peers.keySet();
    }
}
