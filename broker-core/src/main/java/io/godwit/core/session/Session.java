package io.godwit.core.session;

import io.godwit.core.ack.Receipt;
import io.godwit.core.index.SubscribeContext;
import io.godwit.core.index.Subscriber;
import io.godwit.core.index.Subscriptions;
import io.godwit.core.mail.HandOver;
import io.godwit.core.mail.SessionMail;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Will;
import io.godwit.core.publish.InboundQos2;
import io.godwit.core.publish.InboundReceipt;
import io.godwit.core.publish.PublisherLink;
import io.godwit.core.publish.PublisherSession;
import io.godwit.core.publish.Publishing;
import io.godwit.core.queue.ClientQueue;
import io.godwit.core.queue.GroupTicket;
import io.godwit.core.queue.QueueEntry;
import io.godwit.core.queue.QueueOwner;
import io.godwit.core.store.QueueDepth;
import io.godwit.core.store.Recovery.KeptInbound;
import io.godwit.core.store.SessionRecord;
import io.godwit.core.store.ShardStore;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The session of one client id, owned by one shard. It outlives its connection when its expiry is
 * above 0, and moves to the shard of the next one by {@link HandOver}.
 *
 * <pre>
 * state     trigger                                   next
 * online    connection lost, expiry above 0           offline (expiry and will delay run)
 * online    connection lost, expiry 0                 ended
 * online    taken over by a newer connection          online there, or ended (clean start)
 * offline   CONNECT                                   online, or ended (clean start)
 * offline   expiry                                    ended
 * online    the broker stops or crashes, expiry above 0     offline after the restart
 * </pre>
 *
 * Once transient it never is durable again: a transient session ends with its connection. One that
 * has a will is with the store all the same, while the will is owed.
 */
public final class Session extends Subscriber implements QueueOwner, PublisherSession {
    /** Session Expiry Interval that never ends. */
    public static final long NEVER = 0xFFFF_FFFFL;

    private static final int IDLE_MARK_FOR_REPLAY = 100;

    private final long queueId;
    private ProtocolVersion version;
    private long expirySeconds;
    private SessionContext context;
    private @Nullable ClientLink connection;
    private boolean ended;

    /** Whether the store has a record of it: it may have been durable once, or owe a will. */
    private boolean stored;

    /** It is not durable any more, and the store still has its queue. */
    private boolean leavesStore;

    /** Whether the store was told to forget it. */
    private boolean unstored;

    private int connectionNumber;
    private long offlineSinceMs;

    /** With soft limit 0: subscribers whom this session's PUBLISHes wait for. */
    private @Nullable Set<SlowSubscriber> slowSubscribers;

    private @Nullable Subscriptions subscriptions;
    private @Nullable ClientQueue queue;
    private @Nullable InboundQos2 inbound;
    private @Nullable SessionWill will;

    /** Of the last connection, which is gone: it may still have something to route. */
    private @Nullable Publishing leftPublishing;

    private @Nullable OfflineTimer timer;

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
        this.expirySeconds = expirySeconds;
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

    @Override
    public boolean hasSlowSubscribers() {
        return slowSubscribers != null;
    }

    /** A subscriber is behind with what this session publishes, or has caught up. */
    public void slowSubscriber(SlowSubscriber subscriber, boolean waits) {
        if (ended) {
            context.shard().send(subscriber.shard(), subscriber.publisherGone(this));
            return;
        }
        Set<SlowSubscriber> slow =
                slowSubscribers == null ? new LinkedHashSet<>(2) : slowSubscribers;
        if (waits) {
            slow.add(subscriber);
        } else {
            slow.remove(subscriber);
        }
        slowSubscribers = slow.isEmpty() ? null : slow;
        ClientLink publisher = connection;
        if (publisher != null) {
            publisher.checkReading();
        }
    }

    private void forgetSlowSubscribers() {
        if (slowSubscribers != null) {
            for (SlowSubscriber slow : slowSubscribers) {
                context.shard().send(slow.shard(), slow.publisherGone(this));
            }
            slowSubscribers = null;
        }
    }

    public long expirySeconds() {
        return expirySeconds;
    }

    long offlineSinceMs() {
        return offlineSinceMs;
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
     * A connection takes the session; its CONNACK follows, then {@link #resume}.
     *
     * @return whether the CONNACK promises something that the store was told
     */
    public boolean attach(
            ClientLink newConnection, ProtocolVersion newVersion, long newExpirySeconds) {
        boolean told = stored;
        connection = newConnection;
        version = newVersion;
        connectionNumber++;
        offlineSinceMs = 0;
        cancelTimer();
        replaceWill(newConnection.will());
        expiry(newExpirySeconds);
        context.load().online(1);
        putRecord();
        return told || stored;
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

    /** It came here for a connection that is gone: it is offline, from now on. */
    public void onAbandonedClaim() {
        offlineSinceMs = context.shard().wallMs();
        putRecord();
        armTimer(context.shard().nowMs());
    }

    /**
     * At start: as it stood when the broker stopped, offline by now. Time went on meanwhile, by the
     * wall clock.
     *
     * @return milliseconds for which it has been offline
     */
    public long recovered(SessionRecord record, long wallMs) {
        stored = true;
        replaceWill(record.will());
        offlineSinceMs = record.disconnectedAtMs();
        if (offlineSinceMs == 0) {
            offlineSinceMs = wallMs;
            putRecord();
        }
        long offlineMs = Math.max(0, wallMs - offlineSinceMs);
        armTimer(context.shard().nowMs() - offlineMs);
        return offlineMs;
    }

    /** Whether the timer has something to do. */
    public boolean isDue(long offlineMs) {
        return isExpired(offlineMs) || offlineMs >= willDelayMs();
    }

    private boolean isExpired(long offlineMs) {
        return expirySeconds != NEVER && offlineMs >= expirySeconds * 1000;
    }

    /** DISCONNECT may carry another expiry (MQTT 5.0, 3.14.2.2.2). */
    public void expiry(long seconds) {
        boolean wasDurable = isDurable();
        expirySeconds = seconds;
        durable(seconds > 0);
        if (wasDurable && seconds == 0) {
            leavesStore = true;
            leaveStore();
            if (leavesStore) {
                putRecord(); // That it ends with its connection.
            }
            awaitNoMore();
        }
    }

    /** Once the store has what it was just told, publishers wait for this session no more. */
    private void awaitNoMore() {
        context.shard()
                .afterCommit(durable -> {
                    if (durable) {
                        awaitedNoMore();
                    }
                });
    }

    /** Not while there are rows that a session which is not durable any more still has to get. */
    private void leaveStore() {
        if (leavesStore && (queue == null || queue.mayLeaveStore())) {
            leavesStore = false;
            unstore();
            if (queue != null) {
                queue.leaveStore();
            }
            putRecord(); // That of its will.
        }
    }

    private void unstore() {
        if (stored) {
            stored = false;
            unstored = true;
            context.shard().store().removeSession(clientId(), queueId);
        }
    }

    /**
     * The connection is gone.
     *
     * @param publishWill whether the will is still wanted: not after DISCONNECT 0x00
     */
    public void onConnectionLost(ClientLink lost, boolean publishWill) {
        if (connection != lost || ended) {
            return;
        }
        detachConnection(lost);
        offlineSinceMs = context.shard().wallMs();
        context.load().online(-1);
        if (!publishWill) {
            replaceWill(null);
        }
        leaveGroupsOffline();
        if (expirySeconds == 0) {
            end(true);
            return;
        }
        if (willDelayMs() == 0) {
            publishWill();
        }
        putRecord();
        armTimer(context.shard().nowMs());
    }

    private void detachConnection(ClientLink lost) {
        connection = null;
        keepUntilRouted(lost.publishing());
        if (queue != null) {
            queue.onConnectionLost();
        }
    }

    /**
     * The next of will delay and expiry.
     *
     * @param sinceMs monotonic milliseconds at which it went offline; counts when no timer runs yet
     */
    private void armTimer(long sinceMs) {
        long expiryMs = expirySeconds == NEVER ? Long.MAX_VALUE : expirySeconds * 1000;
        long afterMs = Math.min(expiryMs, willDelayMs());
        if (afterMs == Long.MAX_VALUE) {
            return;
        }
        OfflineTimer armed = timer;
        if (armed == null) {
            armed = new OfflineTimer(this, sinceMs);
            timer = armed;
        }
        context.shard().timers().arm(armed, armed.sinceMs() + afterMs);
    }

    private void cancelTimer() {
        OfflineTimer armed = timer;
        if (armed != null) {
            context.shard().timers().cancel(armed);
            timer = null;
        }
    }

    /**
     * @param offlineMs how long the session has been offline, by the monotonic clock
     */
    void onOfflineTimer(long offlineMs) {
        if (connection != null || ended) {
            return;
        }
        if (offlineMs >= willDelayMs()) {
            publishWill();
            putRecord();
        }
        if (isExpired(offlineMs)) {
            if (isDurable()) {
                context.shard().counters().increment(Metric.SESSIONS_EXPIRED);
            }
            end(true);
        } else {
            armTimer(context.shard().nowMs());
        }
    }

    private void replaceWill(@Nullable Will newWill) {
        if (newWill != null || will != null) {
            will().replace(newWill);
            dropEmptyWill();
        }
    }

    private SessionWill will() {
        SessionWill made = will;
        if (made == null) {
            made = new SessionWill(this);
            will = made;
        }
        return made;
    }

    private void dropEmptyWill() {
        if (will != null && will.isEmpty()) {
            will = null;
        }
    }

    private long willDelayMs() {
        return will == null ? Long.MAX_VALUE : will.delayMs();
    }

    private void publishWill() {
        if (will != null) {
            will.publish(stored);
            dropEmptyWill();
        }
    }

    /** At start: the will was being published when the broker crashed. */
    public void recoverWill(KeptInbound begun) {
        will().recover(begun);
    }

    /** Goes on with a will that was being published, unless its client was quicker. */
    public void publishWillAgain() {
        if (will != null) {
            will.publishAgain(stored);
            dropEmptyWill();
        }
    }

    /** Everyone has it: the record may forget it. */
    void onWillTaken(OwedWill taken) {
        if (will != null) {
            will.taken();
            dropEmptyWill();
        }
        context.owedWills().count(-1);
        if (ended) {
            return;
        }
        if (taken.kept != null) {
            context.shard().store().removeInbound(taken.kept);
        }
        willIsGone();
    }

    /** The record was there for the will alone, or forgets it. */
    private void willIsGone() {
        if (isDurable()) {
            putRecord();
        } else {
            unstore();
        }
    }

    private void afterWill(Runnable task) {
        if (will == null) {
            task.run();
        } else {
            will.whenTaken(task);
        }
    }

    /**
     * The broker stops: the will of one that is connected is published, unless the session, and the
     * will's delay with it, go on after the restart.
     */
    public void onShutdown() {
        if (isDurable() && context.keepsSessions()) {
            offlineSinceMs = context.shard().wallMs();
            putRecord();
        } else {
            publishWill();
            if (will == null) {
                willIsGone(); // Nobody waits for one of QoS 0.
            }
        }
    }

    /** The session is over: subscriptions, queue and will go with it. */
    public void end(boolean tellRegistrar) {
        if (ended) {
            return;
        }
        ended = true;
        publishWill();
        cancelTimer();
        endInStore();
        if (subscriptions != null) {
            subscriptions.end();
            subscriptions = null;
        }
        if (queue != null) {
            queue.drop();
            queue = null;
        }
        forgetSlowSubscribers();
        context.sessions().remove(this);
        afterWill(() -> {
            unstore();
            if (tellRegistrar) {
                tellRegistrar();
            }
        });
    }

    /** Its client id gets no other session before the store has forgotten this one. */
    private void tellRegistrar() {
        if (!unstored) {
            context.ended(this);
            return;
        }
        context.shard()
                .afterCommit(durable -> {
                    if (durable) {
                        context.ended(this);
                    }
                });
    }

    /**
     * The store hears of the end at once: whoever publishes from now on waits for that. The record
     * stays while a will is owed, with an expiry that a restart finds to be over.
     */
    private void endInStore() {
        if (!isDurable()) {
            return; // It was told when that began.
        }
        if (will == null) {
            unstore();
        } else if (stored) {
            putRecord(0, will.kept());
        }
        awaitNoMore();
    }

    private void putRecord() {
        Will left = will == null ? null : will.kept();
        if ((isDurable() || leavesStore || left != null) && !ended) {
            stored = true;
            putRecord(expirySeconds, left);
        }
    }

    private void putRecord(long expiry, @Nullable Will left) {
        SessionRecord record =
                new SessionRecord(queueId, generation(), version, expiry, offlineSinceMs, left);
        context.shard().store().putSession(clientId(), record);
    }

    // ---------------------------------------------------------------- takeover

    /**
     * A newer connection has claimed the session: the older one ends, and what is due is done. With
     * Clean Start, and when it is transient, the session ends, too.
     */
    public void loseConnectionToNewer(boolean cleanStart) {
        ClientLink old = connection;
        if (old != null) {
            context.shard().counters().increment(Metric.TAKEOVERS, version);
            old.takenOver();
            detachConnection(old);
            context.load().online(-1);
            leaveGroupsOffline();
            if (willDelayMs() == 0 || cleanStart) {
                publishWill();
            }
        }
        catchUp();
        if (cleanStart || expirySeconds == 0) {
            end(false);
        }
    }

    /** Has the task run once the session may go to its new connection. */
    public void whenReleasable(Runnable task) {
        afterWill(() -> whenRouted(task));
    }

    private void whenRouted(Runnable task) {
        Publishing left = leftPublishing;
        leftPublishing = null;
        if (ended || left == null) {
            task.run();
        } else {
            // What its client publishes next must not overtake what it has published before.
            left.whenIdle(task);
        }
    }

    /** What is due, though the tick, or the start, has not come to it. */
    public void catchUp() {
        publishWillAgain();
        OfflineTimer armed = timer;
        if (armed != null) {
            onOfflineTimer(context.shard().nowMs() - armed.sinceMs());
        }
    }

    private void keepUntilRouted(@Nullable Publishing left) {
        if (left != null && !left.isIdle()) {
            leftPublishing = left;
            left.whenIdle(() -> leftPublishing = null);
        }
    }

    /** It has ended, and the store was told to forget it. */
    public boolean isBeingForgotten() {
        return unstored;
    }

    /** Goes to another shard: from now on mail for it belongs there. */
    public void leave(int newOwner) {
        cancelTimer();
        leaveReceipts(newOwner);
        context.sessions().remove(this);
        // Before the new owner is named: from then on its thread may find mail for the session,
        // which it has to hold back until the session is there.
        handOver(new HandOver(context.shard().shards(), context.shard().index()));
        owner(newOwner);
    }

    /** Receipts belong to the shard that made them: they stay, and tell the new one. */
    private void leaveReceipts(int newOwner) {
        if (queue != null) {
            queue.leaveShard();
        }
        if (inbound != null) {
            inbound.move(context.shard(), newOwner);
        }
    }

    /** The session arrives on its new shard, or goes on with the same one. */
    public void arrive(SessionContext at, int oldOwner) {
        context = at;
        if (oldOwner != at.shard().index()) {
            at.sessions().add(this);
        }
    }

    /**
     * Shard {@code from} has no mail for this session on the way to the old owner any more.
     *
     * @return whether it was the last one: the hand-over has ended
     */
    public boolean onMarker(int from) {
        HandOver running = handOver();
        if (running == null) {
            return false;
        }
        running.markerPassed(from);
        if (!running.isComplete()) {
            return false;
        }
        handOver(null);
        for (SessionMail<?> mail : running.held()) {
            while (!mail.deliver(context.shard())) {
                // Held mail is bounded by the mailboxes' marks; it is delivered whole.
            }
        }
        return true;
    }

    private void leaveGroupsOffline() {
        if (subscriptions != null && subscriptions.onConnectionLost() && queue != null) {
            queue.dropGroupEntries();
        }
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
     * @param ticket names its entry; null when no group has it
     */
    void deliver(
            Message message,
            int qos,
            boolean retain,
            int[] ids,
            @Nullable Receipt receipt,
            @Nullable GroupTicket ticket) {
        if (receipt != null && (ended || !isDurable())) {
            // Once it is on disk that this session is over: before, a crash would bring it back
            // without this message.
            context.shard().afterCommit(receipt::targetDone);
            deliver(message, qos, retain, ids, null, ticket);
            return;
        }
        if (ended) {
            context.shard().counters().increment(Metric.DROPPED_SESSION_GONE);
            return;
        }
        if (message.isExpired(context.shard().wallMs())) {
            context.shard().counters().increment(Metric.DROPPED_EXPIRED, version);
            Receipt.done(receipt);
            if (ticket != null) {
                returnTicket(ticket);
            }
            return;
        }
        if (qos > 0) {
            queue().add(message, qos, retain, ids, receipt, ticket);
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
            leaveStore();
        }
        if (subscriptions != null && to.canSend() && waitingCount() < IDLE_MARK_FOR_REPLAY) {
            subscriptions.wantMore();
        }
    }

    /** The group hears that this session is done with an entry. */
    void returnTicket(GroupTicket ticket) {
        context.shard()
                .send(
                        ticket.group().owner(),
                        new GroupMail.Acked(
                                context.groupsOf(ticket.group().owner()),
                                ticket.group(),
                                this,
                                ticket.entry(),
                                false));
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
    public boolean groupEntrySent(QueueEntry entry) {
        return Lent.begin(this, entry);
    }

    @Override
    public boolean groupEntryReleased(QueueEntry entry) {
        return Lent.released(this, entry);
    }

    @Override
    public void groupEntryDone(QueueEntry entry) {
        Lent.end(this, entry);
    }

    @Override
    public void groupEntryNotSent(QueueEntry entry) {
        GroupTicket ticket = entry.ticket;
        if (ticket != null) {
            context.shard()
                    .send(
                            ticket.group().owner(),
                            new GroupMail.Returned(
                                    context.groupsOf(ticket.group().owner()),
                                    ticket.group(),
                                    this,
                                    ticket.entry()));
        }
    }

    // ---------------------------------------------------------------- QoS 2 from the client

    @Override
    public @Nullable Receipt inboundQos2(int packetId) {
        return inbound == null ? null : inbound.get(packetId);
    }

    /**
     * @param again what the restart has found of it; it is with the store already
     */
    @Override
    public Receipt putInboundQos2(
            PublisherLink from, int packetId, long ingressCounter, @Nullable InboundReceipt again) {
        return inbound().put(this, from, packetId, ingressCounter, again);
    }

    private InboundQos2 inbound() {
        InboundQos2 made = inbound;
        if (made == null) {
            made = new InboundQos2();
            inbound = made;
        }
        return made;
    }

    /** At start. */
    public void recoverInbound(KeptInbound kept) {
        inbound().recover(this, kept);
    }

    /** At start: what its queue has in rows. */
    public void recoverQueue(QueueDepth depth) {
        queue().restore(depth);
    }

    @Override
    public boolean removeInboundQos2(int packetId) {
        if (inbound == null || !inbound.remove(packetId, context.shard().store())) {
            return false;
        }
        if (inbound.size() == 0) {
            inbound = null;
        }
        return true;
    }

    public int inboundQos2Count() {
        return inbound == null ? 0 : inbound.size();
    }

    /** Null while nothing has needed one. */
    public @Nullable ClientQueue queueIfMade() {
        return queue;
    }
}
