package io.godwit.core.load;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * What a shard holds, counted, and whether its publishers have to wait since it, or the node, holds
 * too much. The shard's thread writes; any thread reads the gauges.
 */
public final class ShardLoad implements QueueAccounts {
    private final NodeLoad node;
    private final LongSupplier mailboxBytes;
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
    private boolean peerBehind;

    /**
     * @param mailboxBytes bytes of the mail that is under way to the shard
     */
    public ShardLoad(NodeLoad node, LongSupplier mailboxBytes) {
        this.node = node;
        this.mailboxBytes = mailboxBytes;
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

    /** Bytes that wait in the queues of the shard's groups, on disk too. As of the last tick. */
    public long groupBytes() {
        return groupBytes.getOpaque();
    }

    /** Bytes of PUBLISHes that were read and wait to be routed. */
    public long parkedBytes() {
        return parkedBytes.getOpaque();
    }

    /** What subscribers drain; the memory alarm counts it. */
    long drainableBytes() {
        return queuedBytes() + inFlightBytes() + mailboxBytes.getAsLong();
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

    public void retained(int messages, long bytes) {
        retainedMessages.setOpaque(messages);
        retainedBytes.setOpaque(bytes);
    }

    public void connections(int change) {
        add(connections, change);
    }

    public void online(int change) {
        add(online, change);
    }

    public void sessions(int change) {
        add(sessions, change);
    }

    public void subscriptions(int change) {
        add(subscriptions, change);
    }

    @Override
    public void queued(long bytes, int messages) {
        add(queuedBytes, bytes);
        add(queuedMessages, messages);
    }

    @Override
    public void kept(long bytes, long messages) {
        add(keptBytes, bytes);
        add(keptMessages, messages);
    }

    @Override
    public void inFlight(long bytes) {
        add(inFlightBytes, bytes);
    }

    public void parked(long bytes) {
        add(parkedBytes, bytes);
    }

    /** Whether the node has parked so much that each connection may park one PUBLISH only. */
    public boolean isParkingFull() {
        return node.isParkingFull();
    }

    public void groups(long bytes) {
        groupBytes.setOpaque(bytes);
    }

    public void held(long bytes) {
        add(heldBytes, bytes);
    }

    private static void add(AtomicLong gauge, long change) {
        gauge.setOpaque(gauge.getPlain() + change);
    }

    public boolean mayHold(int bytes) {
        return node.mayHold(bytes);
    }

    // ---------------------------------------------------------------- who waits
    /** Memory, the disk or all queues together: publishers wait, and nothing is discarded. */
    public boolean isAlarm() {
        return node.isAlarm();
    }

    @Override
    public boolean isMemoryAlarm() {
        return node.isMemoryAlarm();
    }

    /** Some shard is behind with its mail: whoever publishes waits. */
    public boolean isPeerBehind() {
        return peerBehind;
    }

    public void peerBehind(boolean behind) {
        peerBehind = behind;
    }

    /** Bytes that may wait for a client that does not read its acknowledgements. */
    public long answerBytesMax() {
        return node.answerBytesMax();
    }
}
