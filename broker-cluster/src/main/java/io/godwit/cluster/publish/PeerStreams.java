package io.godwit.cluster.publish;

import io.godwit.cluster.stream.InStream;
import io.godwit.cluster.stream.OtherMembers;
import io.godwit.cluster.stream.OutStream;
import io.godwit.cluster.stream.SpareChunks;
import io.godwit.cluster.stream.StreamName;
import io.godwit.cluster.stream.StreamRecord;
import io.godwit.cluster.stream.StreamRoom;
import io.godwit.cluster.stream.UnansweredForGroups;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.core.ack.Receipt;
import io.godwit.core.ack.Taker;
import io.godwit.core.id.IngressId;
import io.godwit.core.message.CameBefore;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.shard.Shard;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What one shard has with one other node: the streams to it and from it, and which publishes it
 * need no longer remember. The node remembers what it gets at QoS 2.
 */
final class PeerStreams implements Taker {
    /** Publishes of which a node that is away is told later; of more it hears at our next start. */
    private static final int OVER_MAX = 100_000;

    private static final int OVER_BYTES = 64;

    /**
     * @param shared last position of the shared stream, by which it may have gone as retained
     */
    private record Over(IngressId publish, long shared) {}

    final int server;
    final OutStream publishes;

    /** On the shard that owns the topic index. */
    final @Nullable OutStream shared;

    /** By the number of the stream. */
    final Map<Integer, InStream> arriving = new HashMap<>();

    /** Those for any thread; replaced when one is added. They are few. */
    private volatile List<InStream> shownArriving = List.of();

    @Nullable PeerLink link;
    @Nullable NodeStart start;

    /**
     * Names the position of the last retained message that was sent as a publish, since it had come
     * again and was retained before; 0: there was none.
     */
    long retainedAgainAt;

    /** Others lead all that it led: nothing more is sent to its sessions. */
    boolean isSettled;

    private final BrokerShard shard;
    private final OpenPublishes open;
    private final Releases releases;
    private final Runnable whenToFlush;

    /** Publishes that are over, to be told when they are answered. */
    private final ArrayDeque<Over> over = new ArrayDeque<>(0);

    /**
     * @param bytesMax that each stream may keep
     * @param spares of the shard
     * @param toTaker see {@link OtherMembers#giveTo}
     * @param whenToFlush asks for {@link #flush} at the end of the turn
     */
    PeerStreams(
            int server,
            BrokerShard shard,
            OpenPublishes open,
            Releases releases,
            LongSupplier bytesMax,
            SpareChunks spares,
            BiConsumer<Integer, UnansweredForGroups> toTaker,
            Runnable whenToFlush) {
        this.server = server;
        this.shard = shard;
        this.open = open;
        this.releases = releases;
        this.whenToFlush = whenToFlush;
        StreamRoom.Account account =
                new StreamRoom.Account() {
                    @Override
                    public void kept(long change) {
                        shard.load().peers(change);
                    }

                    @Override
                    public long max() {
                        return bytesMax.getAsLong();
                    }
                };
        OtherMembers others =
                new OtherMembers() {
                    @Override
                    public void give(
                            Message message, TopicFilter[] groups, @Nullable Receipt receipt) {
                        shard.router().shared().giveToOthers(groups, message, receipt);
                    }

                    @Override
                    public void giveTo(int taker, UnansweredForGroups each) {
                        toTaker.accept(taker, each);
                    }
                };
        publishes =
                new OutStream(
                        StreamName.ofShard(shard.index()), account, spares, others, whenToFlush);
        shared =
                shard.index() == TopicIndex.OWNER
                        ? new OutStream(StreamName.SHARED, account, spares, others, whenToFlush)
                        : null;
        if (shared != null) {
            shared.away(); // Until there is a link nobody waits for it.
        }
    }

    /** Whether something is kept for the node. */
    boolean hasKept() {
        return publishes.hasKept() || shared != null && shared.hasKept();
    }

    /** See {@link OutStream#groupsTaken}. */
    void groupsTaken(int taker) {
        publishes.groupsTaken(taker);
        if (shared != null) {
            shared.groupsTaken(taker);
        }
    }

    // ---------------------------------------------------------------- links

    /**
     * A link is open, over which publishes do not go yet.
     *
     * @param remembered publishes of the node that this shard remembers: a new start of it is asked
     *     which of them are over
     * @return on the index's shard, whether the node knows nothing of what this start has told
     */
    boolean onUp(PeerLink opened, Arrivals remembered) {
        link = opened;
        if (!opened.peer().equals(start)) {
            start = opened.peer();
            arriving.values().forEach(InStream::close);
            arriving.clear();
            showArriving();
            for (IngressId[] some : remembered.of(server)) {
                publishes.add(new StreamRecord.Remembered(some), null, false, false, false);
            }
            // It has forgotten to whom it has passed these on.
            remembered.through(server).forEach(some -> releases.ask(shard, some));
            if (shared != null) {
                releases.tellInherited(this); // Before the filters.
            }
        }
        return shared != null && shared.onUp(opened);
    }

    /** Of those that arrive there is another one, or none. */
    void showArriving() {
        shownArriving = List.copyOf(arriving.values());
    }

    /** See {@link InStream#addTo}; any thread. */
    void addTo(CameBefore.Builder came, long nowMs) {
        for (InStream each : shownArriving) {
            each.addTo(came, nowMs);
        }
    }

    /** Whether something may come again of what had come before; any thread. */
    boolean mayComeAgain(CameBefore before, int of, long nowMs) {
        for (InStream each : shownArriving) {
            if (each.from().start() > before.start(of)) {
                return false; // It has started anew since, and knows nothing of that stream.
            }
            if (each.from().start() == before.start(of) && each.is(before.number(of))) {
                return each.mayComeAgain(before.position(of), nowMs);
            }
        }
        return true;
    }

    /** Tells the node that this one has inherited publishes; on the index's shard. */
    void tellInherited(IngressId[] some) {
        if (shared != null) {
            shared.add(new StreamRecord.Inherited(some), null, false, false, false);
        }
    }

    void onDown(PeerLink ended) {
        if (link == ended) {
            link = null;
            arriving.values().forEach(InStream::onDown);
        }
        publishes.onDown(ended);
        if (shared != null) {
            shared.onDown(ended);
        }
    }

    /** Whether retained messages wait here until it has taken in others; any thread asks. */
    boolean holdsRetained() {
        return shared != null && shared.room().isFull() && shared.isUp() && !shared.isAway();
    }

    /** Nothing was heard of the node for too long. */
    void away() {
        publishes.away();
        countDropped();
        if (shared != null) {
            shared.away();
        }
    }

    /** The streams whose records wait since the node is out of reach; none while it is heard. */
    List<OutStream> outOfReach() {
        if (publishes.isUp() && !publishes.isAway()) {
            return List.of();
        }
        return shared == null ? List.of(publishes) : List.of(publishes, shared);
    }

    private void countDropped() {
        shard.counters().add(Metric.DROPPED_NODE_TRANSIENT, null, publishes.takeDropped());
    }

    /** The node has what the shared stream held for it: publishes follow. */
    void onRouted(PeerLink opened) {
        publishes.onUp(opened);
        countDropped();
    }

    /** The node is forgotten, and what it was to get is dropped: also what is added later. */
    void forget() {
        shard.load().peers(-(long) OVER_BYTES * over.size());
        over.clear();
        long dropped = publishes.forget() + (shared == null ? 0 : shared.forget());
        shard.counters().add(Metric.DROPPED_NODE_FORGOTTEN, null, dropped);
    }

    /** It is heard again, on the link that it had: publishes go on. */
    void heard() {
        publishes.heard();
        whenToFlush.run();
    }

    /**
     * Offers what the link has room for. While the node is away nobody waits for the answer to a
     * retained message before publishes behind it: these stay here.
     */
    void flush() {
        tellOver();
        if (shared != null) {
            shared.flush();
        }
        if (!publishes.isAway()) {
            publishes.flush();
        }
    }

    // ---------------------------------------------------------------- publishes that are over

    @Override
    public void forget(Shard from, int ingressServer, long ingressCounter) {
        IngressId publish = new IngressId(ingressServer, ingressCounter);
        open.whenOver(
                from,
                () -> {
                    Set<Integer> asking = open.remove(publish);
                    releases.over(
                            shard,
                            publish,
                            () -> {
                                over(publish);
                                asking.forEach(each -> releases.tellOver(shard, each, publish));
                            });
                });
    }

    /** Said when the node has answered for what it may come by: it could arrive later else. */
    void over(IngressId publish) {
        if (over.size() < OVER_MAX) {
            shard.load().peers(OVER_BYTES);
            over.add(new Over(publish, shared == null ? 0 : shared.last()));
            whenToFlush.run();
        }
    }

    private void tellOver() {
        List<IngressId> told = null;
        Over first;
        while (publishes.isUp()
                && (first = over.peek()) != null
                && (shared == null || shared.isAnswered(first.shared()))) {
            over.remove();
            shard.load().peers(-OVER_BYTES);
            told = told == null ? new ArrayList<>() : told;
            told.add(first.publish());
        }
        if (told != null) {
            StreamRecord record = new StreamRecord.Over(told.toArray(new IngressId[0]));
            publishes.add(record, null, false, false, false);
        }
    }
}
