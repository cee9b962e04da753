package io.godwit.core.session;

import io.godwit.core.ack.Takers;
import io.godwit.core.id.IngressId;
import io.godwit.core.id.ShardIds;
import io.godwit.core.index.SubscribeContext;
import io.godwit.core.load.GroupedLine;
import io.godwit.core.load.ShardLoad;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Will;
import io.godwit.core.publish.Router;
import io.godwit.core.queue.ShardQueues;
import io.godwit.core.review.Reviews;
import io.godwit.core.shard.Shard;
import java.util.BitSet;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The collaborators that the sessions of one shard share: the shard that owns them now, and its
 * rooms below them.
 */
public final class SessionContext {
    /** What sessions have to say to those who give and take client ids. On the owner's thread. */
    public interface Outside {
        /** It has ended and is forgotten, and that is kept. */
        void ended(Session session);
    }

    private static final Logger LOG = LoggerFactory.getLogger(SessionContext.class);

    /** The most wills of earlier connections that a session may owe. */
    private static final int OWED_BY_SESSION_MAX = 16;

    private final Shard shard;
    private final ShardLoad load;
    private final ShardIds ids;
    private final ShardQueues queues;
    private final Router router;
    private final SubscribeContext subscribing;
    private final int serverId;
    private final boolean keepsSessions;
    private final ClientQuotas quotas;
    private @Nullable Outside outside;
    private final SessionList sessions;
    private final FullSessions fullSessions;
    private final SubscribersBehind subscribersBehind;
    private final OwedWills owedWills = new OwedWills();
    private final Reviews reviews;

    /** Knows who publishes wills of transient sessions of earlier starts; null: this node. */
    private @Nullable WillKeeper earlierWills;

    /** Counts the times at which other nodes have taken over from this one. */
    private int takeOvers;

    /** Holds the slots whose durable sessions another node had after the last take-over. */
    private BitSet yielded = new BitSet(0);

    private boolean nodeLeaves;
    private boolean keepsWills;
    private final GroupedLine readFailures =
            new GroupedLine(LOG, "Rows of the queue of {} could not be read{}");

    /**
     * @param keepsSessions whether sessions outlive the process
     */
    public SessionContext(
            Shard shard,
            ShardLoad load,
            ShardIds ids,
            ShardQueues queues,
            Router router,
            SubscribeContext subscribing,
            int serverId,
            boolean keepsSessions,
            ClientQuotas quotas,
            SubscribersBehind subscribersBehind,
            Reviews reviews) {
        this.reviews = reviews;
        this.quotas = quotas;
        this.subscribersBehind = subscribersBehind;
        this.shard = shard;
        this.load = load;
        this.ids = ids;
        this.queues = queues;
        this.router = router;
        this.subscribing = subscribing;
        this.serverId = serverId;
        this.keepsSessions = keepsSessions;
        this.sessions = new SessionList(shard, load, queues);
        this.fullSessions = new FullSessions(shard, load);
    }

    /**
     * Whether its maker may have a session more, which {@link #create} makes.
     *
     * @param user null when it gave no name
     * @param remoteAddress with its port
     */
    public ClientQuotas.@Nullable Share takeShare(@Nullable String user, String remoteAddress) {
        return quotas.take(user, remoteAddress);
    }

    void giveBack(ClientQuotas.Share share) {
        quotas.giveBack(share);
    }

    /**
     * Makes the session of a client id that has none.
     *
     * @param isKept whether a record will be kept: the session is durable, or has a will
     * @param share that its maker has taken for it; given back when there is no session
     * @return null when it needs a queue id and this start has no more of them
     */
    public @Nullable Session create(
            ClientId clientId,
            ProtocolVersion version,
            long expirySeconds,
            boolean isKept,
            ClientQuotas.Share share) {
        long queueId = isKept ? ids.nextQueueId() : 0;
        if (isKept && queueId == 0) {
            giveBack(share);
            return null;
        }
        Session session =
                new Session(clientId, ids.nextGeneration(), queueId, this, version, expirySeconds);
        session.share(share);
        shard.counters().increment(Metric.SESSIONS_CREATED, version);
        sessions.add(session);
        return session;
    }

    /**
     * Whether a connection may bring a will: not while too many earlier ones are owed.
     *
     * @param existing the session that it continues, or null
     */
    public boolean mayOweAnother(@Nullable Session existing) {
        return !owedWills.isFull()
                && (existing == null || existing.life().owedWills() < OWED_BY_SESSION_MAX);
    }

    /** Takes who knows who publishes wills of transient sessions of earlier starts, if any. */
    public void earlierWills(@Nullable WillKeeper by) {
        earlierWills = by;
    }

    @Nullable WillKeeper earlierWills() {
        return earlierWills;
    }

    /**
     * Publishes the Will of a transient session that was at another node.
     *
     * @param whenKept runs when it is kept that this node owes the Will
     */
    public void publishWillOf(ClientId clientId, Will will, Runnable whenKept) {
        long queueId = ids.nextQueueId();
        Session session =
                new Session(
                        clientId, ids.nextGeneration(), queueId, this, ProtocolVersion.MQTT_5, 0);
        session.life().publishWillOf(will, queueId != 0);
        shard.afterCommit(
                session.copySet(),
                isKept -> {
                    if (isKept) {
                        whenKept.run();
                    }
                });
    }

    /**
     * Another node has taken over from this one. All shards hear of it in the same order, but not
     * at the same time.
     *
     * @param yielded slots whose durable sessions it has
     */
    public void takenOver(BitSet yielded) {
        takeOvers++;
        this.yielded = yielded;
    }

    /** Returns how often other nodes have taken over from this one. */
    int takeOvers() {
        return takeOvers;
    }

    /** Whether a session stayed here when another node has taken over from this one. */
    public boolean hasKept(Session session) {
        return !session.isDurable() || !yielded.get(session.clientId().slot());
    }

    /**
     * Hands the publishes of sessions that have moved to another node to whoever hears from it when
     * they are over.
     *
     * @param remembered who remembers them here, by their ingress ids; not used afterwards
     */
    void letGo(Map<IngressId, Takers> remembered) {
        if (!remembered.isEmpty()) {
            router.letGo(remembered);
        }
    }

    /** Notes that the node leaves its cluster: its clients are sent to other nodes. */
    public void nodeLeaves() {
        nodeLeaves = true;
    }

    boolean isNodeLeaving() {
        return nodeLeaves;
    }

    /** Notes that the node ends: wills that a session can keep stay for the next start. */
    public void keepsWills() {
        keepsWills = true;
    }

    boolean isKeepingWills() {
        return keepsWills;
    }

    /** The sessions that the shard owns. */
    public SessionList sessions() {
        return sessions;
    }

    /** Those that hold more than their part while memory is short. */
    public FullSessions fullSessions() {
        return fullSessions;
    }

    /** Those that publishers wait for since they are behind. */
    SubscribersBehind subscribersBehind() {
        return subscribersBehind;
    }

    /** Knows who hears what happens to sessions. */
    Reviews reviews() {
        return reviews;
    }

    public OwedWills owedWills() {
        return owedWills;
    }

    public ShardQueues queues() {
        return queues;
    }

    public Shard shard() {
        return shard;
    }

    public ShardLoad load() {
        return load;
    }

    ShardIds ids() {
        return ids;
    }

    Router router() {
        return router;
    }

    SubscribeContext subscribing() {
        return subscribing;
    }

    int serverId() {
        return serverId;
    }

    boolean keepsSessions() {
        return keepsSessions;
    }

    /** Called once, before anything else. */
    public void outside(Outside told) {
        outside = told;
    }

    Outside outside() {
        Outside told = outside;
        if (told == null) {
            throw new IllegalStateException("nobody is told what sessions say");
        }
        return told;
    }

    /**
     * Tells the operator, grouped, that a page could not be read.
     *
     * @param queue a client id, or the filter of a group
     */
    public void onReadFailed(Object queue, Throwable failure) {
        shard.counters().increment(Metric.STORE_READ_FAILURES);
        readFailures.warn(shard.nowMs(), queue, failure);
    }
}
