package io.godwit.core.load;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts what the queues of one shard hold together, and has memory looked at when that grows fast.
 * The shard's thread writes; any thread reads the gauges.
 */
public final class QueueLoad implements QueueAccounts {
    private final NodeLoad node;
    private final NodeMemory memory;
    private final DurableQueuesLoad bounds;
    private final AtomicLong queuedMessages = new AtomicLong();
    private final AtomicLong queuedBytes = new AtomicLong();
    private final AtomicLong keptMessages = new AtomicLong();
    private final AtomicLong keptBytes = new AtomicLong();
    private final AtomicLong inFlightBytes = new AtomicLong();
    private final AtomicLong againBytes = new AtomicLong();
    private final AtomicLong rememberedBytes = new AtomicLong();

    /** Bytes by which they have grown since this shard looked at memory. */
    private long grown;

    QueueLoad(NodeLoad node) {
        this.node = node;
        this.memory = node.memory();
        this.bounds = node.queues();
    }

    // ---------------------------------------------------------------- gauges, any thread

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

    /** Bytes of the messages that wait in durable sessions' queues, in memory or on disk. */
    public long keptBytes() {
        return keptBytes.getOpaque();
    }

    /** Bytes of the QoS 1/2 messages that were sent and are not acknowledged. */
    public long inFlightBytes() {
        return inFlightBytes.getOpaque();
    }

    /**
     * Bytes that queues count although another one has counted them: large messages are in memory
     * once. One shard's may be negative, the sum of all is not.
     */
    public long againBytes() {
        return againBytes.getOpaque();
    }

    /** Bytes of the ingress ids that queues remember. */
    public long rememberedBytes() {
        return rememberedBytes.getOpaque();
    }

    /** Bytes that they take of the node's memory. */
    long memoryBytes() {
        return queuedBytes() + inFlightBytes() - againBytes();
    }

    // ---------------------------------------------------------------- accounts, shard's thread

    @Override
    public void queued(long bytes, int messages) {
        ShardLoad.add(queuedBytes, bytes);
        ShardLoad.add(queuedMessages, messages);
        grown += bytes;
    }

    @Override
    public void kept(long bytes, long messages) {
        ShardLoad.add(keptBytes, bytes);
        ShardLoad.add(keptMessages, messages);
    }

    @Override
    public void inFlight(long bytes) {
        ShardLoad.add(inFlightBytes, bytes);
        grown += bytes;
    }

    @Override
    public void countedAgain(long bytes) {
        ShardLoad.add(againBytes, bytes);
        grown -= bytes;
    }

    @Override
    public void remembered(long bytes) {
        ShardLoad.add(rememberedBytes, bytes);
    }

    @Override
    public boolean mayRemember() {
        return rememberedBytes() < node.rememberedBytesMax();
    }

    /** What waits for other nodes has grown: no queue has it, and memory does. */
    void grewElsewhere(long change) {
        grown += change;
    }

    /** At the end of a turn: what grows fast can't wait for the next tick, which may be late. */
    public void onTurnEnd() {
        if (grown > memory.growthBytes()) {
            grown = 0;
            memory.onGrowth();
        } else if (grown < 0) {
            grown = 0;
        }
    }

    // ---------------------------------------------------------------- what they may hold

    @Override
    public boolean isMemoryAlarm() {
        return memory.isAlarm();
    }

    @Override
    public boolean mayReadLarge(long bytes) {
        return memory.mayReadLarge(bytes);
    }

    @Override
    public void readLarge(long bytes) {
        grown = 0;
        memory.readLarge(bytes);
    }

    @Override
    public long queueMessagesMax(long bound) {
        return bounds.messagesMax(bound);
    }

    @Override
    public long queueBytesMax(long bound) {
        return bounds.bytesMax(bound);
    }
}
