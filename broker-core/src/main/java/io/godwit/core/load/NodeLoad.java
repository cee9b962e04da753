package io.godwit.core.load;

import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.QueueSettings;
import io.godwit.core.store.Store;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * The bounds that hold for all shards of a node together, and the alarms that they raise. One shard
 * looks at them once a tick; any thread reads.
 */
public final class NodeLoad {
    /**
     * The part of the memory alarm's mark that may wait for other nodes, one in so many: one that
     * is away for long never raises the alarm.
     */
    private static final int PEERS_SHARE = 8;

    /** The part of the memory alarm's mark that routes may take: one in so many. */
    private static final int ROUTES_SHARE = 16;

    /** The part of the memory alarm's mark that remembered ingress ids may take: one in so many. */
    private static final int REMEMBERED_SHARE = 16;

    private static final long REMEMBERED_LEAST = 1 << 20;

    /** The part of the memory alarm's mark that parked PUBLISHes may take: one in so many. */
    private static final int PARKED_SHARE = 4;

    /**
     * The part of the memory alarm's mark that waiting QoS 0 messages may take, one in so many:
     * they never raise the alarm.
     */
    private static final int QOS0_SHARE = 8;

    /** A partial packet of which less than this is here counts as a small one. */
    private static final int LITTLE_HELD = 256 << 10;

    private final int packetBytesMax;
    private final LimitSettings limits;
    private final DurableQueuesLoad queues;
    private final OverloadSettings overload;
    private final NodeMemory memory;
    private final Store store;
    private ShardLoad[] shards = new ShardLoad[0];
    private final DiskReserve diskReserve = new DiskReserve();
    private volatile boolean diskAlarm;
    private volatile boolean copiesFull;

    /** Subscribers that publishers wait for, since they are behind. */
    private final AtomicInteger behind = new AtomicInteger();

    /**
     * @param packetBytesMax bytes of the largest packet
     * @param transportBytes bytes that the transport's buffers take now
     */
    public NodeLoad(
            int packetBytesMax,
            LimitSettings limits,
            QueueSettings queues,
            OverloadSettings overload,
            LongSupplier transportBytes,
            Store store) {
        this.packetBytesMax = packetBytesMax;
        this.limits = limits;
        this.queues = new DurableQueuesLoad(queues);
        this.overload = overload;
        this.memory = new NodeMemory(overload, transportBytes, store);
        this.store = store;
    }

    /** Called once, before the shards run. */
    public void shards(ShardLoad[] all) {
        shards = all;
        memory.shards(all);
    }

    // ---------------------------------------------------------------- alarms, any thread

    /** What the node's memory goes to, and its alarm. */
    public NodeMemory memory() {
        return memory;
    }

    void behind(int change) {
        behind.addAndGet(change);
    }

    /** Subscribers that publishers wait for, since they are behind with what they get. */
    public int countBehind() {
        return behind.get();
    }

    public boolean isDiskAlarm() {
        return diskAlarm;
    }

    /** Raises the disk alarm when the disk is nearly full, and ends it when there is room again. */
    public void diskAlarm(boolean full) {
        if (full) {
            diskReserve.begin(store.alarmReserveBytes());
        } else {
            diskReserve.end();
        }
        diskAlarm = full;
    }

    /**
     * Stops publishers while a node that has copies of this one's queues has an alarm of disk or
     * memory; any thread.
     */
    public void copiesFull(boolean full) {
        copiesFull = full;
    }

    /** Whether a node that has copies of this one's queues can take no more. */
    public boolean areCopiesFull() {
        return copiesFull;
    }

    /** Returns the account of what may be written during the disk alarm. */
    DiskReserve diskReserve() {
        return diskReserve;
    }

    /** Whether all durable queues together have reached {@code queues.node-*}. */
    public boolean isQueuesFull() {
        return queues.isFull();
    }

    /** Whether nothing more may be taken in from publishers. */
    public boolean isAlarm() {
        return diskAlarm || isQueueAlarm();
    }

    /**
     * Whether subscribers have to take something, or a node that has copies needs room, before
     * publishers are read again.
     */
    boolean isQueueAlarm() {
        return memory.isAlarm() || queues.isFull() || copiesFull;
    }

    /** See {@link Store#isBehind}. */
    boolean isStoreBehind() {
        return store.isBehind();
    }

    // ---------------------------------------------------------------- bounds, any thread
    /**
     * Whether the node has room for so many bytes more of a packet that has not arrived whole. The
     * last quarter is for small ones: a few that hold much must not keep everyone else out.
     *
     * @param has bytes of the packet that are here already
     */
    boolean mayHold(int bytes, int has) {
        long max = limits.partialBytes();
        long kept = bytes + has <= LITTLE_HELD ? 0 : Math.min(max / 4, max - packetBytesMax);
        return heldBytes() + bytes <= max - Math.max(0, kept);
    }

    boolean isHoldingMuch() {
        return heldBytes() > limits.partialBytes() / 2;
    }

    /** Whether the node has parked so much that each connection may park one PUBLISH only. */
    boolean isParkingFull() {
        return parkedBytes() > overload.memoryBytes() / PARKED_SHARE;
    }

    /** Bytes of QoS 0 messages that may wait on one shard for those who read slowly. */
    long waitingQos0BytesMax() {
        return overload.memoryBytes() / QOS0_SHARE / Math.max(1, shards.length);
    }

    long answerBytesMax() {
        return overload.writeHighWater() + (256L << 10);
    }

    /**
     * Whether sessions, subscriptions and wills may take so many bytes more; not as of the last
     * tick, since a burst can be large.
     */
    boolean mayKeepOfSessions(long bytes) {
        long sum = bytes;
        for (ShardLoad shard : shards) {
            sum += shard.bytes(MemoryClass.SESSIONS);
        }
        return sum <= limits.sessionBytes();
    }

    /**
     * Bytes of the ingress ids that one shard may remember; however small the node is, some
     * thousand may be under way.
     */
    long rememberedBytesMax() {
        return Math.max(
                REMEMBERED_LEAST,
                overload.memoryBytes() / REMEMBERED_SHARE / Math.max(1, shards.length));
    }

    /** Bytes that one shard may keep for all other nodes together. */
    long peerBytesMax() {
        return overload.memoryBytes() / PEERS_SHARE / Math.max(1, shards.length);
    }

    /** Bytes that the outgoing buffers of one shard's connections may take. */
    long outboundBytesMax() {
        return overload.outboundBytes() / Math.max(1, shards.length);
    }

    /** Bytes of what was read and not decoded that one shard may hold. */
    long partialBytesMax() {
        return limits.partialBytes() / Math.max(1, shards.length);
    }

    long routeBytesMax() {
        return overload.memoryBytes() / ROUTES_SHARE / Math.max(1, shards.length);
    }

    /** The bounds of durable queues, as of the last tick. */
    DurableQueuesLoad queues() {
        return queues;
    }

    private long heldBytes() {
        long sum = 0;
        for (ShardLoad shard : shards) {
            sum += shard.heldBytes();
        }
        return sum;
    }

    private long parkedBytes() {
        long sum = 0;
        for (ShardLoad shard : shards) {
            sum += shard.parkedBytes() + shard.reviewedBytes();
        }
        return sum;
    }

    // ---------------------------------------------------------------- looks
    /** At start, before the shards run: what was kept counts from the first moment. */
    public void onRecovered() {
        memory.look();
        lookAtQueues();
    }

    /** Raises and ends the alarms of memory and of queues; one shard calls, once a tick. */
    public void onTick(long nowMs) {
        memory.onTick(nowMs);
        lookAtQueues();
    }

    private void lookAtQueues() {
        long messages = 0;
        long bytes = 0;
        for (ShardLoad shard : shards) {
            messages += shard.queues().keptMessages();
            bytes += shard.queues().keptBytes();
        }
        queues.look(messages, bytes);
    }
}
