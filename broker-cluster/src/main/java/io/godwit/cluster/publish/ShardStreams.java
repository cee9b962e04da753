package io.godwit.cluster.publish;

import io.godwit.cluster.stream.Arrival;
import io.godwit.cluster.stream.InStream;
import io.godwit.cluster.stream.OutStream;
import io.godwit.cluster.stream.StreamMessage;
import io.godwit.cluster.stream.StreamName;
import io.godwit.cluster.stream.StreamRecord;
import io.godwit.cluster.stream.StreamRule;
import io.godwit.cluster.stream.StreamRules;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.core.ack.Receipt;
import io.godwit.core.ack.Taker;
import io.godwit.core.ack.Takers;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.publish.NodeSender;
import io.godwit.core.routing.NodeRef;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.shard.Shard;
import io.godwit.core.shard.Sliced;
import io.godwit.core.shard.TurnEnd;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One shard's streams to and from every other node. What a turn has for a node leaves together at
 * the turn's end, and so do the answers to what came from there.
 *
 * <p>What has QoS 0 is sent to a node that there is a link to, and dropped and counted otherwise,
 * or when too much waits for it. The rest is kept until it is answered, whatever becomes of the
 * link.
 */
public final class ShardStreams implements NodeSender, TurnEnd {
    /** Handles what is neither a publish nor an answer, on the shard that owns the topic index. */
    public interface SharedHandler {
        void onShared(NodeStart from, StreamRecord record);
    }

    /** What there is with one other node, which remembers what it gets at QoS 2. */
    private final class Peer implements Taker {
        final OutStream publishes;

        /** On the shard that owns the topic index. */
        final @Nullable OutStream shared;

        final Map<Integer, InStream> arriving = new HashMap<>();

        /** Publishes that are over, to be told when they are answered. */
        final ArrayDeque<Over> over = new ArrayDeque<>(0);

        @Nullable PeerLink link;
        @Nullable NodeStart start;

        Peer() {
            publishes = new OutStream(StreamName.ofShard(shard.index()), ShardStreams.this::soon);
            shared =
                    shard.index() == TopicIndex.OWNER
                            ? new OutStream(StreamName.SHARED, ShardStreams.this::soon)
                            : null;
        }

        @Override
        public void forget(Shard from, int ingressServer, long ingressCounter) {
            IngressId publish = new IngressId(ingressServer, ingressCounter);
            whenOver(
                    from,
                    () -> {
                        open.remove(publish);
                        over(publish);
                    });
        }

        /** Said when the node has answered for what it may come by: it could arrive later else. */
        private void over(IngressId publish) {
            if (over.size() < OVER_MAX) {
                over.add(new Over(publish, shared == null ? 0 : shared.last()));
                soon();
            }
        }

        private void tellOver() {
            List<IngressId> told = null;
            Over first;
            while (publishes.isUp()
                    && (first = over.peek()) != null
                    && (shared == null || shared.isAnswered(first.shared()))) {
                over.remove();
                told = told == null ? new ArrayList<>() : told;
                told.add(first.publish());
            }
            if (told != null) {
                StreamRecord record = new StreamRecord.Over(told.toArray(new IngressId[0]));
                publishes.add(record, null, false, false, false);
            }
        }
    }

    /**
     * @param shared last position of the shared stream, by which it may have gone as retained
     */
    private record Over(IngressId publish, long shared) {}

    /** Publishes of which a node that is away is told later; of more it hears at our next start. */
    private static final int OVER_MAX = 100_000;

    private final BrokerShard shard;
    private final SharedHandler sharedHandler;
    private final Arrivals arrivals;
    private final StreamRules rules;
    private final HomeAway homeAway;

    /** Of all shards of the node, by their index. */
    private final List<ShardStreams> all;

    /** Publishes of QoS 2 of this node that went to others and are not over. */
    private final Set<IngressId> open = new HashSet<>();

    private final Map<Integer, Peer> peers = new LinkedHashMap<>();
    private final List<InStream> toAnswer = new ArrayList<>();
    private final List<Runnable> whenReady = new ArrayList<>(0);
    private boolean ready;
    private boolean turnEndAsked;

    /**
     * One for each shard of a node.
     *
     * @param sharedHandler handles what comes by the streams of filters and retained messages
     */
    public static final class Maker {
        private final StreamRules rules;
        private final HomeAway homeAway;
        private final SharedHandler sharedHandler;
        private final List<Arrivals> arrivals = new ArrayList<>();
        private final List<ShardStreams> all = new ArrayList<>();

        public Maker(StreamRules rules, HomeAway homeAway, SharedHandler sharedHandler) {
            this.rules = rules;
            this.homeAway = homeAway;
            this.sharedHandler = sharedHandler;
        }

        /**
         * Makes that of the next shard.
         *
         * @param shard being made
         */
        public ShardStreams next(BrokerShard shard) {
            arrivals.add(new Arrivals(shard, arrivals));
            all.add(
                    new ShardStreams(
                            shard, rules, homeAway, sharedHandler, arrivals.getLast(), all));
            return all.getLast();
        }
    }

    private ShardStreams(
            BrokerShard shard,
            StreamRules rules,
            HomeAway homeAway,
            SharedHandler sharedHandler,
            Arrivals arrivals,
            List<ShardStreams> all) {
        this.shard = shard;
        this.rules = rules;
        this.homeAway = homeAway;
        this.all = all;
        this.sharedHandler = sharedHandler;
        this.arrivals = arrivals;
    }

    /** At start, before the shards run: queues remember it from an earlier start. */
    public void remembered(IngressId publish, Takers by) {
        arrivals.remembered(publish, by);
    }

    /** At start, before the shards run: a publish of an earlier start may be sent again. */
    public void mayBeSentAgain(IngressId publish) {
        open.add(publish);
    }

    private Peer peer(int server) {
        return peers.computeIfAbsent(server, any -> new Peer());
    }

    /** The stream of filters and retained messages to a node; on the index's shard. */
    public OutStream shared(int server) {
        OutStream stream = peer(server).shared;
        if (stream == null) {
            throw new IllegalStateException("shard " + shard.index() + " has no shared streams");
        }
        return stream;
    }

    /** Nodes that were heard of since the start. */
    public Collection<Integer> servers() {
        return peers.keySet();
    }

    // ---------------------------------------------------------------- links, on this shard

    /**
     * A link is open. What the node sends is taken in, and on the index's shard the shared stream
     * goes on; publishes follow by {@link #onRouted}.
     *
     * @return on the index's shard, whether the node knows nothing of what this start has told
     */
    public boolean onUp(PeerLink link) {
        shard.enter();
        Peer peer = peer(link.peer().server());
        peer.link = link;
        if (!link.peer().equals(peer.start)) {
            peer.start = link.peer();
            peer.arriving.values().forEach(InStream::close);
            peer.arriving.clear();
            for (IngressId[] some : arrivals.of(link.peer().server())) {
                peer.publishes.add(new StreamRecord.Remembered(some), null, false, false, false);
            }
        }
        OutStream shared = peer.shared;
        return shared != null && shared.onUp(link);
    }

    /**
     * The node has what the shared stream held for it when the link opened: publishes may follow.
     * So it knows what it is to route by, and no publish overtakes a retained one before it.
     */
    public void onRouted(PeerLink link) {
        shard.enter();
        Peer peer = peer(link.peer().server());
        if (peer.link == link) {
            peer.publishes.onUp(link);
        }
    }

    public void onDown(PeerLink link) {
        shard.enter();
        Peer peer = peer(link.peer().server());
        if (peer.link == link) {
            peer.link = null;
        }
        peer.publishes.onDown(link);
        if (peer.shared != null) {
            peer.shared.onDown(link);
        }
    }

    /** Nothing was heard of a node for too long: nobody waits for it who need not. */
    public void onAway(int server) {
        shard.enter();
        Peer peer = peer(server);
        peer.publishes.away();
        if (peer.shared != null) {
            peer.shared.away();
        }
    }

    /** It is heard again, on the link that it had. */
    public void onHeard(int server) {
        shard.enter();
        Peer peer = peer(server);
        peer.publishes.heard();
        if (peer.shared != null) {
            peer.shared.heard();
        }
    }

    /** A link takes more. */
    public void onRoom(PeerLink link) {
        shard.enter();
        Peer peer = peer(link.peer().server());
        if (peer.link == link) {
            soon();
            peer.publishes.tellRoom();
        }
    }

    /** A message of a stream has come. */
    public void onMessage(StreamMessage message, PeerLink link, int length) {
        shard.enter();
        Peer peer = peer(link.peer().server());
        if (peer.link != link) {
            return; // The link has ended since.
        }
        if (message.isAnswer()) {
            OutStream of = message.stream() == StreamName.SHARED ? peer.shared : peer.publishes;
            if (of != null) {
                of.onAnswers(link.peer(), message);
                soon();
            }
            return;
        }
        InStream stream =
                peer.arriving.computeIfAbsent(
                        message.stream(), number -> arriving(link.peer(), number));
        stream.on(message, link, length);
    }

    private InStream arriving(NodeStart from, int number) {
        InStream[] made = new InStream[1];
        made[0] =
                new InStream(
                        from,
                        number,
                        shard,
                        this::handle,
                        rules.holds(StreamRule.POSITIONS),
                        () -> {
                            if (!toAnswer.contains(made[0])) {
                                toAnswer.add(made[0]);
                            }
                            soon();
                        });
        return made[0];
    }

    private @Nullable Sliced handle(
            NodeStart from, StreamRecord record, boolean again, Arrival arrival) {
        arrival.isAgain = again;
        switch (record) {
            case StreamRecord.Publish publish -> {
                Message message = publish.message();
                return route(
                        message, again, arrival, () -> shard.router().arrived(message, arrival));
            }
            case StreamRecord.RetainedPublish publish -> {
                Message message = publish.message();
                return route(
                        message,
                        again,
                        arrival,
                        () -> shard.router().arrivedRetained(message, publish.stamp(), arrival));
            }
            case StreamRecord.Over over -> arrivals.over(over);
            case StreamRecord.Remembered some ->
                    overUnlessOpen(
                            all.size() - 1,
                            new LinkedHashSet<>(List.of(some.publishes())),
                            from.server());
            default -> sharedHandler.onShared(from, record);
        }
        return null;
    }

    private @Nullable Sliced route(
            Message message, boolean again, Arrival arrival, Supplier<Sliced> route) {
        return message.qos < 2 || !rules.holds(StreamRule.INGRESS_MEMORY)
                ? route.get()
                : arrivals.arrived(ingress(message), again, arrival, route);
    }

    private static IngressId ingress(Message message) {
        return new IngressId(message.ingressServer, message.ingressCounter);
    }

    // ---------------------------------------------------------------- the end of the turn

    private void soon() {
        if (!turnEndAsked) {
            turnEndAsked = true;
            shard.atTurnEnd(this);
        }
    }

    @Override
    public void onTurnEnd() {
        turnEndAsked = false;
        for (Peer peer : peers.values()) {
            peer.tellOver();
            if (peer.shared != null) {
                peer.shared.flush();
            }
            peer.publishes.flush();
        }
        for (InStream stream : toAnswer) {
            PeerLink link = linkOf(stream);
            if (link != null) {
                link.offer(stream.answers());
            }
        }
        toAnswer.clear();
    }

    /**
     * A publish of an earlier start will not be sent again: any node may remember it.
     *
     * @param from shard of its receipt
     */
    public void overEverywhere(Shard from, IngressId publish) {
        whenOver(
                from,
                () -> {
                    ShardStreams owner = all.get(TopicIndex.OWNER);
                    owner.shard.execute(() -> owner.open.remove(publish));
                    peers.values().forEach(peer -> peer.over(publish));
                });
    }

    /**
     * A node asks whether it still has to remember publishes: it, or this one, has started anew,
     * and may not have heard what was over before. Goes from shard to shard, last to the one at
     * which what an earlier start has left is known.
     */
    private void overUnlessOpen(int next, Set<IngressId> left, int server) {
        ShardStreams at = all.get(next);
        at.shard.execute(() -> {
            left.removeIf(at.open::contains);
            if (next > TopicIndex.OWNER) {
                overUnlessOpen(next - 1, left, server);
            } else {
                left.forEach(at.peer(server)::over);
            }
        });
    }

    /** Until it is kept that the publisher is done with it a crash would have it sent once more. */
    private void whenOver(Shard from, Runnable task) {
        from.afterCommit(durable -> {
            if (durable && from.index() == shard.index()) {
                task.run();
            } else if (durable) {
                shard.execute(task);
            }
        });
    }

    private @Nullable PeerLink linkOf(InStream stream) {
        Peer peer = peers.get(stream.from().server());
        // Of an earlier start of the node nobody wants to hear.
        return peer == null || !stream.from().equals(peer.start) ? null : peer.link;
    }

    // ---------------------------------------------------------------- the router's way

    /** The filters of the other nodes are known. */
    public void ready() {
        shard.enter();
        ready = true;
        List<Runnable> all = new ArrayList<>(whenReady);
        whenReady.clear();
        all.forEach(Runnable::run);
    }

    @Override
    public boolean isReady() {
        return ready;
    }

    @Override
    public void whenReady(Runnable task) {
        if (ready) {
            task.run();
        } else {
            whenReady.add(task);
        }
    }

    @Override
    public void publish(NodeRef[] to, Message message, @Nullable Receipt receipt) {
        StreamRecord record = new StreamRecord.Publish(message);
        Receipt waits = waits(message, receipt);
        for (NodeRef node : to) {
            Peer peer = peer(node.server());
            OutStream stream = peer.publishes;
            if (message.qos == 0 && (!stream.isUp() || !stream.hasRoom())) {
                shard.counters().increment(Metric.DROPPED_QOS0_NODE);
                continue;
            }
            if (waits != null) {
                waits.await();
                if (message.qos == 2) {
                    takenBy(waits, message, peer);
                }
            }
            add(stream, record, message, waits, false, receipt);
        }
        routed(waits, receipt);
    }

    /** Who waits for the nodes; of QoS 2 always somebody, who tells them when it is over. */
    private @Nullable Receipt waits(Message message, @Nullable Receipt receipt) {
        if (receipt != null || message.qos < 2) {
            return message.qos == 0 ? null : receipt;
        }
        Receipt own = new Receipt(null, 0, 2);
        own.release(shard); // Nobody can send it again.
        return own;
    }

    private void takenBy(Receipt waits, Message message, Peer peer) {
        open.add(ingress(message));
        waits.takenBy(message, peer);
    }

    private static void routed(@Nullable Receipt waits, @Nullable Receipt receipt) {
        if (waits != null && waits != receipt && waits.routed()) {
            waits.onDone();
        }
    }

    private void add(
            OutStream stream,
            StreamRecord record,
            Message message,
            @Nullable Receipt waits,
            boolean lenient,
            @Nullable Receipt receipt) {
        stream.add(record, waits, message.qos == 0, lenient, receipt != null && receipt.isAgain);
        if (receipt != null && message.qos == 2) {
            holdUntilKept(stream);
        }
    }

    /**
     * No other node may have it before its ingress id is kept under the publisher's packet id: else
     * it would get another one after a crash.
     */
    private void holdUntilKept(OutStream stream) {
        Runnable release = stream.hold();
        shard.afterCommit(durable -> {
            if (durable) {
                release.run();
            }
        });
    }

    @Override
    public void retained(
            NodeRef[] to,
            NodeRef[] not,
            Message message,
            HybridId stamp,
            @Nullable Receipt receipt) {
        StreamRecord record = new StreamRecord.RetainedPublish(message, stamp);
        Receipt waits = waits(message, receipt);
        for (Map.Entry<Integer, Peer> each : peers.entrySet()) {
            Peer peer = each.getValue();
            OutStream stream = peer.shared;
            boolean matches = has(to, each.getKey());
            if (stream == null || !matches && !stream.isUp() && !stream.hasRoom()) {
                continue; // It gets what it missed when it is back.
            }
            if (has(not, each.getKey())) {
                if (stream.isUp()) {
                    boolean deletes = message.payload.length == 0;
                    StreamRecord copy =
                            new StreamRecord.RetainedCopy(
                                    message.topic, stamp, deletes ? null : message);
                    stream.add(copy, null, false, false, false);
                }
                continue;
            }
            if (waits != null && message.qos == 2) {
                takenBy(waits, message, peer);
            }
            Receipt waitsHere = !matches && stream.isAway() ? null : waits;
            if (waitsHere != null) {
                waitsHere.await();
            }
            add(stream, record, message, waitsHere, !matches, receipt);
        }
        routed(waits, receipt);
    }

    private static boolean has(NodeRef[] nodes, int server) {
        for (NodeRef node : nodes) {
            if (node.server() == server) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void whenRetainedAnswered(Runnable task) {
        boolean waits = rules.holds(StreamRule.ONE_WAY_PER_TOPIC);
        whenAnswered(waits ? new ArrayList<>(peers.values()) : List.of(), 0, task);
    }

    private static void whenAnswered(List<Peer> all, int from, Runnable task) {
        if (from == all.size()) {
            task.run();
            return;
        }
        OutStream stream = all.get(from).shared;
        Runnable next = () -> whenAnswered(all, from + 1, task);
        if (stream == null) {
            next.run();
        } else {
            stream.whenAnswered(stream.last(), next);
        }
    }

    @Override
    public long position(NodeRef of) {
        return peer(of.server()).publishes.last();
    }

    @Override
    public boolean isAnswered(NodeRef of, long position) {
        return peer(of.server()).publishes.isAnswered(position)
                || !rules.holds(StreamRule.ONE_WAY_PER_TOPIC);
    }

    @Override
    public boolean refuses(NodeRef[] to) {
        if (homeAway == HomeAway.REFUSE) {
            for (NodeRef node : to) {
                if (isAway(node)) {
                    return true;
                }
            }
        }
        return false;
    }

    @Override
    public boolean isAway(NodeRef of) {
        return peer(of.server()).publishes.isAway();
    }

    @Override
    public void whenAnswered(NodeRef of, long position, Runnable task) {
        peer(of.server()).publishes.whenAnswered(position, task);
    }

    @Override
    public void whenAnsweredAtLast(NodeRef of, long position, Runnable task) {
        peer(of.server()).publishes.whenAnsweredAtLast(position, task);
    }

    @Override
    public boolean hasRoom(NodeRef of) {
        return peer(of.server()).publishes.hasRoom();
    }

    @Override
    public void whenRoom(NodeRef of, Runnable task) {
        peer(of.server()).publishes.whenRoom(task);
    }
}
