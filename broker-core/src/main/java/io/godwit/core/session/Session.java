package io.godwit.core.session;

import io.godwit.core.ack.Receipt;
import io.godwit.core.id.SessionKey;
import io.godwit.core.index.SubscribeContext;
import io.godwit.core.index.Subscriptions;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.queue.ClientQueue;
import io.godwit.core.queue.GroupLink;
import io.godwit.core.settings.Rule;
import io.godwit.core.store.ShardStore;
import org.jspecify.annotations.Nullable;

/**
 * The session of one client id, owned by one shard. It outlives its connection when its expiry is
 * above 0, and moves to the shard of the next one by hand-over.
 *
 * <p>This class has what belongs to the session and delivers to its client; {@link SessionLife} has
 * when it begins, goes offline and ends. It is longer than most files, since what each message
 * looks at stands in one object.
 */
public final class Session extends ReceivingSession
        implements FullSessions.Held, SubscribersBehind.Behind {
    private static final int IDLE_MARK_FOR_REPLAY = 100;

    private final SessionLife life;
    private ProtocolVersion version;
    private SessionContext context;

    /** The connection of the session's {@link SessionState}, where each message looks for it. */
    private @Nullable ClientLink connection;

    private boolean ended;

    /** Whether the session is not durable any more while its queue is still kept. */
    boolean leavesStore;

    private int connectionNumber;

    /** Counts the take-overs from this node after which it has given up unanswered publishes. */
    private int takeOver;

    /** Number of the disk alarm in which its client came back beyond the reserve; 0 = none. */
    private int returnedInAlarm;

    private ClientQuotas.@Nullable Share share;
    private @Nullable Subscriptions subscriptions;

    /** The neighbours in the shard's list of sessions. */
    @Nullable Session previous;

    @Nullable Session next;

    public Session(
            ClientId clientId,
            long generation,
            long queueId,
            SessionContext context,
            ProtocolVersion version,
            long expirySeconds) {
        super(clientId, generation, context.shard().index(), expirySeconds > 0, queueId);
        this.context = context;
        this.version = version;
        this.life = new SessionLife(this, expirySeconds);
        this.takeOver = context.takeOvers();
    }

    /** The session's life: when it begins, goes offline and ends. */
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

    @Override
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

    @Override
    SessionContext context() {
        return context;
    }

    @Override
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

    /** Whether its client has used its one return beyond the reserve of this disk alarm. */
    public boolean hasReturnedIn(int diskAlarm) {
        return returnedInAlarm == diskAlarm;
    }

    /** Notes that its client came back in this disk alarm beyond the reserve. */
    public void returnIn(int diskAlarm) {
        returnedInAlarm = diskAlarm;
    }

    @Override
    public int inFlightMax() {
        ClientLink to = connection;
        return to == null ? 0 : to.inFlightMax();
    }

    @Override
    public int packetBytesMax() {
        ClientLink to = connection;
        return to == null ? Integer.MAX_VALUE : to.packetBytesMax();
    }

    @Override
    public SubscribeContext subscribing() {
        return context.subscribing();
    }

    @Override
    public ShardStore store() {
        return context.shard().store();
    }

    /** The session's subscriptions; made with the first use. */
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
     * Takes the connection of another state.
     *
     * @param link null when it has no connection
     */
    void onState(@Nullable ClientLink link, boolean isEnded) {
        connection = link;
        ended = isEnded;
    }

    /** Notes that a connection has taken the session. */
    void attached(ProtocolVersion of) {
        version = of;
        connectionNumber++;
    }

    /**
     * Sends again everything unacknowledged, then what waits [MQTT-4.4.0-1]; called after CONNACK.
     */
    public void resume() {
        ClientLink to = connection;
        if (to == null) {
            return;
        }
        queueResumes();
        if (subscriptions != null) {
            subscriptions.onConnected();
        }
        pump();
    }

    /** Notes that the session has lost its connection. */
    void detached(ClientLink lost) {
        publishesNoMore(lost);
        queueLosesConnection();
        if (subscriptions != null && subscriptions.onConnectionLost()) {
            dropGroupEntries();
        }
    }

    void becomesDurable(boolean isDurable) {
        durable(isDurable);
    }

    @Override
    public int copySet() {
        return store().copySet(clientId());
    }

    @Override
    public boolean isElsewhere() {
        return life.isAside() || life.isYielded();
    }

    /** Has publishers wait for this session no more once the store keeps what it was just told. */
    void awaitNoMore() {
        if (!context.shard().rules().holds(Rule.WAIT_FOR_END)) {
            awaitedNoMore();
            return;
        }
        context.shard()
                .afterCommit(
                        copySet(),
                        isKept -> {
                            if (isKept) {
                                awaitedNoMore();
                            }
                        });
    }

    @Override
    public long heldBytes() {
        ClientQueue queue = queueIfMade();
        ClientLink link = connection;
        return (queue == null ? 0 : queue.inFlightBytes() + queue.memoryBytes())
                + (link == null ? 0 : link.untakenBytes());
    }

    @Override
    public boolean isAbove(int sixteenths) {
        ClientQueue queue = queueIfMade();
        return queue != null && !isDurable() && queue.isAbove(sixteenths);
    }

    @Override
    public long messagesMax() {
        ClientQueue queue = queueIfMade();
        return queue == null ? 0 : queue.messagesMax();
    }

    @Override
    public long bytesMax() {
        ClientQueue queue = queueIfMade();
        return queue == null ? 0 : queue.bytesMax();
    }

    @Override
    public int acknowledged() {
        ClientQueue queue = queueIfMade();
        return queue == null ? 0 : queue.acknowledged();
    }

    @Override
    public long acknowledgedBytes() {
        ClientQueue queue = queueIfMade();
        return queue == null ? 0 : queue.acknowledgedBytes();
    }

    @Override
    public long takenBytes() {
        ClientQueue queue = queueIfMade();
        ClientLink link = connection;
        return (queue == null ? 0 : queue.acknowledgedBytes() + queue.inFlightBytes())
                - (link == null ? 0 : link.untakenBytes());
    }

    @Override
    public void onBehind() {
        context.subscribersBehind().onBehind(this);
    }

    /** It counts for who made it. */
    void share(ClientQuotas.Share taken) {
        share = taken;
    }

    /** Drops what belongs to a session that has ended; the store was just told so. */
    void drop() {
        if (share != null) {
            context.giveBack(share);
            share = null;
        }
        dropQueue(); // Groups hear of single entries before they hear of the session's end.
        if (subscriptions != null) {
            subscriptions.end();
            subscriptions = null;
        }
        forgetSlowSubscribers();
        releaseInbound();
        context.sessions().remove(this);
    }

    // ---------------------------------------------------------------- takeover

    /** Names another shard as the session's owner: from now on its mail belongs there. */
    public void leave(int newOwner) {
        life.leave(newOwner);
        // Receipts belong to the shard that made them: they stay, and tell the new one.
        queueLeavesShard();
        leaveInbound(newOwner);
        context.sessions().remove(this);
        // Before the new owner is named: from then on its thread may find mail for the session,
        // which it has to hold back until the session is there.
        handOver(context.shard());
        owner(newOwner);
    }

    /** Takes the session up on its new shard. */
    public void arrive(SessionContext at) {
        context = at;
        at.sessions().add(this);
        life.arrive();
        if (takeOver < at.takeOvers()) {
            giveUpUntaken(); // Its former shard had not come to it, and this one has looked before.
        }
    }

    /**
     * Another node has taken over from this one: what clients have published may wait here for what
     * is at that node now. PUBLISHes of QoS 2 that not every target has are routed once more when
     * they come again; Wills are published again. Targets that have one recognise it.
     */
    public void giveUpUntaken() {
        takeOver = context.takeOvers();
        if (context.hasKept(this)) {
            giveUpInbound();
            life.publishOwedAgain();
        }
    }

    // ---------------------------------------------------------------- set aside

    /**
     * Lets go of everything that a session has in memory which was set aside, or is a copy of
     * another node's from now on; the store keeps it.
     */
    void leaveMemory() {
        if (share != null) {
            context.giveBack(share);
            share = null;
        }
        leaveGroupQueues();
        queueLeavesShard();
        if (subscriptions != null) {
            subscriptions.end();
            subscriptions = null;
        }
        forgetSlowSubscribers();
        if (life.isYielded()) {
            letGoOfInbound(); // Its client sends them again, to another node.
        } else {
            releaseInbound();
        }
        context.sessions().remove(this);
        letGoOfQueue();
    }

    // ---------------------------------------------------------------- delivery

    @Override
    public void deliver(
            Message message, int qos, boolean retain, int[] ids, @Nullable Receipt receipt) {
        deliver(message, qos, retain, ids, receipt, null);
    }

    /**
     * Delivers a message.
     *
     * @param source the shared group that the message comes from; null for none
     */
    void deliver(
            Message message,
            int qos,
            boolean retain,
            int[] ids,
            @Nullable Receipt receipt,
            @Nullable GroupLink source) {
        if (receipt != null && (ended || !isDurable())) {
            doneWhenOver(receipt);
            deliver(message, qos, retain, ids, null, source);
            return;
        }
        if (ended) {
            context.shard().counters().increment(Metric.DROPPED_SESSION_GONE);
            return;
        }
        if (message.isExpired(context.shard().sureMs())) {
            context.shard().counters().increment(Metric.DROPPED_EXPIRED, version);
            Receipt.done(receipt);
            if (source != null) {
                sharedDone(source);
            }
            return;
        }
        if (qos > 0) {
            queue().intake().add(message, qos, retain, ids, receipt, source);
            context.fullSessions().onDelivered(this);
            return;
        }
        ClientLink to = connection;
        if (to == null) {
            context.shard().counters().increment(Metric.DROPPED_QOS0_OFFLINE, version);
        } else {
            to.sendQos0(message, retain, ids);
            context.fullSessions().onDelivered(this);
        }
    }

    /**
     * Once it is on disk that this session is over: before, a crash would bring it back without the
     * message.
     */
    private void doneWhenOver(Receipt receipt) {
        if (context.shard().rules().holds(Rule.WAIT_FOR_END)) {
            context.shard().afterCommit(copySet(), receipt::targetDone);
        } else {
            Receipt.done(receipt);
        }
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
        sendQueued(to);
        if (isBehind()) {
            context.subscribersBehind().onTaken(this);
        }
        if (leavesStore) {
            life.leaveStore();
        }
        if (subscriptions != null && to.canSend() && waitingCount() < IDLE_MARK_FOR_REPLAY) {
            subscriptions.wantMore();
        }
    }
}
