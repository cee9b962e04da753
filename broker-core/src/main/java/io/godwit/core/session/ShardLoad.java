package io.godwit.core.session;

import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a shard holds, counted, and who has to wait when it, or the node, holds too much (design
 * section 10). The shard's thread writes; any thread reads the gauges.
 */
public final class ShardLoad {
    private static final int CONNECT_BURST_SECONDS = 2;

    /** Parked bytes of the node: this part of the memory alarm's mark. */
    private static final int PARKED_SHARE = 4;

    private final SessionShard shard;
    private final ShardContext context;
    private final AtomicLong connections = new AtomicLong();
    private final AtomicLong online = new AtomicLong();
    private final AtomicLong sessions = new AtomicLong();
    private final AtomicLong subscriptions = new AtomicLong();
    private final AtomicLong queuedMessages = new AtomicLong();
    private final AtomicLong queuedBytes = new AtomicLong();
    private final AtomicLong keptMessages = new AtomicLong();
    private final AtomicLong keptBytes = new AtomicLong();
    private final AtomicLong heldBytes = new AtomicLong();
    private final AtomicLong inFlightBytes = new AtomicLong();
    private final AtomicLong groupBytes = new AtomicLong();
    private final AtomicLong parkedBytes = new AtomicLong();
    private final AtomicLong retainedMessages = new AtomicLong();
    private final AtomicLong retainedBytes = new AtomicLong();

    private final PausedConnections paused;

    private final SlowSubscribers slowSubscribers;

    private boolean mailboxBehind;
    private double connectTokens;
    private long connectTokensAtMs;

    ShardLoad(SessionShard shard, ShardContext context) {
        this.shard = shard;
        this.context = context;
        this.paused = new PausedConnections(shard);
        this.slowSubscribers = new SlowSubscribers(shard);
        this.connectTokens = connectBurst();
        this.connectTokensAtMs = shard.nowMs();
    }

    // ---------------------------------------------------------------- gauges, any thread

    public long connections() {
        return connections.getOpaque();
    }

    public long onlineSessions() {
        return online.getOpaque();
    }

    public long sessions() {
        return sessions.getOpaque();
    }

    public long subscriptions() {
        return subscriptions.getOpaque();
    }

    public long queuedMessages() {
        return queuedMessages.getOpaque();
    }

    public long queuedBytes() {
        return queuedBytes.getOpaque();
    }

    /** Messages that wait in durable sessions' queues, in memory or on disk. */
    public long keptMessages() {
        return keptMessages.getOpaque();
    }

    /** Their bytes. */
    public long keptBytes() {
        return keptBytes.getOpaque();
    }

    /** Bytes of packets that have not arrived whole, and of what waits behind a pause. */
    public long heldBytes() {
        return heldBytes.getOpaque();
    }

    /** Bytes of the QoS 1/2 messages that were sent and are not acknowledged. */
    public long inFlightBytes() {
        return inFlightBytes.getOpaque();
    }

    /** Bytes that wait in the queues of the shard's shared groups. As of the last tick. */
    public long groupBytes() {
        return groupBytes.getOpaque();
    }

    /** Bytes of PUBLISHes that were read and wait to be routed. */
    public long parkedBytes() {
        return parkedBytes.getOpaque();
    }

    /** What subscribers drain; the memory alarm counts it. */
    long drainableBytes() {
        return queuedBytes() + inFlightBytes() + groupBytes() + shard.mailboxBytes();
    }

    /** Retained messages of the node; 0 but on the shard that keeps them. As of the last tick. */
    public long retainedMessages() {
        return retainedMessages.getOpaque();
    }

    /** Their bytes. */
    public long retainedBytes() {
        return retainedBytes.getOpaque();
    }

    // ---------------------------------------------------------------- accounts, shard's thread

    void retained(int messages, long bytes) {
        retainedMessages.setOpaque(messages);
        retainedBytes.setOpaque(bytes);
    }

    void connections(int change) {
        add(connections, change);
    }

    void online(int change) {
        add(online, change);
    }

    void sessions(int change) {
        add(sessions, change);
    }

    void subscriptions(int change) {
        add(subscriptions, change);
    }

    void queued(long bytes, int messages) {
        add(queuedBytes, bytes);
        add(queuedMessages, messages);
    }

    void kept(long bytes, long messages) {
        add(keptBytes, bytes);
        add(keptMessages, messages);
    }

    void inFlight(long bytes) {
        add(inFlightBytes, bytes);
    }

    void parked(long bytes) {
        add(parkedBytes, bytes);
    }

    /** Whether the node has parked so much that each connection may park one PUBLISH only. */
    boolean isParkingFull() {
        return context.parkedBytes() > context.overload().memoryBytes() / PARKED_SHARE;
    }

    void groups(long bytes) {
        groupBytes.setOpaque(bytes);
    }

    void held(long bytes) {
        add(heldBytes, bytes);
    }

    private static void add(AtomicLong gauge, long change) {
        gauge.setOpaque(gauge.getPlain() + change);
    }

    boolean mayHold(int bytes) {
        return context.heldBytes() + bytes <= context.limits().partialBytes();
    }

    // ---------------------------------------------------------------- who waits

    /** Memory, the disk or all queues together: publishers wait, and nothing is discarded. */
    boolean isAlarm() {
        return context.publishersWait();
    }

    boolean isMemoryAlarm() {
        return context.isMemoryAlarm();
    }

    /**
     * Whether this publisher's socket is left unread. During an alarm one that also has messages in
     * flight towards it stays read, so that its acknowledgements get through; its PUBLISHes are
     * parked.
     */
    boolean publishersWait(Session publisher) {
        return mailboxBehind || isAlarm() && publisher.inFlightCount() == 0;
    }

    /** Bytes that may wait for a client that does not read its acknowledgements. */
    long answerBytesMax() {
        return context.overload().writeHighWater() + (256L << 10);
    }

    void watch(ClientConnection connection) {
        paused.add(connection);
    }

    void unwatch(ClientConnection connection) {
        paused.remove(connection);
        slowSubscribers.speedUp(connection);
    }

    /** With soft limit 0: whom publishers wait for. */
    SlowSubscribers slowSubscribers() {
        return slowSubscribers;
    }

    void onTick() {
        if (shard.index() == SessionShard.INDEX_SHARD) {
            context.checkMemory(shard.nowMs());
            context.checkQueues();
        }
        // Its mail may have been handled before it was marked.
        onMailHandled();
        paused.recheck();
    }

    /** Mail was posted to a shard that is behind. */
    void onPeerBehind() {
        mailboxBehind = true;
    }

    void onMailHandled() {
        if (context.tellWhenDrained(shard)) {
            for (int i = 0; i < shard.shards(); i++) {
                shard.send(i, new Drained());
            }
        }
    }

    /** To everyone: a mailbox that was behind is not any more. */
    private static final class Drained extends Mail {
        @Override
        protected boolean handle(Shard at, int from) {
            ShardLoad load = ((SessionShard) at).load();
            load.mailboxBehind = load.context.isAnyMailboxBehind();
            if (!load.mailboxBehind) {
                load.paused.recheck();
            }
            return true;
        }
    }

    // ---------------------------------------------------------------- connect rate

    boolean admitsConnect() {
        int rate = context.limits().connectRate();
        if (rate == 0) {
            return true;
        }
        long now = shard.nowMs();
        connectTokens =
                Math.min(
                        connectBurst(),
                        connectTokens
                                + (now - connectTokensAtMs)
                                        * (double) rate
                                        / shard.shards()
                                        / 1000);
        connectTokensAtMs = now;
        if (connectTokens < 1) {
            return false;
        }
        connectTokens -= 1;
        return true;
    }

    private double connectBurst() {
        return Math.max(
                1,
                (double) context.limits().connectRate()
                        * CONNECT_BURST_SECONDS
                        / Math.max(1, context.shardCount()));
    }
}
