package io.godwit.core.session;

import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.packet.Will;
import io.godwit.core.routing.SessionRef;
import io.godwit.core.routing.SharedGroupRef;
import io.godwit.core.routing.Subscription;
import io.godwit.core.store.SessionRecord;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
 * </pre>
 */
public final class Session extends SessionRef {
    /** Session Expiry Interval that never ends. */
    public static final long NEVER = 0xFFFF_FFFFL;

    private static final int IDLE_MARK_FOR_REPLAY = 100;

    private final long queueId;
    private ProtocolVersion version;
    private long expirySeconds;
    private SessionShard shard;
    private @Nullable ClientConnection connection;
    private boolean ended;

    /** The store has a record of it. */
    private boolean stored;

    private int epoch;
    private long offlineSinceMs;

    private @Nullable Map<TopicFilter, Subscription> subscriptions;
    private @Nullable Map<TopicFilter, SharedGroupRef> groups;
    private @Nullable ArrayDeque<QueueEntry> idle;
    private @Nullable InFlightWindow inFlight;

    /** In flight and not yet sent again to the present connection, in order; null when nothing. */
    private @Nullable ArrayDeque<QueueEntry> again;

    private @Nullable InboundQos2 inbound;
    private @Nullable List<RetainedReplay> replays;
    private @Nullable Will will;

    /** Of the last connection, which is gone: it may still have something to route. */
    private @Nullable Publishing leftPublishing;

    private @Nullable OfflineTimer timer;
    private @Nullable HandOver handOver;
    private long idleBytes;
    private long lastMessageId;

    /** Neighbours in the shard's list of sessions. */
    @Nullable Session previous;

    @Nullable Session next;

    Session(
            ClientId clientId,
            long generation,
            long queueId,
            SessionShard shard,
            ProtocolVersion version,
            long expirySeconds) {
        super(clientId, generation, shard.index(), expirySeconds > 0);
        this.queueId = queueId;
        this.shard = shard;
        this.version = version;
        this.expirySeconds = expirySeconds;
    }

    // ---------------------------------------------------------------- what the shard and others
    // ask

    @Nullable HandOver handOver() {
        return handOver;
    }

    boolean isEnded() {
        return ended;
    }

    boolean isOnline() {
        return connection != null;
    }

    @Nullable ClientConnection connection() {
        return connection;
    }

    ProtocolVersion version() {
        return version;
    }

    long queueId() {
        return queueId;
    }

    /** Whether the connection of this number is still there. */
    boolean isOnlineAt(int connectionEpoch) {
        return connection != null && connectionEpoch == epoch;
    }

    @Nullable SharedGroupRef group(TopicFilter filter) {
        return groups == null ? null : groups.get(filter);
    }

    long expirySeconds() {
        return expirySeconds;
    }

    long offlineSinceMs() {
        return offlineSinceMs;
    }

    int idleCount() {
        return idle == null ? 0 : idle.size();
    }

    long idleBytes() {
        return idleBytes;
    }

    int inFlightCount() {
        return inFlight == null ? 0 : inFlight.size();
    }

    QueueEntry[] inFlightEntries() {
        return inFlight == null ? new QueueEntry[0] : inFlight.inOrder();
    }

    Collection<Subscription> subscriptions() {
        return subscriptions == null ? List.of() : subscriptions.values();
    }

    int subscriptionCount() {
        return subscriptions == null ? 0 : subscriptions.size();
    }

    @Nullable Subscription subscription(TopicFilter filter) {
        return subscriptions == null ? null : subscriptions.get(filter);
    }

    // ---------------------------------------------------------------- connection comes and goes

    /** A connection takes the session; its CONNACK follows, then {@link #resume}. */
    void attach(ClientConnection newConnection, ProtocolVersion newVersion, long newExpirySeconds) {
        connection = newConnection;
        version = newVersion;
        epoch++;
        offlineSinceMs = 0;
        cancelTimer();
        expiry(newExpirySeconds);
        will = newConnection.will();
        shard.accountSession(this, true);
        putRecord();
    }

    /** After CONNACK: everything unacknowledged is sent again, then what waits [MQTT-4.4.0-1]. */
    void resume() {
        ClientConnection to = connection;
        if (to == null) {
            return;
        }
        if (inFlight != null && inFlight.size() > 0) {
            again = new ArrayDeque<>(Arrays.asList(inFlight.inOrder()));
        }
        if (groups != null) {
            for (SharedGroupRef group : groups.values()) {
                groupOnline(group);
            }
        }
        pump();
    }

    /** It came here for a connection that is gone: it is offline, from now on. */
    void onAbandonedClaim() {
        offlineSinceMs = shard.wallMs();
        putRecord();
        armTimer();
    }

    /** DISCONNECT may carry another expiry (MQTT 5.0, 3.14.2.2.2). */
    void expiry(long seconds) {
        expirySeconds = seconds;
        durable(seconds > 0);
        if (seconds == 0) {
            unstore();
        }
    }

    private void unstore() {
        if (stored) {
            stored = false;
            shard.store().removeSession(clientId(), queueId);
        }
    }

    /**
     * The connection is gone.
     *
     * @param publishWill whether the will is still wanted: not after DISCONNECT 0x00
     */
    void onConnectionLost(ClientConnection lost, boolean publishWill) {
        if (connection != lost || ended) {
            return;
        }
        connection = null;
        keepUntilRouted(lost.publishing());
        again = null;
        offlineSinceMs = shard.wallMs();
        shard.accountSession(this, false);
        if (!publishWill) {
            will = null;
        }
        leaveGroupsOffline();
        Will left = will;
        if (expirySeconds == 0) {
            end(true);
            return;
        }
        if (left != null && left.delaySeconds() == 0) {
            publishWill();
        }
        putRecord();
        armTimer();
    }

    /** The next of will delay and expiry. */
    private void armTimer() {
        long afterMs = expirySeconds == NEVER ? Long.MAX_VALUE : expirySeconds * 1000;
        Will left = will;
        if (left != null) {
            afterMs = Math.min(afterMs, left.delaySeconds() * 1000);
        }
        if (afterMs == Long.MAX_VALUE) {
            return;
        }
        OfflineTimer armed = timer;
        if (armed == null) {
            armed = new OfflineTimer(this, shard.nowMs());
            timer = armed;
        }
        shard.timers().arm(armed, armed.sinceMs() + afterMs);
    }

    private void cancelTimer() {
        OfflineTimer armed = timer;
        if (armed != null) {
            shard.timers().cancel(armed);
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
        Will left = will;
        if (left != null && offlineMs >= left.delaySeconds() * 1000) {
            publishWill();
            putRecord();
        }
        if (expirySeconds != NEVER && offlineMs >= expirySeconds * 1000) {
            shard.counters().increment(Metric.SESSIONS_EXPIRED);
            end(true);
        } else {
            armTimer();
        }
    }

    private void publishWill() {
        Will left = will;
        will = null;
        if (left != null) {
            shard.publishWill(left, this);
        }
    }

    /** The broker stops: the wills of those connected are published. */
    void onShutdown() {
        publishWill();
    }

    /** The session is over: subscriptions, queue and will go with it. */
    void end(boolean tellRegistrar) {
        if (ended) {
            return;
        }
        ended = true;
        publishWill();
        cancelTimer();
        if (subscriptions != null) {
            shard.unsubscribeAll(this, subscriptions.values());
            shard.accountSubscriptions(-subscriptions.size());
            subscriptions = null;
        }
        groups = null;
        dropQueue();
        cancelReplays();
        shard.forget(this, tellRegistrar);
        unstore();
    }

    private void dropQueue() {
        if (idle != null) {
            for (QueueEntry entry : idle) {
                entry.settle(true);
                shard.counters().increment(Metric.DROPPED_SESSION_GONE);
            }
            accountIdle(-idleBytes, -idle.size());
            idle = null;
        }
        if (inFlight != null) {
            for (QueueEntry entry : inFlight.inOrder()) {
                entry.settle(true);
            }
            inFlight = null;
        }
    }

    private void putRecord() {
        if (isDurable() && !ended) {
            stored = true;
            shard.store()
                    .putSession(
                            clientId(),
                            new SessionRecord(
                                    queueId,
                                    generation(),
                                    version,
                                    expirySeconds,
                                    offlineSinceMs,
                                    will));
        }
    }

    // ---------------------------------------------------------------- hand-over

    /**
     * A newer connection claims the session. This shard's part: disconnect the older connection,
     * then give the session away or end it.
     */
    void release(Claim claim) {
        ClientConnection old = connection;
        if (old != null) {
            shard.counters().increment(Metric.TAKEOVERS, version);
            old.takenOver();
            connection = null;
            keepUntilRouted(old.publishing());
            again = null;
            shard.accountSession(this, false);
            leaveGroupsOffline();
            Will left = will;
            if (left != null && (left.delaySeconds() == 0 || claim.cleanStart())) {
                publishWill();
            }
        }
        if (claim.cleanStart() || expirySeconds == 0) {
            end(false);
        }
        Publishing left = leftPublishing;
        if (ended || left == null) {
            giveTo(claim);
        } else {
            // What its client publishes next must not overtake what it has published before.
            left.whenIdle(() -> giveTo(claim));
        }
    }

    private void keepUntilRouted(@Nullable Publishing left) {
        if (left != null && !left.isIdle()) {
            leftPublishing = left;
            left.whenIdle(() -> leftPublishing = null);
        }
    }

    private void giveTo(Claim claim) {
        leftPublishing = null;
        if (ended) {
            shard.released(claim, null);
            return;
        }
        if (claim.shard() != shard.index()) {
            cancelTimer();
            leaveReceipts(claim.shard());
            shard.detach(this);
            shard.counters().increment(Metric.SESSIONS_HANDED_OVER);
            // Before the new owner is named: from then on its thread may find mail for the session,
            // which it has to hold back until the session is there.
            handOver = new HandOver(shard.shards(), shard.index());
            owner(claim.shard());
            shard.announceHandOver(this);
        }
        shard.released(claim, this);
    }

    /** Receipts belong to the shard that made them: they stay, and tell the new one. */
    private void leaveReceipts(int newOwner) {
        if (idle != null) {
            for (QueueEntry entry : idle) {
                entry.onSessionLeaves();
            }
        }
        if (inFlight != null) {
            for (QueueEntry entry : inFlight.inOrder()) {
                entry.onSessionLeaves();
            }
        }
        if (inbound != null) {
            inbound.move(shard, newOwner);
        }
    }

    /** The session arrives on its new shard. */
    void arrive(SessionShard at, int oldOwner) {
        shard = at;
        if (oldOwner != at.index()) {
            at.adopt(this);
        }
    }

    /** Shard {@code from} has no mail for this session on the way to the old owner any more. */
    void onMarker(int from) {
        HandOver running = handOver;
        if (running == null) {
            return;
        }
        for (SessionMail mail : running.markerPassed(from)) {
            while (!mail.deliver(shard)) {
                // Held mail is bounded by the mailboxes' marks; it is delivered whole.
            }
        }
        if (running.isComplete()) {
            handOver = null;
            shard.onHandOverComplete(this);
        }
    }

    // ---------------------------------------------------------------- subscriptions

    void putSubscription(Subscription subscription) {
        if (subscriptions == null) {
            subscriptions = new HashMap<>(2);
        }
        if (subscriptions.put(subscription.filter, subscription) == null) {
            shard.accountSubscriptions(1);
        }
        if (isDurable()) {
            shard.store().putSubscription(queueId, subscription);
        }
    }

    /**
     * @return null when there was none
     */
    @Nullable Subscription removeSubscription(TopicFilter filter) {
        Subscription removed = subscriptions == null ? null : subscriptions.remove(filter);
        if (removed != null) {
            shard.accountSubscriptions(-1);
            if (isDurable()) {
                shard.store().removeSubscription(queueId, filter);
            }
        }
        return removed;
    }

    /** The group of a shared subscription was found or made; this session is now its member. */
    void joined(SharedGroupRef group) {
        if (ended) {
            return;
        }
        if (groups == null) {
            groups = new HashMap<>(2);
        }
        groups.put(group.filter(), group);
        if (connection != null) {
            groupOnline(group);
        }
    }

    private void groupOnline(SharedGroupRef group) {
        ClientConnection to = connection;
        if (to != null) {
            shard.send(group.owner(), new GroupMail.Online(group, this, to.inFlightMax(), epoch));
        }
    }

    private void leaveGroupsOffline() {
        if (groups == null) {
            return;
        }
        for (SharedGroupRef group : groups.values()) {
            shard.send(group.owner(), new GroupMail.Offline(group, this));
        }
        groups.keySet().removeIf(filter -> subscription(filter) == null);
        // The groups have taken QoS 1 back themselves; QoS 2 that was sent stays with this session.
        if (idle != null) {
            idle.removeIf(entry -> {
                GroupTicket ticket = entry.ticket;
                if (ticket == null) {
                    return false;
                }
                accountIdle(-entry.accountedBytes(), -1);
                if (entry.qos == 2) {
                    shard.send(
                            ticket.group().owner(),
                            new GroupMail.Returned(ticket.group(), this, ticket.entry()));
                }
                return true;
            });
        }
        if (inFlight != null) {
            for (QueueEntry entry : inFlight.inOrder()) {
                if (entry.ticket != null && entry.qos == 1) {
                    inFlight.remove(entry.packetId);
                }
            }
        }
    }

    // ---------------------------------------------------------------- delivery

    /**
     * Takes a message in: the ack point of a transient session, the append of a durable one.
     *
     * @param qos at which it goes out: the lower of the message's and the subscription's
     * @param receipt whose acknowledgement waits for a durable target; already told to await this
     *     one
     */
    void deliver(
            Message message,
            int qos,
            boolean retain,
            int[] ids,
            @Nullable Receipt receipt,
            @Nullable GroupTicket ticket) {
        if (ended) {
            shard.counters().increment(Metric.DROPPED_SESSION_GONE);
            done(receipt);
            return;
        }
        ClientConnection to = connection;
        if (qos == 0) {
            if (to == null) {
                shard.counters().increment(Metric.DROPPED_QOS0_OFFLINE, version);
            } else {
                to.sendQos0(message, retain, ids);
            }
            return;
        }
        boolean idleEmpty = idle == null || idle.isEmpty();
        boolean goesAtOnce =
                to != null
                        && idleEmpty
                        && again == null
                        && to.canSend()
                        && inFlightCount() < to.inFlightMax();
        if (!goesAtOnce && ticket == null && isFull(message)) {
            shard.counters().increment(Metric.DROPPED_QUEUE_FULL, version);
            done(receipt);
            return;
        }
        lastMessageId = Math.max(lastMessageId + 1, shard.nextMessageId());
        QueueEntry entry = new QueueEntry(lastMessageId, message, qos, retain, ids, ticket);
        boolean durable = isDurable() && ticket == null;
        if (durable) {
            entry.receipt = receipt;
            shard.store().append(queueId, lastMessageId, qos, message);
            if (qos == 2) {
                entry.mayLeave = false;
                goesAtOnce = false;
            }
        } else {
            done(receipt);
        }
        if (goesAtOnce && to != null) {
            send(to, entry, message);
        } else {
            if (idle == null) {
                idle = new ArrayDeque<>();
            }
            idle.add(entry);
            accountIdle(entry.accountedBytes(), 1);
        }
        if (durable) {
            entry.awaitCommit(this, shard);
        }
    }

    /**
     * The append of a durable entry is committed: at QoS 2 it may leave. One that never will be is
     * given up, since its publisher is not acknowledged and sends it again.
     */
    void onCommitted(QueueEntry entry, boolean durable) {
        if (entry.mayLeave || ended) {
            return;
        }
        entry.mayLeave = true;
        if (!durable && idle != null && idle.remove(entry)) {
            accountIdle(-entry.accountedBytes(), -1);
        }
        pump();
    }

    private static void done(@Nullable Receipt receipt) {
        if (receipt != null) {
            receipt.targetDone(true);
        }
    }

    private boolean isFull(Message message) {
        return idleCount() >= shard.limits().queueMessages()
                || idleBytes + message.accountedBytes() > shard.limits().queueBytes();
    }

    /**
     * Goes on sending again what an earlier connection left unacknowledged, as far as the channel
     * and this connection's Receive Maximum allow [MQTT-3.3.4-9].
     *
     * @return whether all of it is out
     */
    private boolean sendAgain(ClientConnection to) {
        while (again != null) {
            QueueEntry entry = again.peek();
            if (entry == null) {
                again = null;
            } else if (entry.state == QueueEntry.RELEASED) {
                again.remove();
                sendPubRel(to, entry);
            } else if (to.canSend() && inFlightCount() - again.size() < to.inFlightMax()) {
                again.remove();
                Message message = entry.message;
                if (message != null && !to.sendPublish(message, entry, true)) {
                    finish(entry, true);
                }
            } else {
                return false;
            }
        }
        return true;
    }

    private void accountIdle(long bytes, int messages) {
        idleBytes += bytes;
        shard.accountQueued(bytes, messages);
    }

    private void send(ClientConnection to, QueueEntry entry, Message message) {
        if (inFlight == null) {
            inFlight = new InFlightWindow(shard.rules());
        }
        int packetId = inFlight.add(entry);
        entry.state = QueueEntry.SENT;
        if (isDurable() && entry.ticket == null) {
            shard.store().inFlight(queueId, entry.messageId, packetId);
        }
        if (!to.sendPublish(message, entry, false)) {
            inFlight.remove(packetId);
            finish(entry, false);
        }
    }

    /**
     * Sends what waits, as far as window and channel allow; then asks for more of running replays.
     */
    void pump() {
        ClientConnection to = connection;
        if (to == null || !to.isConnected()) {
            return;
        }
        ArrayDeque<QueueEntry> waiting = idle;
        if (sendAgain(to) && waiting != null) {
            QueueEntry entry;
            while ((entry = waiting.peek()) != null
                    && entry.mayLeave
                    && to.canSend()
                    && inFlightCount() < to.inFlightMax()) {
                waiting.remove();
                accountIdle(-entry.accountedBytes(), -1);
                Message message = entry.message;
                if (message == null || message.isExpired(shard.wallMs())) {
                    shard.counters().increment(Metric.DROPPED_EXPIRED, version);
                    finish(entry, false);
                } else {
                    send(to, entry, message);
                }
            }
            if (waiting.isEmpty()) {
                idle = null;
            }
        }
        if (replays != null && to.canSend() && idleCount() < IDLE_MARK_FOR_REPLAY) {
            for (RetainedReplay replay : replays) {
                replay.wantMore(shard);
            }
        }
    }

    /** The entry's way has ended: acknowledged, expired or not deliverable. */
    private void finish(QueueEntry entry, boolean inWindow) {
        if (inWindow && inFlight != null) {
            inFlight.remove(entry.packetId);
            if (again != null) {
                again.remove(entry); // Acknowledged before it was sent again.
            }
        }
        GroupTicket ticket = entry.ticket;
        if (ticket != null) {
            shard.send(
                    ticket.group().owner(),
                    new GroupMail.Acked(ticket.group(), this, ticket.entry()));
        } else if (isDurable()) {
            shard.store().remove(queueId, entry.messageId);
        }
        entry.settle(true);
    }

    // ---------------------------------------------------------------- acknowledgements of the
    // client

    /**
     * @return false when the packet id is not in flight, or not at this QoS
     */
    boolean onPubAck(int packetId) {
        QueueEntry entry = inFlight == null ? null : inFlight.get(packetId);
        if (entry == null || entry.qos != 1) {
            return false;
        }
        finish(entry, true);
        pump();
        return true;
    }

    boolean onPubRec(int packetId, int reasonCode) {
        QueueEntry entry = inFlight == null ? null : inFlight.get(packetId);
        if (entry == null || entry.qos != 2) {
            return false;
        }
        if (reasonCode >= 0x80) {
            finish(entry, true);
            pump();
            return true;
        }
        entry.state = QueueEntry.RELEASED;
        entry.message = null;
        ClientConnection to = connection;
        if (to != null) {
            sendPubRel(to, entry);
        }
        return true;
    }

    /** PUBREL leaves when it is kept that PUBREC came. */
    private void sendPubRel(ClientConnection to, QueueEntry entry) {
        int packetId = entry.packetId;
        if (!isDurable() || entry.ticket != null) {
            to.sendAck(PacketType.PUBREL, packetId, 0);
            return;
        }
        shard.store().released(queueId, entry.messageId, packetId);
        shard.afterCommit(durable -> {
            if (durable) {
                to.sendAck(PacketType.PUBREL, packetId, 0);
            } else {
                to.close(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR, "the store failed", true);
            }
        });
    }

    boolean onPubComp(int packetId) {
        QueueEntry entry = inFlight == null ? null : inFlight.get(packetId);
        if (entry == null || entry.qos != 2) {
            return false;
        }
        finish(entry, true);
        pump();
        return true;
    }

    // ---------------------------------------------------------------- QoS 2 from the client

    @Nullable Receipt inboundQos2(int packetId) {
        return inbound == null ? null : inbound.get(packetId);
    }

    void putInboundQos2(Receipt receipt, long ingressCounter) {
        if (inbound == null) {
            inbound = new InboundQos2();
        }
        inbound.put(receipt);
        if (isDurable()) {
            shard.store().putInbound(queueId, receipt.packetId, ingressCounter);
        }
    }

    boolean removeInboundQos2(int packetId) {
        if (inbound == null || !inbound.remove(packetId)) {
            return false;
        }
        if (inbound.size() == 0) {
            inbound = null;
        }
        if (isDurable()) {
            shard.store().removeInbound(queueId, packetId);
        }
        return true;
    }

    // ---------------------------------------------------------------- retained replays

    void addReplay(RetainedReplay replay) {
        if (ended) {
            return;
        }
        if (replays == null) {
            replays = new ArrayList<>(1);
        }
        replays.add(replay);
    }

    void removeReplay(RetainedReplay replay) {
        if (replays != null) {
            replays.remove(replay);
            if (replays.isEmpty()) {
                replays = null;
            }
        }
    }

    private void cancelReplays() {
        if (replays != null) {
            for (RetainedReplay replay : replays) {
                replay.cancel();
            }
            replays = null;
        }
    }

    /** What the admin port shows; on the owner's thread. */
    SessionInfo info() {
        ClientConnection to = connection;
        List<SessionInfo.Filter> filters = new ArrayList<>();
        for (Subscription subscription : subscriptions()) {
            filters.add(new SessionInfo.Filter(subscription.filter.toString(), subscription.qos));
        }
        return new SessionInfo(
                clientId().toString(),
                to != null,
                version,
                to == null ? "" : to.remoteAddress(),
                to == null ? "" : to.listener(),
                to == null ? offlineSinceMs : to.connectedAtMs(),
                isDurable() ? expirySeconds : 0,
                filters,
                idleCount(),
                idleBytes,
                inFlightCount(),
                inbound == null ? 0 : inbound.size());
    }

    static ReasonCode granted(int qos) {
        return switch (qos) {
            case 0 -> ReasonCode.SUCCESS;
            case 1 -> ReasonCode.GRANTED_QOS_1;
            default -> ReasonCode.GRANTED_QOS_2;
        };
    }
}
