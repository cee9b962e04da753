package io.godwit.cluster.broker;

import io.godwit.cluster.publish.HomeAway;
import io.godwit.cluster.publish.ShardStreams;
import io.godwit.cluster.retained.RetainedSync;
import io.godwit.cluster.routes.NodeRoutes;
import io.godwit.cluster.stream.OutStream;
import io.godwit.cluster.stream.StreamMessage;
import io.godwit.cluster.stream.StreamMessages;
import io.godwit.cluster.stream.StreamName;
import io.godwit.cluster.stream.StreamRecord;
import io.godwit.cluster.stream.StreamRule;
import io.godwit.cluster.stream.StreamRules;
import io.godwit.cluster.takeover.Drained;
import io.godwit.cluster.takeover.NodeTakeovers;
import io.godwit.cluster.transport.Handlers;
import io.godwit.cluster.transport.MessageHandler;
import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.PeerListener;
import io.godwit.cluster.transport.Resumed;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.cluster.transport.Unconfirmed;
import io.godwit.core.ack.Taker;
import io.godwit.core.ack.Takers;
import io.godwit.core.id.IngressId;
import io.godwit.core.index.FilterSpread;
import io.godwit.core.node.Broker;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.node.Cluster;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.publish.NodeSender;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.takeover.Homes;
import io.godwit.core.time.Timer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One broker's part in its cluster, wired: routes, publishes and retained messages between nodes,
 * and sessions that move with their clients.
 *
 * <p>Links call on threads of their own; everything here happens on the shards, by mail. The shard
 * that owns the topic index decides who is away and when the node knows enough to serve.
 */
public final class BrokerCluster implements Cluster, MessageHandler, PeerListener {
    /** So often a node that leaves looks at what groups have to pass on. */
    private static final long GROUPS_LOOK_MS = 200;

    private final ClusterTimes times;
    private final StreamRules rules;
    private final NodeRoutes routes;
    private final NodeTakeovers sessions;
    private final int serverId;
    private final List<ShardStreams> streams = new ArrayList<>();
    private volatile long groupsLeft;
    private final ShardStreams.Maker maker;

    private @Nullable Broker broker;
    private @Nullable RetainedSync retained;

    // What follows belongs to the shard that owns the topic index.
    private @Nullable Set<Integer> others;
    private final Map<Integer, PeerLink> links = new HashMap<>();
    private final Map<Integer, AwayTimer> awayTimers = new HashMap<>();
    private Runnable whenReady = () -> {};
    private boolean ready;

    /**
     * @param serverId of this node
     */
    public BrokerCluster(int serverId, ClusterTimes times, HomeAway homeAway, StreamRules rules) {
        this.serverId = serverId;
        this.rules = rules;
        this.maker = new ShardStreams.Maker(rules, homeAway, this::onShared);
        this.times = times;
        this.routes = new NodeRoutes(rules);
        this.sessions = new NodeTakeovers(times.peerTimeoutMs());
    }

    // ---------------------------------------------------------------- wiring

    @Override
    public FilterSpread filters() {
        return routes;
    }

    @Override
    public Homes.Maker homes() {
        return sessions.homes();
    }

    @Override
    public NodeSender sender(BrokerShard shard) {
        ShardStreams made = maker.next(shard);
        streams.add(made);
        return made.sender();
    }

    @Override
    public void mayBeSentAgain(Set<IngressId> publishes) {
        publishes.stream()
                .filter(publish -> publish.server() == serverId)
                .forEach(streams.get(TopicIndex.OWNER)::mayBeSentAgain);
    }

    @Override
    public Taker others() {
        return (from, ingressServer, ingressCounter) ->
                streams.get(from.index())
                        .overEverywhere(from, new IngressId(ingressServer, ingressCounter));
    }

    @Override
    public void remembered(IngressId publish, Takers by) {
        streams.get(TopicIndex.OWNER).remembered(publish, by);
    }

    /** Which messages come here. */
    public Handlers register(Handlers handlers) {
        return handlers.with(this, StreamMessages.types()).with(this, NodeTakeovers.messages());
    }

    /**
     * Called once, with the broker that was made with this, before it recovers what it has kept.
     */
    public void attach(Broker made) {
        broker = made;
        sessions.attach(made, new NodeStart(serverId, made.context().startNumber()));
        BrokerShard owner = made.shard(TopicIndex.OWNER);
        ShardStreams shared = streams.get(TopicIndex.OWNER);
        routes.attach(shared, made.index(), () -> owner.atTurnEnd(routes::tellChanges));
        retained = new RetainedSync(shared, owner.indexOwner());
    }

    /**
     * The broker's shards run.
     *
     * @param members servers of all nodes that belong to the cluster, but for this one: it serves
     *     when it knows the filters of each, or has waited long enough
     * @param whenReady called once on the shard that owns the topic index: the listeners may open
     */
    public void start(Set<Integer> members, Runnable whenReady) {
        sessions.start();
        BrokerShard owner = owner();
        owner.execute(() -> {
            this.whenReady = whenReady;
            others = new HashSet<>(members);
            arm(times.startWaitMs(), now -> serve());
            arm(times.digestMs(), this::onDigestTimer);
            checkReady();
        });
    }

    /**
     * The node leaves, and its clients were told so: hands its durable sessions over to others, and
     * then what waits in shared groups that others have members of.
     *
     * @param whenOver told once, on the shard that owns the topic index, when nothing more can be
     *     done; that may be never
     */
    public void leave(Consumer<Drained> whenOver) {
        sessions.leave(drained -> passOnAll(false, () -> whenOver.accept(drained)));
    }

    /**
     * Groups pass on by themselves what waits in them: looks until nothing of it is left, twice,
     * since the last sessions that went may still be leaving them.
     */
    private void passOnAll(boolean wasNothing, Runnable whenOver) {
        sumOfGroups(
                TopicIndex.OWNER,
                0,
                left -> {
                    if (wasNothing && left == 0) {
                        whenOver.run();
                    } else {
                        arm(GROUPS_LOOK_MS, now -> passOnAll(left == 0, whenOver));
                    }
                });
    }

    /** What is left to pass on, asked from shard to shard. */
    private void sumOfGroups(int shard, long before, LongConsumer whenKnown) {
        if (shard == streams.size()) {
            groupsLeft = before;
            owner().execute(() -> whenKnown.accept(before));
            return;
        }
        BrokerShard at = Objects.requireNonNull(broker).shard(shard);
        at.execute(() -> sumOfGroups(shard + 1, before + at.leftToPassOn(), whenKnown));
    }

    /** Messages of shared groups that others are still to have; 0 while nobody has looked. */
    public long groupMessagesLeft() {
        return groupsLeft;
    }

    /** How many of them are still to go; -1 while that is not known. Any thread. */
    public int leftToDrain() {
        return sessions.leftToDrain();
    }

    private BrokerShard owner() {
        return Objects.requireNonNull(broker).shard(TopicIndex.OWNER);
    }

    private RetainedSync retained() {
        return Objects.requireNonNull(retained);
    }

    private void arm(long delayMs, Consumer<Long> task) {
        owner().timers()
                .arm(
                        new Timer() {
                            @Override
                            protected void onTimer(long nowMs) {
                                task.accept(nowMs);
                            }
                        },
                        owner().nowMs() + delayMs);
    }

    private void onDigestTimer(long nowMs) {
        routes.tellDigest();
        arm(times.digestMs(), this::onDigestTimer);
    }

    /** On every shard, also this one, in this order of calls. */
    private void onEachShard(Consumer<ShardStreams> task) {
        for (int i = 0; i < streams.size(); i++) {
            ShardStreams of = streams.get(i);
            Objects.requireNonNull(broker).shard(i).execute(() -> task.accept(of));
        }
    }

    // ---------------------------------------------------------------- links

    @Override
    public void onUp(PeerLink link, Resumed resumed) {
        sessions.onLinked(link, false);
        for (int i = 0; i < streams.size(); i++) {
            if (i != TopicIndex.OWNER) {
                ShardStreams of = streams.get(i);
                Objects.requireNonNull(broker).shard(i).execute(() -> of.onUp(link));
            }
        }
        owner().execute(() -> up(link));
    }

    private void up(PeerLink link) {
        int server = link.peer().server();
        links.put(server, link);
        AwayTimer timer = awayTimers.remove(server);
        if (timer != null) {
            owner().timers().cancel(timer);
        }
        boolean isNew = streams.get(TopicIndex.OWNER).onUp(link);
        if (isNew) {
            routes.tellAll(server);
        }
        retained().onUp(server, isNew);
        OutStream shared = streams.get(TopicIndex.OWNER).shared(server);
        Runnable follow = () -> onEachShard(of -> of.onRouted(link));
        if (rules.holds(StreamRule.ROUTES_BEFORE_PUBLISHES)) {
            shared.whenAnswered(shared.last(), follow);
        } else {
            follow.run();
        }
    }

    @Override
    public void onSilent(PeerLink link) {
        sessions.onUnlinked(link);
        onEachShard(of -> of.onAway(link.peer().server()));
        owner().execute(() -> retained().onAway(link.peer().server()));
    }

    @Override
    public void onHeard(PeerLink link) {
        sessions.onLinked(link, true);
        onEachShard(of -> of.onHeard(link.peer().server()));
        owner().execute(() -> retained().onUp(link.peer().server(), false));
    }

    @Override
    public void onDown(PeerLink link, List<Unconfirmed> unconfirmed) {
        sessions.onUnlinked(link);
        // What is not answered is kept by the streams.
        onEachShard(of -> of.onDown(link));
        owner().execute(() -> {
            if (links.remove(link.peer().server(), link)) {
                AwayTimer timer = new AwayTimer(link.peer().server());
                awayTimers.put(timer.server, timer);
                owner().timers().arm(timer, owner().nowMs() + times.peerTimeoutMs());
            }
        });
    }

    @Override
    public void onRoom(PeerLink link, TrafficClass traffic) {
        onEachShard(of -> of.onRoom(link));
        sessions.onRoom();
    }

    /** A link has ended, and no other has come since. */
    private final class AwayTimer extends Timer {
        private final int server;

        AwayTimer(int server) {
            this.server = server;
        }

        @Override
        protected void onTimer(long nowMs) {
            awayTimers.remove(server);
            onEachShard(of -> of.onAway(server));
            retained().onAway(server);
        }
    }

    // ---------------------------------------------------------------- messages

    @Override
    public boolean onMessage(PeerLink from, MessageType type, ByteReader body, int length) {
        if (NodeTakeovers.handles(type)) {
            return sessions.onMessage(from, type, body, length);
        }
        StreamMessage message = StreamMessage.read(type, body);
        int shard =
                message.isAnswer()
                        ? StreamName.comesFrom(message.stream())
                        : StreamName.arrivesAt(message.stream(), streams.size());
        if (shard >= streams.size()) {
            throw new IndexOutOfBoundsException("no stream " + message.stream());
        }
        ShardStreams of = streams.get(shard);
        Objects.requireNonNull(broker)
                .shard(shard)
                .execute(() -> of.onMessage(message, from, length));
        return message.isAnswer();
    }

    private void onShared(NodeStart from, StreamRecord record) {
        switch (record) {
            case StreamRecord.RetainedDigest any -> retained().onRecord(from.server(), record);
            case StreamRecord.RetainedWanted any -> retained().onRecord(from.server(), record);
            case StreamRecord.RetainedCopy any -> retained().onRecord(from.server(), record);
            case StreamRecord.RetainedEnd any -> retained().onRecord(from.server(), record);
            default -> routes.onRecord(from.server(), record);
        }
        checkReady();
    }

    // ---------------------------------------------------------------- ready

    private void checkReady() {
        Set<Integer> all = others;
        if (ready || all == null) {
            return;
        }
        for (int server : all) {
            if (!routes.isComplete(server) || !retained().isComplete(server)) {
                return;
            }
        }
        serve();
    }

    private void serve() {
        if (!ready) {
            ready = true;
            onEachShard(ShardStreams::ready);
            whenReady.run();
        }
    }
}
