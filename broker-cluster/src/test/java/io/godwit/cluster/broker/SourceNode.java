package io.godwit.cluster.broker;

import io.godwit.cluster.publish.HeardNodes;
import io.godwit.cluster.publish.LeaderAway;
import io.godwit.cluster.publish.ShardStreams;
import io.godwit.cluster.publish.SwitchOvers;
import io.godwit.cluster.routes.NodeRoutes;
import io.godwit.cluster.stream.ArrivingNames;
import io.godwit.cluster.stream.OutStream;
import io.godwit.cluster.stream.StreamMessage;
import io.godwit.cluster.stream.StreamMessages;
import io.godwit.cluster.stream.StreamName;
import io.godwit.cluster.stream.StreamRecord;
import io.godwit.cluster.stream.StreamRules;
import io.godwit.cluster.transport.Handlers;
import io.godwit.cluster.transport.MessageHandler;
import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.core.ack.EveryNode;
import io.godwit.core.ack.Receipt;
import io.godwit.core.ack.Takers;
import io.godwit.core.id.IngressId;
import io.godwit.core.index.FilterSpread;
import io.godwit.core.message.CameBefore;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.node.Cluster;
import io.godwit.core.node.NodeCounts;
import io.godwit.core.node.SettableTime;
import io.godwit.core.node.TestNode;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.publish.NodeSender;
import io.godwit.core.routing.GroupState;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.Rules;
import io.godwit.core.shard.PauseWatch;
import io.godwit.core.store.Confirmations;
import io.godwit.core.store.KeptStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * One start of a broker that other nodes send publishes to and get them from: routes, streams and
 * switch-overs as in production. Sessions are where their clients connect; nothing of leadership,
 * remote connections and copies.
 */
final class SourceNode implements Cluster, MessageHandler {
    static final int SHARDS = 2;

    final int server;
    final Map<Integer, LoopLink> links = new HashMap<>();
    final TestNode node;
    final SwitchOvers overs;
    final NodeRoutes routes;
    final Handlers handlers;

    /** Take-overs of this start. */
    int takeovers;

    private final ShardStreams.Maker maker;
    private final List<ShardStreams> streams = new ArrayList<>();
    private final ArrivingNames names = new ArrivingNames();
    private final HeardNodes heard = new HeardNodes();
    private final Confirmations confirmations;
    private boolean isReady;

    /** Whether changes of filters are not told at the end of their turn. */
    private boolean delaysFilters;

    SourceNode(
            int server,
            StreamRules rules,
            KeptStore store,
            SettableTime time,
            SwitchOvers.LeaderTable table) {
        this(server, rules, store, time, table, Confirmations.NONE);
    }

    /**
     * @param confirmations of followers; {@link Confirmations#NONE}: queues have no copies
     */
    SourceNode(
            int server,
            StreamRules rules,
            KeptStore store,
            SettableTime time,
            SwitchOvers.LeaderTable table,
            Confirmations confirmations) {
        this.server = server;
        this.confirmations = confirmations;
        routes = new NodeRoutes(rules, PauseWatch.OFF);
        maker =
                new ShardStreams.Maker(
                        server, rules, LeaderAway.WAIT, this::onShared, PauseWatch.OFF, heard);
        node =
                TestNode.of(
                        this,
                        server,
                        SHARDS,
                        store,
                        time,
                        Rules.ALL,
                        LimitSettings.DEFAULTS,
                        OverloadSettings.DEFAULTS);
        BrokerShard owner = owner();
        routes.attach(
                streams.get(TopicIndex.OWNER),
                node.broker().index(),
                () -> owner.atTurnEnd(this::tellFilters),
                owner::slice,
                owner.load()::sessionBytes);
        overs = new SwitchOvers(server, streams, routes, rules, table);
        handlers = new Handlers().with(this, StreamMessages.types());
        node.recover();
    }

    private BrokerShard owner() {
        return node.broker().shard(TopicIndex.OWNER);
    }

    NodeStart start() {
        return new NodeStart(server, node.broker().context().startNumber());
    }

    void onEachShard(Consumer<ShardStreams> task) {
        for (int i = 0; i < SHARDS; i++) {
            ShardStreams of = streams.get(i);
            node.broker().shard(i).execute(() -> task.accept(of));
        }
    }

    void onOwner(Runnable task) {
        owner().execute(task);
    }

    private void tellFilters() {
        if (!delaysFilters) {
            routes.tellChanges();
        }
    }

    /** Adopts sessions as in one turn: their filters are not told before its end. */
    void delayFilters(boolean is) {
        delaysFilters = is;
        onOwner(this::tellFilters);
    }

    // ---------------------------------------------------------------- its start

    /** Publishes nothing before it knows the filters of all others. */
    void expect(Set<Integer> others) {
        onOwner(() -> {
            routes.expect(others);
            look();
        });
    }

    /** Asks again for what it does not know yet. */
    void tick() {
        node.tick(0);
        if (!isReady) {
            onOwner(() -> {
                routes.askForUnknown();
                look();
            });
        }
    }

    private void look() {
        overs.look();
        boolean isComplete = links.keySet().stream().allMatch(routes::isComplete);
        if (!isReady && isComplete && routes.knowsMembers()) {
            isReady = true;
            onEachShard(ShardStreams::allKnown);
            onEachShard(ShardStreams::ready);
        }
    }

    // ---------------------------------------------------------------- links

    void up(LoopLink link) {
        links.put(link.peer().server(), link);
        heard.heard(link);
        for (int i = 1; i < SHARDS; i++) {
            ShardStreams of = streams.get(i);
            node.broker().shard(i).execute(() -> of.onUp(link));
        }
        onOwner(() -> upAtOwner(link));
    }

    private void upAtOwner(LoopLink link) {
        int peer = link.peer().server();
        if (streams.get(TopicIndex.OWNER).onUp(link)) {
            routes.onNewStart(peer);
            overs.onNewStart(peer);
        }
        overs.onUp(peer);
        routes.onHeard(peer);
        OutStream shared = streams.get(TopicIndex.OWNER).shared(peer);
        shared.whenAnsweredAlone(shared.last(), () -> onEachShard(of -> of.onRouted(link)));
    }

    void down(LoopLink link) {
        links.remove(link.peer().server());
        heard.lost(link);
        names.end(link);
        onEachShard(of -> of.onDown(link));
        onOwner(overs::look);
    }

    /** Nothing was heard of a node for too long. */
    void away(int peer) {
        onEachShard(of -> of.onAway(peer));
    }

    @Override
    public boolean onMessage(PeerLink from, MessageType type, ByteReader body, int length) {
        StreamMessage message = names.read(from, type, body, SHARDS);
        int shard =
                message.isAnswer()
                        ? StreamName.comesFrom(message.stream())
                        : StreamName.arrivesAt(message.stream(), SHARDS);
        ShardStreams of = streams.get(shard);
        node.broker().shard(shard).execute(() -> of.onMessage(message, from, length));
        return message.isAnswer();
    }

    private void onShared(NodeStart from, StreamRecord record, Receipt answer) {
        switch (record) {
            case StreamRecord.Loaded some -> {
                answer.await();
                overs.loaded(from, some, () -> answer.targetDone(true));
            }
            case StreamRecord.RetainedCopy any -> {} // What is stored is not looked at.
            case StreamRecord.AwayFiltersEnd told -> {
                boolean isNews = routes.isUnknown(told.member());
                routes.onRecord(from.server(), record);
                if (isNews && !links.containsKey(told.member())) {
                    away(told.member());
                }
            }
            default -> routes.onRecord(from.server(), record);
        }
        look();
    }

    // ---------------------------------------------------------------- what the broker asks

    @Override
    public FilterSpread filters() {
        return new FilterSpread() {
            @Override
            public void onSessions(TopicFilter filter, GroupState state) {
                routes.onSessions(filter, state);
            }

            @Override
            public void onGroup(TopicFilter filter, GroupState state) {
                routes.onGroup(filter, state);
            }

            @Override
            public void whenKnown(Runnable task) {
                if (delaysFilters) {
                    task.run(); // Adopted: its leader has promised it.
                } else {
                    routes.whenKnown(task);
                }
            }
        };
    }

    @Override
    public Confirmations confirmations() {
        return confirmations;
    }

    @Override
    public NodeSender sender(BrokerShard shard) {
        streams.add(maker.next(shard));
        return streams.getLast().sender();
    }

    @Override
    public void mayBeSentAgain(Set<IngressId> publishes) {
        publishes.forEach(streams.get(TopicIndex.OWNER)::mayBeSentAgain);
    }

    @Override
    public EveryNode others() {
        return streams.get(TopicIndex.OWNER).everyNode();
    }

    @Override
    public void remembered(IngressId publish, Takers by) {
        streams.get(TopicIndex.OWNER).remembered(publish, by);
    }

    @Override
    public List<NodeCounts> counts() {
        return List.of();
    }

    @Override
    public void addCame(CameBefore.Builder to, long nowMs) {
        streams.forEach(each -> each.addTo(to, nowMs));
    }

    @Override
    public boolean mayComeAgain(CameBefore before, long nowMs) {
        for (int i = 0; i < before.size(); i++) {
            int shard = StreamName.arrivesAt(before.number(i), SHARDS);
            if (streams.get(shard).mayComeAgain(before, i, nowMs)) {
                return true;
            }
        }
        return false;
    }
}
