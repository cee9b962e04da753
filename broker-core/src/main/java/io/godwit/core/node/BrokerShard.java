package io.godwit.core.node;

import io.godwit.core.codec.PacketBounds;
import io.godwit.core.codec.PacketDecoder;
import io.godwit.core.codec.PublishEncoder;
import io.godwit.core.codec.Role;
import io.godwit.core.connection.AuthenticatedConnect;
import io.godwit.core.connection.ClientConnection;
import io.godwit.core.connection.CloseCause;
import io.godwit.core.connection.ConnectRate;
import io.godwit.core.connection.ConnectionContext;
import io.godwit.core.connection.ConnectionLog;
import io.godwit.core.connection.PartialPackets;
import io.godwit.core.connection.PausedConnections;
import io.godwit.core.connection.Placement;
import io.godwit.core.connection.SlowSubscribers;
import io.godwit.core.connection.Wire;
import io.godwit.core.id.IngressId;
import io.godwit.core.id.ShardIds;
import io.godwit.core.index.FilterDecoding;
import io.godwit.core.index.FilterRequests;
import io.godwit.core.index.IndexOwner;
import io.godwit.core.index.SubscribeContext;
import io.godwit.core.index.YoungerSubscriptions;
import io.godwit.core.load.CrowdBrake;
import io.godwit.core.load.MailboxBrake;
import io.godwit.core.load.ShardLoad;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Will;
import io.godwit.core.publish.LocalPublishing;
import io.godwit.core.publish.PublishContext;
import io.godwit.core.publish.Router;
import io.godwit.core.queue.RowsWritten;
import io.godwit.core.queue.ShardQueues;
import io.godwit.core.review.ReviewedPublish;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.session.ClientLink;
import io.godwit.core.session.NodeGroups;
import io.godwit.core.session.OwnedGroups;
import io.godwit.core.session.QueueMail;
import io.godwit.core.session.SessionContext;
import io.godwit.core.session.SessionList;
import io.godwit.core.session.StuckSubscribers;
import io.godwit.core.session.SubscribersBehind;
import io.godwit.core.shard.LoopShard;
import io.godwit.core.shard.PacedTasks;
import io.godwit.core.shard.ShardLoop;
import io.godwit.core.store.ExpiredRow;
import io.godwit.core.takeover.Registrar;
import io.godwit.core.takeover.Takeover;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One shard of a node with its rooms, wired: connections, sessions and their queues, shared groups,
 * the registrar of the client ids that hash here, and on shard {@link TopicIndex#OWNER} the topic
 * index and the retained store.
 */
public final class BrokerShard extends LoopShard {
    /** CONNECTs that go on in one slice, some ten microseconds each, and what waits for them. */
    private static final int CONNECTS = 20;

    /** Connections whose sockets are gone that end in one slice. */
    private static final int CLOSES = 100;

    private final NodeContext node;
    private final ShardLoad load;
    private final ShardIds ids;
    private final MailboxBrake mailboxes;
    private final CrowdBrake crowd;
    private final SubscribersBehind behind;
    private final PausedConnections paused;
    private final PartialPackets partial;
    private final StuckSubscribers stuck;
    private final ShardQueues queues;
    private final OwnedGroups groups;
    private final @Nullable IndexOwner indexOwner;
    private final Router router;
    private final SessionContext sessions;
    private final Takeover takeover;
    private final ConnectionContext connections;
    private final Farewell farewell;
    private @Nullable SysTopics sysTopics;

    /** Made with the first message that this process publishes. */
    private @Nullable LocalPublishing local;

    BrokerShard(int index, ShardLoop loop, NodeContext node, RandomGenerator random) {
        super(
                index,
                loop,
                node.time(),
                node.cluster().pauses(),
                node.store(),
                node.cluster().confirmations(),
                node.overload().sliceSteps(),
                node.rules());
        this.node = node;
        load = new ShardLoad(node.load(), this::mailboxBytes, this::heldMailBytes);
        ids =
                new ShardIds(
                        index,
                        node.shardCount(),
                        node.serverId(),
                        this::sureMs,
                        node.idFloor(),
                        node.queueIds(),
                        this::reserveQueueIds);
        paused = new PausedConnections(this);
        partial = new PartialPackets(load, node.limits().packets());
        mailboxes =
                new MailboxBrake(this, load, node.mailboxes(), this::mailboxBytes, paused::recheck);
        crowd = new CrowdBrake(this, load, node.crowds(), node.time(), paused::recheck);
        queues =
                new ShardQueues(
                        this,
                        this,
                        load.queues(),
                        ids,
                        new QueueMail(this),
                        counters(),
                        node.queues(),
                        node.limits(),
                        node.rules(),
                        packetIdSeed(),
                        this);
        groups = new OwnedGroups(this, ids, queues, node.mqtt(), random);
        NodeGroups allGroups = new NodeGroups(this, node.groups());
        indexOwner =
                index == TopicIndex.OWNER
                        ? new IndexOwner(
                                this,
                                ids,
                                node.index(),
                                allGroups,
                                node.cluster().filters(),
                                node.limits(),
                                node.hash(),
                                node.overload().qos0SoftLimit())
                        : null;
        router =
                new Router(
                        this,
                        node.index(),
                        allGroups,
                        indexOwner,
                        node.cluster().sender(this),
                        load,
                        crowd,
                        node.overload().sliceSteps(),
                        node.mqtt().sharedStrategy());
        if (node.cluster() != Cluster.NONE) {
            groups.spread(node.index(), router.shared());
        }
        SubscribeContext subscribing =
                new SubscribeContext(
                        this,
                        ids,
                        node::indexOwner,
                        allGroups,
                        new FilterRequests(this, load),
                        load,
                        node.mqtt(),
                        node.limits(),
                        new YoungerSubscriptions(this, load, node.cluster()));
        behind = new SubscribersBehind(this, load, node.overload().stuckMs(), paused::recheck);
        sessions =
                new SessionContext(
                        this,
                        load,
                        ids,
                        queues,
                        router,
                        subscribing,
                        node.serverId(),
                        node.store().keeps(),
                        node.quotas(),
                        behind,
                        node.reviews());
        takeover = new Takeover(this, sessions);
        stuck = new StuckSubscribers(this, load, sessions, node.overload().stuckMs());
        Placement placement = node.cluster().placement(this);
        sessions.earlierWills(placement == null ? null : placement::passEarlierWill);
        connections = connections(subscribing, random, placement);
        farewell = new Farewell(this, sessions);
    }

    /** Of this start of a node of a cluster; alone a node knows all packet ids. */
    private long packetIdSeed() {
        return node.cluster() == Cluster.NONE
                ? 0
                : (long) node.serverId() << 32 | node.startNumber();
    }

    private ConnectionContext connections(
            SubscribeContext subscribing, RandomGenerator random, @Nullable Placement placement) {
        FilterDecoding filterDecoding = new FilterDecoding(this);
        return new ConnectionContext(
                this,
                new PacketDecoder(
                        Role.SERVER,
                        new PacketBounds(
                                node.limits().packets().userProperties(),
                                node.limits().packets().filters(),
                                node.mqtt().controlCharacters()),
                        filterDecoding),
                filterDecoding,
                new PublishEncoder(),
                load,
                new ConnectRate(this, node.limits().connectRate(), node.shardCount()),
                paused,
                partial,
                new SlowSubscribers(this, takeover),
                new PacedTasks(this, CONNECTS),
                new PacedTasks(this, CONNECTS),
                new PacedTasks(this, CLOSES),
                new PublishContext(
                        this,
                        router,
                        ids,
                        node.serverId(),
                        load,
                        node.mqtt(),
                        node.limits(),
                        node.overload(),
                        node.reviews()),
                subscribing,
                sessions,
                takeover,
                node.mqtt(),
                node.limits(),
                node.overload(),
                node.security(),
                node.connectionQuotas(),
                random,
                new ConnectionLog(this),
                placement,
                node.reviews());
    }

    /** Has all clients that are connected here looked at again. */
    void reviewClients() {
        sessions.sessions()
                .walk(
                        session -> {
                            ClientLink client = session.connection();
                            if (client != null) {
                                client.review();
                            }
                        },
                        () -> {});
    }

    /** Called once, with all shards of the node, before anything else. */
    void connect(BrokerShard[] all) {
        super.connect((LoopShard[]) all);
        mailboxes.connect(pick(all, new MailboxBrake[all.length], each -> each.mailboxes));
        crowd.connect(pick(all, new CrowdBrake[all.length], each -> each.crowd));
        behind.connect(pick(all, new SubscribersBehind[all.length], each -> each.behind));
        router.connect(pick(all, new Router[all.length], each -> each.router));
        takeover.connect(pick(all, new Takeover[all.length], each -> each.takeover));
    }

    private static <T> T[] pick(BrokerShard[] all, T[] to, Function<BrokerShard, T> room) {
        for (int i = 0; i < to.length; i++) {
            to[i] = room.apply(all[i]);
        }
        return to;
    }

    // ---------------------------------------------------------------- what comes from outside

    /** Takes up a connection that was accepted; on this shard's thread. */
    public ClientConnection open(Wire wire) {
        enter();
        return new ClientConnection(connections, wire);
    }

    /**
     * Serves a connection whose client is connected to another node, which has checked and
     * authenticated it; on this shard's thread.
     *
     * @param wire to the client; CONNACK may be written to it, and it may be closed, before this
     *     returns
     */
    public ClientConnection accept(AuthenticatedConnect connect, Wire wire) {
        enter();
        ClientConnection connection = new ClientConnection(connections, wire);
        connection.begin(connect);
        return connection;
    }

    /**
     * Publishes the Will of a client whose transient session was at another node.
     *
     * @param whenKept runs when it is kept that this node owes the Will
     */
    public void publishWillOf(ClientId clientId, Will will, Runnable whenKept) {
        enter();
        sessions.publishWillOf(clientId, will, whenKept);
    }

    /** Publishes a message of this process; see {@link LocalPublisher}. */
    void publishLocally(ReviewedPublish message, Consumer<@Nullable ReasonCode> done) {
        enter();
        LocalPublishing publishing = local;
        if (publishing == null) {
            publishing = new LocalPublishing(connections.publishing());
            local = publishing;
        }
        publishing.publish(message, done);
    }

    /** Logs and counts a connection that ended before MQTT began. */
    public void handshakeFailed(CloseCause cause, String address, String listener, String why) {
        enter();
        connections.log().handshakeFailed(cause, address, listener, why);
    }

    @Override
    public void onTick() {
        super.onTick();
        if (index() == TopicIndex.OWNER) {
            node.load().onTick(nowMs());
        }
        // Its mail may have been handled before it was marked.
        mailboxes.onMailHandled();
        partial.onTick(nowMs());
        sessions.fullSessions().onTick();
        behind.onTick();
        stuck.onTick(nowMs());
        queues.onTick();
        load.groups(groups.onTick(load.mayHold()));
        paused.onTick(nowMs());
        IndexOwner owner = indexOwner;
        if (owner != null) {
            owner.sweep(sureMs());
            load.retained(
                    owner.retained().size(), owner.retained().bytes() + owner.ingress().bytes());
        }
        if (local != null) {
            local.onTick();
        }
        SysTopics topics = sysTopics;
        if (topics != null) {
            topics.onTick(nowMs());
        }
    }

    @Override
    protected void onPosted(int to, long depth, long bytes) {
        mailboxes.onPosted(to, depth, bytes);
    }

    @Override
    protected void onTurnEnded() {
        load.queues().onTurnEnd();
    }

    @Override
    protected void onMailHandled() {
        mailboxes.onMailHandled();
    }

    @Override
    public void onRows(QueuedMessage[] entries) {
        execute(() -> {
            RowsWritten told = new RowsWritten(queues, entries, node.overload().sliceSteps());
            if (!told.slice()) {
                slice(told);
            }
        });
    }

    /**
     * Passes on that rows of a queue have expired; from any thread. Each shard is told: the one
     * that has the session acts, and the next owner of one that is handed over is told again.
     */
    void onExpired(long queueId, List<ExpiredRow> rows) {
        execute(() -> queues.onRowsExpired(queueId, rows));
    }

    /** Begins to publish the {@code $SYS} topics; on the index's shard. */
    public void startSysTopics(BrokerShard[] shards, long intervalMs, String version) {
        enter();
        sysTopics = new SysTopics(this, shards, intervalMs, version);
    }

    // ---------------------------------------------------------------- its rooms

    public ShardLoad load() {
        return load;
    }

    NodeContext node() {
        return node;
    }

    private void reserveQueueIds(long ceiling, Runnable whenKept) {
        store().reserveQueueIds(ceiling);
        afterCommitHere(isKept -> {
            if (isKept) {
                whenKept.run();
            }
        });
    }

    public ShardIds ids() {
        return ids;
    }

    /** Messages of this shard's shared groups that other nodes are to have and do not have yet. */
    public long leftToPassOn() {
        return groups.leftToPassOn();
    }

    OwnedGroups groups() {
        return groups;
    }

    /**
     * Takes out the ids of what this shard's groups are handing over to sessions: these are not
     * over.
     */
    public void keepHandedOver(Set<IngressId> left) {
        groups.keepHandedOver(left);
    }

    /** On the shard that owns it alone. */
    public IndexOwner indexOwner() {
        IndexOwner owner = indexOwner;
        if (owner == null) {
            throw new IllegalStateException("shard " + index() + " does not own the index");
        }
        return owner;
    }

    /** Publishers may go on that waited for the node. */
    public void resumePublishers() {
        paused.recheck();
    }

    /** For what comes from other nodes. */
    public Router router() {
        return router;
    }

    SessionContext sessionContext() {
        return sessions;
    }

    SessionList sessions() {
        return sessions.sessions();
    }

    /** What is said to its clients when the node stops, or leaves. */
    Farewell farewell() {
        return farewell;
    }

    /** Its part in takeovers; on this shard's thread. */
    public Takeover takeover() {
        return takeover;
    }

    Registrar registrar() {
        return takeover.registrar();
    }
}
