package io.godwit.core.session;

import io.godwit.core.ack.Receipt;
import io.godwit.core.auth.AccessControl;
import io.godwit.core.auth.Authenticator;
import io.godwit.core.auth.EnhancedAuthenticator;
import io.godwit.core.codec.PacketDecoder;
import io.godwit.core.codec.ProtocolViolation;
import io.godwit.core.codec.Role;
import io.godwit.core.id.ShardIds;
import io.godwit.core.load.ShardLoad;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.packet.Will;
import io.godwit.core.queue.RowsWritten;
import io.godwit.core.queue.ShardQueues;
import io.godwit.core.routing.SharedGroup;
import io.godwit.core.routing.Subscription;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;
import io.godwit.core.shard.ShardLoop;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A shard with its MQTT: connections, sessions, the registrar of the client ids that hash here, and
 * on {@link #INDEX_SHARD} the topic index and the retained store.
 */
public final class SessionShard extends Shard {
    /** The shard whose thread owns topic index and retained store. */
    public static final int INDEX_SHARD = 0;

    private static final Logger LOG = LoggerFactory.getLogger(SessionShard.class);

    private final ShardContext context;
    private final PacketDecoder decoder = new PacketDecoder(Role.SERVER);
    private final Registrar registrar = new Registrar(this);
    private final @Nullable IndexOwner indexOwner;
    private final Router router;
    private final ShardLoad load;
    private final PublisherBrake brake;
    private final ConnectRate connectRate;
    private final OwnedGroups groups = new OwnedGroups(this);
    private final ShardIds ids;
    private final SessionList sessions;
    private final ShardQueues queues;
    private final RandomGenerator random;
    private final Map<Session, Claim> releasesAfterHandOver = new HashMap<>(0);

    private final GroupedWarning readFailures =
            new GroupedWarning(LOG, "Rows of the queue of {} could not be read{}");
    private @Nullable SysTopics sysTopics;
    private int owedWills;
    private @Nullable Runnable whenNoWillIsOwed;

    SessionShard(int index, ShardLoop loop, ShardContext context, RandomGenerator random) {
        super(
                index,
                loop,
                context.time(),
                context.store(),
                context.overload().sliceSteps(),
                context.rules());
        this.context = context;
        this.random = random;
        this.ids =
                new ShardIds(
                        index,
                        context.shardCount(),
                        context.serverId(),
                        this::wallMs,
                        context.idFloor(),
                        context.store().keeps());
        this.router = new Router(this, context.index());
        this.indexOwner = index == INDEX_SHARD ? new IndexOwner(this, context.index()) : null;
        this.load = new ShardLoad(context.load(), this::mailboxBytes);
        this.brake = new PublisherBrake(this, load, context.mailboxes());
        this.connectRate =
                new ConnectRate(this, context.limits().connectRate(), context.shardCount());
        this.sessions = new SessionList(this);
        this.queues =
                new ShardQueues(
                        this,
                        this,
                        load,
                        ids,
                        new QueueMail(this),
                        counters(),
                        context.queues(),
                        context.limits(),
                        context.rules());
    }

    @Override
    protected void connect(Shard[] peers) {
        super.connect(peers);
    }

    // ---------------------------------------------------------------- rows

    @Override
    public void onRows(QueuedMessage[] entries) {
        execute(() -> {
            RowsWritten told = new RowsWritten(queues, entries, overload().sliceSteps());
            if (!told.slice()) {
                slice(told);
            }
        });
    }

    /**
     * Rows of a queue have expired; from any thread. Told to each shard: the one that has the
     * session acts, and one that is on its way between two is told of again.
     */
    void onExpired(long queueId, long[] messageIds) {
        execute(() -> queues.onRowsExpired(queueId, messageIds));
    }

    /**
     * A page could not be read.
     *
     * @param queue a client id, or the filter of a group
     */
    void onReadFailed(Object queue, Throwable failure) {
        counters().increment(Metric.STORE_READ_FAILURES);
        readFailures.warn(nowMs(), queue, failure);
    }

    ShardQueues queues() {
        return queues;
    }

    // ---------------------------------------------------------------- connections

    /** A connection was accepted; on this shard's thread. */
    public ClientConnection open(Wire wire) {
        enter();
        load.connections(1);
        return new ClientConnection(this, wire);
    }

    void closed(ClientConnection connection) {
        load.connections(-1);
        brake.unwatch(connection);
    }

    void enterTurn() {
        enter();
    }

    @Override
    public void onTick() {
        super.onTick();
        if (index() == INDEX_SHARD) {
            context.load().onTick(nowMs());
        }
        brake.onTick();
        load.groups(groups.onTick());
        IndexOwner owner = indexOwner;
        if (owner != null) {
            owner.sweep(wallMs());
            load.retained(owner.retained().size(), owner.retained().bytes());
        }
        SysTopics topics = sysTopics;
        if (topics != null) {
            topics.onTick(nowMs());
        }
    }

    @Override
    protected void onPosted(int to, long depth) {
        brake.onPosted(to, depth);
    }

    @Override
    protected void onMailHandled() {
        brake.onMailHandled();
    }

    /** On the index's shard: begins to publish the {@code $SYS} topics. */
    public void startSysTopics(SessionShard[] shards, long intervalMs, String version) {
        enter();
        sysTopics = new SysTopics(this, shards, intervalMs, version);
    }

    /**
     * Stopping, first: the wills of those connected are published and taken in, but for those that
     * wait for the restart.
     */
    public void publishWills(Runnable whenDone) {
        enter();
        Runnable whenCommitted = () -> afterCommit(durable -> whenDone.run());
        Runnable whenPublished =
                () -> {
                    if (owedWills == 0) {
                        whenCommitted.run();
                    } else {
                        whenNoWillIsOwed = whenCommitted;
                    }
                };
        slice(
                new ShutDown(
                        sessions.connections(), ClientConnection::onShutdownWill, whenPublished));
    }

    /** Stopping, second: every client is told, and its connection closed. */
    public void disconnectAll(Runnable whenDone) {
        enter();
        slice(new ShutDown(sessions.connections(), ClientConnection::onShutdown, whenDone));
    }

    // ---------------------------------------------------------------- the client id's way

    void claim(Claim claim) {
        toRegistrar(claim.clientId(), new Registrar.ClaimMail(claim));
    }

    void toRegistrar(ClientId clientId, Mail mail) {
        send(Registrar.shardOf(clientId, shards()), mail);
    }

    Registrar registrar() {
        return registrar;
    }

    void released(Claim claim, @Nullable Session session) {
        // The new owner may send at once: nothing that this one has sent before may come later.
        sendAfterAll(claim.shard(), new Registrar.Granted(claim, session, index()));
    }

    /** The session may move on only when its last move has ended. */
    void releaseAfterHandOver(Session session, Claim claim) {
        releasesAfterHandOver.put(session, claim);
    }

    void onHandOverComplete(Session session) {
        Claim claim = releasesAfterHandOver.remove(session);
        if (claim != null) {
            session.release(claim);
        }
    }

    /** Every shard answers with a marker behind what it has sent here. */
    void announceHandOver(Session session) {
        for (int i = 0; i < shards(); i++) {
            if (i != index()) {
                send(i, new MarkerMail.Request(session, index()));
            }
        }
    }

    /**
     * @param isKept whether the store will have a record of it: durable, or with a will
     * @return null when it needs a queue id and this start has no more of them
     */
    @Nullable Session createSession(
            ClientId clientId, ProtocolVersion version, long expirySeconds, boolean isKept) {
        long queueId = isKept ? ids.nextQueueId() : 0;
        if (isKept && queueId == 0) {
            return null;
        }
        Session session =
                new Session(clientId, ids.nextGeneration(), queueId, this, version, expirySeconds);
        counters().increment(Metric.SESSIONS_CREATED, version);
        sessions.add(session);
        return session;
    }

    void forget(Session session) {
        toRegistrar(session.clientId(), new Registrar.Removed(session));
    }

    // ---------------------------------------------------------------- publishing

    /**
     * Routes a message from this shard; a retained one only from {@link #INDEX_SHARD}, where it is
     * kept first.
     *
     * @param publishing told when a fan-out that is too large for one slice has ended
     * @return whether every target was told; else {@link Publishing#fannedOut} follows
     */
    boolean publish(Message message, @Nullable Receipt receipt, @Nullable Publishing publishing) {
        IndexOwner owner = indexOwner;
        if (message.retain && owner != null) {
            owner.retain(message, receipt);
        }
        return router.publish(message, receipt, publishing);
    }

    /** Keeps and routes a retained message; the caller runs the slices to their end. */
    Router.FanOut beginPublish(Message message, @Nullable Receipt receipt) {
        indexOwner().retain(message, receipt);
        return router.begin(message, receipt);
    }

    /** Publishes for nobody: wills, $SYS. */
    void publishOwn(Message message, @Nullable Receipt receipt) {
        if (message.retain && !ownsIndex()) {
            sendAfterAll(INDEX_SHARD, new RetainedMail.Publish(message, receipt, null, index()));
        } else {
            publishHere(message, receipt);
        }
    }

    /** The same, once it is where it is routed. */
    void publishHere(Message message, @Nullable Receipt receipt) {
        if (publish(message, receipt, null)) {
            routed(receipt);
        }
    }

    /** Every target of a message that nobody published was told. */
    static void routed(@Nullable Receipt receipt) {
        if (receipt != null && receipt.routed()) {
            receipt.onDone();
        }
    }

    void publishWill(
            Will will, Session session, @Nullable Receipt receipt, long messageIngressCounter) {
        counters().increment(Metric.WILLS_PUBLISHED, session.version());
        publishOwn(WillMessage.of(will, session, this, messageIngressCounter), receipt);
    }

    /** A will was published, or has been taken in by everyone. */
    void owedWill(int change) {
        owedWills += change;
        Runnable task = whenNoWillIsOwed;
        if (owedWills == 0 && task != null) {
            whenNoWillIsOwed = null;
            task.run();
        }
    }

    void deliver(
            Session session,
            Message message,
            Subscription subscription,
            @Nullable Receipt receipt) {
        session.deliver(
                message,
                Math.min(message.qos, subscription.qos),
                subscription.retainAsPublished && message.retain,
                subscription.ids,
                receipt,
                null);
    }

    void deliverRetained(Session session, Message message, Subscription subscription) {
        if (subscription.forPublisher(message.publisher) == null) {
            return; // [MQTT-3.8.3-3] No Local
        }
        session.deliver(
                message,
                Math.min(message.qos, subscription.qos),
                true,
                subscription.ids,
                null,
                null);
    }

    ShardContext context() {
        return context;
    }

    OwnedGroups groups() {
        return groups;
    }

    SharedGroup newGroup(TopicFilter filter) {
        int owner = Math.floorMod(filter.hashCode(), shards());
        return ((SessionShard) peer(owner)).groups.create(filter);
    }

    // ---------------------------------------------------------------- subscriptions

    boolean ownsIndex() {
        return indexOwner != null;
    }

    IndexOwner indexOwner() {
        IndexOwner owner = indexOwner;
        if (owner == null) {
            throw new IllegalStateException("shard " + index() + " does not own the index");
        }
        return owner;
    }

    void toIndex(Mail mail) {
        send(INDEX_SHARD, mail);
    }

    void unsubscribeAll(Session session, Collection<Subscription> subscriptions) {
        if (!subscriptions.isEmpty()) {
            toIndex(new UnsubscribeMail(session, new ArrayList<>(subscriptions), null, true));
        }
    }

    // ---------------------------------------------------------------- what the rest asks

    PacketDecoder decoder() {
        return decoder;
    }

    Router router() {
        return router;
    }

    TopicIndex topicIndex() {
        return context.index();
    }

    public MqttSettings mqtt() {
        return context.mqtt();
    }

    public LimitSettings limits() {
        return context.limits();
    }

    public OverloadSettings overload() {
        return context.overload();
    }

    /** Whether sessions outlive the process. */
    boolean keepsSessions() {
        return context.store().keeps();
    }

    Authenticator authenticator() {
        return context.authenticator();
    }

    AccessControl accessControl() {
        return context.accessControl();
    }

    @Nullable EnhancedAuthenticator enhancedAuthenticator(String method) {
        return context.enhancedAuthenticators().get(method);
    }

    int serverId() {
        return context.serverId();
    }

    RandomGenerator random() {
        return random;
    }

    String randomName() {
        return Long.toHexString(random.nextLong() >>> 1)
                + Long.toHexString(random.nextLong() >>> 1);
    }

    /** Now when on this shard's thread, else as mail. */
    void run(Runnable task) {
        if (loop().isInside()) {
            task.run();
        } else {
            execute(task);
        }
    }

    void debugViolation(ClientConnection connection, ProtocolViolation violation) {
        LOG.debug(
                "Closing {} on listener {}: {} ({})",
                connection.remoteAddress(),
                connection.listener(),
                violation.reason(),
                violation.getMessage());
    }

    void debugStrayAck(ClientConnection connection, PacketType type, int packetId) {
        LOG.debug(
                "{} for packet id {}, which is not in flight to {}",
                type,
                packetId,
                connection.remoteAddress());
    }

    /** The sessions that this shard owns. */
    SessionList sessions() {
        return sessions;
    }

    ShardIds ids() {
        return ids;
    }

    public ShardLoad load() {
        return load;
    }

    PublisherBrake brake() {
        return brake;
    }

    ConnectRate connectRate() {
        return connectRate;
    }

    void requireRoomToHold(int bytes) {
        if (!load.mayHold(bytes)) {
            counters().increment(Metric.REFUSED_PARTIAL_BYTES);
            throw new ProtocolViolation(
                    ReasonCode.QUOTA_EXCEEDED, "the node's bound for partial packets is reached");
        }
    }
}
