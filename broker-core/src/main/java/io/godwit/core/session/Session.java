package io.godwit.core.session;

import io.godwit.core.ack.Receipt;
import io.godwit.core.id.SessionKey;
import io.godwit.core.index.SubscribeContext;
import io.godwit.core.index.Subscriber;
import io.godwit.core.index.Subscriptions;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.publish.InboundReceipt;
import io.godwit.core.publish.PublisherLink;
import io.godwit.core.publish.PublisherSession;
import io.godwit.core.publish.Publishing;
import io.godwit.core.queue.ClientQueue;
import io.godwit.core.queue.PartEntry;
import io.godwit.core.queue.QueueEntry;
import io.godwit.core.queue.QueueOwner;
import io.godwit.core.settings.Rule;
import io.godwit.core.shard.Mail;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.QueueDepth;
import io.godwit.core.store.Recovery.KeptInbound;
import io.godwit.core.store.ShardStore;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The session of one client id, owned by one shard. It outlives its connection when its expiry is
 * above 0, and moves to the shard of the next one by hand-over.
 *
 * <p>Here stands what belongs to it and what is delivered to its client; when it begins, goes
 * offline and ends is its {@link SessionLife}.
 */
public final class Session extends Subscriber implements QueueOwner, PublisherSession {
    private static final int IDLE_MARK_FOR_REPLAY = 100;

    private final long queueId;
    private final SessionLife life;
    private ProtocolVersion version;
    private SessionContext context;

    /** Those of its {@link SessionState}, where each message looks. */
    private @Nullable ClientLink connection;

    private boolean ended;

    /** It is not durable any more, and the store still has its queue. */
    boolean leavesStore;

    private int connectionNumber;
    private @Nullable Subscriptions subscriptions;
    private @Nullable ClientQueue queue;
    private @Nullable PublisherState publisher;

    /** Neighbours in the shard's list of sessions. */
    @Nullable Session previous;

    @Nullable Session next;

    public Session(
            ClientId clientId,
            long generation,
            long queueId,
            SessionContext context,
            ProtocolVersion version,
            long expirySeconds) {
        super(clientId, generation, context.shard().index(), expirySeconds > 0);
        this.queueId = queueId;
        this.context = context;
        this.version = version;
        this.life = new SessionLife(this, expirySeconds);
    }

    /** When it begins, goes offline and ends. */
    public SessionLife life() {
        return life;
    }

    // ---------------------------------------------------------------- what others ask

    @Override
    public boolean isEnded() {
        return ended;
    }

    public boolean isOnline() {
        return connection != null;
    }

    public @Nullable ClientLink connection() {
        return connection;
    }

    @Override
    public @Nullable ClientLink outlet() {
        return connection;
    }

    @Override
    public ProtocolVersion version() {
        return version;
    }

    /** Of the shard that owns it now. */
    SessionContext context() {
        return context;
    }

    @Override
    public long queueId() {
        return queueId;
    }

    /** As other nodes name it. */
    public SessionKey key() {
        return life.key();
    }

    /** Whether the connection of this number is still there. */
    boolean isOnlineAt(int number) {
        return connection != null && number == connectionNumber;
    }

    @Override
    public int connectionNumber() {
        return connectionNumber;
    }

    @Override
    public int inFlightMax() {
        ClientLink to = connection;
        return to == null ? 0 : to.inFlightMax();
    }

    @Override
    public SubscribeContext subscribing() {
        return context.subscribing();
    }

    @Override
    public ShardStore store() {
        return context.shard().store();
    }

    /** Messages that wait, in memory or on disk. */
    long waitingCount() {
        return queue == null ? 0 : queue.messages();
    }

    @Override
    public int inFlightCount() {
        return queue == null ? 0 : queue.inFlight();
    }

    /** Made with the first use. */
    @Override
    public Subscriptions subscriptions() {
        Subscriptions made = subscriptions;
        if (made == null) {
            made = new Subscriptions(this);
            subscriptions = made;
        }
        return made;
    }

    public int subscriptionCount() {
        return subscriptions == null ? 0 : subscriptions.size();
    }

    // ---------------------------------------------------------------- connection comes and goes

    /**
     * It is in another state.
     *
     * @param link null when it has no connection
     */
    void onState(@Nullable ClientLink link, boolean isEnded) {
        connection = link;
        ended = isEnded;
    }

    /** A connection has taken the session. */
    void attached(ProtocolVersion of) {
        version = of;
        connectionNumber++;
    }

    /** After CONNACK: everything unacknowledged is sent again, then what waits [MQTT-4.4.0-1]. */
    public void resume() {
        ClientLink to = connection;
        if (to == null) {
            return;
        }
        if (queue != null) {
            queue.onConnected();
        }
        if (subscriptions != null) {
            subscriptions.onConnected();
        }
        pump();
    }

    /** It has lost its connection. */
    void detached(ClientLink lost) {
        Publishing left = lost.publishing();
        if (left != null && !left.isIdle()) {
            publisher().left(left);
        } else if (publisher != null && publisher.isEmpty()) {
            publisher = null;
        }
        if (queue != null) {
            queue.onConnectionLost();
        }
        if (subscriptions != null && subscriptions.onConnectionLost() && queue != null) {
            queue.dropGroupEntries();
        }
    }

    void becomesDurable(boolean isDurable) {
        durable(isDurable);
    }

    /** Once the store has what it was just told, publishers wait for this session no more. */
    void awaitNoMore() {
        context.shard()
                .afterCommit(durable -> {
                    if (durable) {
                        awaitedNoMore();
                    }
                });
    }

    /** Whether there are no rows that the client of one that is not durable any more has to get. */
    boolean queueMayLeaveStore() {
        return queue == null || queue.mayLeaveStore();
    }

    /** The store was just told to forget it. */
    void queueLeavesStore() {
        if (queue != null) {
            queue.leaveStore();
        }
    }

    /** It has ended, and the store was just told so: what belongs to it goes. */
    void drop() {
        if (queue != null) {
            queue.drop(); // Groups hear of single entries before they hear of the session's end.
            queue = null;
        }
        if (subscriptions != null) {
            subscriptions.end();
            subscriptions = null;
        }
        if (publisher != null) {
            publisher.forgetSlowSubscribers(this, context.shard());
            publisher.inbound.end(context.router());
        }
        context.sessions().remove(this);
    }

    // ---------------------------------------------------------------- takeover

    /**
     * Has the task run once the session may go to its new connection. Nobody waits for wills: what
     * is owed goes with the session, or stays with one that has ended.
     */
    public void whenReleasable(Runnable task) {
        Publishing left = publisher == null ? null : publisher.takeLeft();
        if (ended || left == null) {
            task.run();
        } else {
            // What its client publishes next must not overtake what it has published before.
            left.whenIdle(task);
        }
    }

    /** Goes to another shard: from now on mail for it belongs there. */
    public void leave(int newOwner) {
        life.leave(newOwner);
        leaveReceipts(newOwner);
        context.sessions().remove(this);
        // Before the new owner is named: from then on its thread may find mail for the session,
        // which it has to hold back until the session is there.
        handOver(context.shard());
        owner(newOwner);
    }

    /** Receipts belong to the shard that made them: they stay, and tell the new one. */
    private void leaveReceipts(int newOwner) {
        if (queue != null) {
            queue.leaveShard();
        }
        if (publisher != null) {
            publisher.inbound.move(context.shard(), newOwner);
        }
    }

    /** The session arrives on its new shard. */
    public void arrive(SessionContext at) {
        context = at;
        at.sessions().add(this);
        life.arrive();
    }

    // ---------------------------------------------------------------- delivery

    @Override
    public void deliver(
            Message message, int qos, boolean retain, int[] ids, @Nullable Receipt receipt) {
        deliver(message, qos, retain, ids, receipt, null);
    }

    /**
     * The same for a message of a shared group.
     *
     * @param source its entry; null when no group has it
     */
    void deliver(
            Message message,
            int qos,
            boolean retain,
            int[] ids,
            @Nullable Receipt receipt,
            @Nullable PartEntry source) {
        if (receipt != null && (ended || !isDurable())) {
            // Once it is on disk that this session is over: before, a crash would bring it back
            // without this message.
            context.shard().afterCommit(receipt::targetDone);
            deliver(message, qos, retain, ids, null, source);
            return;
        }
        if (ended) {
            context.shard().counters().increment(Metric.DROPPED_SESSION_GONE);
            return;
        }
        if (message.isExpired(context.shard().wallMs())) {
            context.shard().counters().increment(Metric.DROPPED_EXPIRED, version);
            Receipt.done(receipt);
            if (source != null) {
                toGroup(source, new GroupMail.Acked(this, source));
            }
            return;
        }
        if (qos > 0) {
            queue().add(message, qos, retain, ids, receipt, source);
            return;
        }
        ClientLink to = connection;
        if (to == null) {
            context.shard().counters().increment(Metric.DROPPED_QOS0_OFFLINE, version);
        } else {
            to.sendQos0(message, retain, ids);
        }
    }

    /** Made with the first use. */
    public ClientQueue queue() {
        ClientQueue made = queue;
        if (made == null) {
            made = new ClientQueue(queueId, this, context.queues());
            queue = made;
        }
        return made;
    }

    /**
     * Sends what waits, as far as window and channel allow; then asks for more of running replays.
     */
    @Override
    public void pump() {
        ClientLink to = connection;
        if (to == null || !to.isConnected()) {
            return;
        }
        if (queue != null) {
            queue.pump(to);
            if (leavesStore) {
                life.leaveStore();
            }
        }
        if (subscriptions != null && to.canSend() && waitingCount() < IDLE_MARK_FOR_REPLAY) {
            subscriptions.wantMore();
        }
    }

    /**
     * @return false when the packet id is not in flight, or not at this QoS
     */
    public boolean onPubAck(int packetId) {
        return queue != null && queue.onPubAck(packetId);
    }

    /**
     * @return false when the packet id is not in flight, or not at this QoS
     */
    public boolean onPubRec(int packetId, int reasonCode) {
        return queue != null && queue.onPubRec(packetId, reasonCode);
    }

    /**
     * @return false when the packet id is not in flight, or not at this QoS
     */
    public boolean onPubComp(int packetId) {
        return queue != null && queue.onPubComp(packetId);
    }

    // ---------------------------------------------------------------- what its queue has to say

    public void onAppendDone(QueueEntry entry, boolean durable) {
        entry.appendDone(durable, queue != null && !ended);
    }

    public void onRows(long upTo) {
        if (queue != null) {
            queue.onRows(upTo);
        }
    }

    @Override
    public void onReadFailed(Throwable failure) {
        context.onReadFailed(clientId(), failure);
    }

    @Override
    public void forgetQueue(long predecessorId) {
        store().removeSession(clientId(), predecessorId, context.ids().stamp());
    }

    @Override
    public void sharedInFlight(QueueEntry entry) {
        PartEntry source = (PartEntry) entry.source;
        if (source != null) {
            toGroup(source, new GroupMail.Marked(this, source, entry));
            if (!context.shard().rules().holds(Rule.GROUP_MARKS)) {
                queue().sharedGoesOn(entry, true);
            }
        }
    }

    @Override
    public void sharedGot(QueueEntry entry) {
        PartEntry source = (PartEntry) entry.source;
        if (source != null) {
            toGroup(source, new GroupMail.Got(this, source, entry));
        }
    }

    @Override
    public void sharedDone(QueueEntry entry) {
        PartEntry source = (PartEntry) entry.source;
        if (source != null) {
            toGroup(source, new GroupMail.Acked(this, source));
        }
    }

    @Override
    public void sharedEnds(QueueEntry entry, boolean hasLeft) {
        PartEntry source = (PartEntry) entry.source;
        if (source != null) {
            toGroup(source, new GroupMail.Ends(this, source, hasLeft));
        }
    }

    private void toGroup(PartEntry entry, Mail mail) {
        context.shard().send(GroupMail.groupOf(entry).owner(), mail);
    }

    // ---------------------------------------------------------------- what its client publishes

    private PublisherState publisher() {
        PublisherState made = publisher;
        if (made == null) {
            made = new PublisherState();
            publisher = made;
        }
        return made;
    }

    @Override
    public boolean hasSlowSubscribers() {
        return publisher != null && publisher.hasSlowSubscribers();
    }

    /** A subscriber is behind with what this session publishes, or has caught up. */
    public void slowSubscriber(SlowSubscriber subscriber, boolean waits) {
        if (ended) {
            context.shard().send(subscriber.shard(), subscriber.publisherGone(this));
            return;
        }
        publisher().slowSubscriber(subscriber, waits);
        ClientLink link = connection;
        if (link != null) {
            link.checkReading();
        }
    }

    @Override
    public @Nullable Receipt inboundQos2(int packetId) {
        return publisher == null ? null : publisher.inbound.get(packetId);
    }

    /**
     * @param again what the restart has found of it; it is with the store already
     */
    @Override
    public Receipt putInboundQos2(
            PublisherLink from, int packetId, long ingressCounter, @Nullable InboundReceipt again) {
        return publisher()
                .inbound
                .put(this, from, packetId, context.serverId(), ingressCounter, again);
    }

    /** At start. */
    public void recoverInbound(KeptInbound kept) {
        publisher().inbound.recover(this, kept);
    }

    /**
     * At start.
     *
     * @param depth what its queue has in rows; null for none
     * @param shared entries of groups that its client had in flight
     */
    public void recoverQueue(@Nullable QueueDepth depth, int shared) {
        if (depth != null || shared > 0) {
            queue().restore(depth, shared);
        }
    }

    @Override
    public boolean removeInboundQos2(int packetId) {
        return publisher != null
                && publisher.inbound.remove(
                        packetId, context.shard().store(), context.router());
    }

    /** Of the QoS 2 PUBLISHes that the store has. */
    List<Inbound> inboundIds() {
        return publisher == null ? List.of() : publisher.inbound.kept();
    }

    public int inboundQos2Count() {
        return publisher == null ? 0 : publisher.inbound.size();
    }

    /** Null while nothing has needed one. */
    public @Nullable ClientQueue queueIfMade() {
        return queue;
    }
}
