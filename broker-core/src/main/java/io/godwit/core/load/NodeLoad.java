package io.godwit.core.load;

import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.QueueSettings;
import io.godwit.core.store.Store;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;

/**
 * The bounds that hold for all shards of a node together, and the alarms that they raise. One shard
 * looks at them once a tick, and whichever shard grows much looks at memory before; any thread
 * reads.
 */
public final class NodeLoad {
    private static final double ALARM_ENDS_AT = 0.8;

    /** Classes of which subscribers, disks and other shards take something away by themselves. */
    private static final Set<MemoryClass> DRAINABLE =
            EnumSet.of(
                    MemoryClass.OUTBOUND,
                    MemoryClass.QUEUES,
                    MemoryClass.COMMITS,
                    MemoryClass.MAILBOXES,
                    MemoryClass.HAND_OVERS);

    /**
     * Classes that raise an alarm and do not keep it up: what it makes wait, and what other nodes
     * take away, since these may wait for this one in the same way.
     */
    private static final Set<MemoryClass> WAITING =
            EnumSet.of(MemoryClass.PARTIAL, MemoryClass.PARKED, MemoryClass.PEERS);

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

    /** The part of the memory alarm's mark above which the store is asked to write rows early. */
    private static final double ROWS_EARLY_AT = 0.5;

    /** The part above which those wait who publish to what fills it, and below which they go on. */
    private static final double SHORT_AT = 0.6;

    private static final double SHORT_ENDS_AT = 0.5;

    /**
     * The part of the memory alarm's mark by which a shard may grow before memory is looked at, one
     * in so many: all of them together stay far below what lies between short and the alarm.
     */
    private static final int GROWTH_SHARE = 64;

    private static final long END_WINDOW_MS = 1_000;

    /** A window that holds less than this part of the mark is left to its time. */
    private static final double WINDOW_WORTH_IT = 1.0 / 32;

    /** The part of the memory alarm's mark that parked PUBLISHes may take: one in so many. */
    private static final int PARKED_SHARE = 4;

    /**
     * The part of the memory alarm's mark that waiting QoS 0 messages may take, one in so many:
     * they never raise the alarm.
     */
    private static final int QOS0_SHARE = 8;

    /** A partial packet of which less than this is here counts as a small one. */
    private static final int LITTLE_HELD = 256 << 10;

    /** How often a message that many queues hold counts, its way to the disk included. */
    private static final int COUNTED_TIMES = 3;

    /** The part of the memory alarm's mark up to which a message comes in whatever its size. */
    private static final double COMES_IN_BELOW = 0.5;

    private final int packetBytesMax;
    private final LimitSettings limits;
    private final DurableQueuesLoad queues;
    private final OverloadSettings overload;
    private final LongSupplier transportBytes;
    private final Store store;
    private ShardLoad[] shards = new ShardLoad[0];
    private volatile boolean memoryShort;
    private volatile long mayHold = Long.MAX_VALUE;
    private volatile boolean memoryAlarm;
    private volatile boolean diskAlarm;
    private volatile long accountedBytes;

    /** What can be drained, but for outgoing buffers: these have a share of their own. */
    private volatile long drainableHeapBytes;

    private final AtomicLongArray account = new AtomicLongArray(MemoryClass.values().length);

    /** Bytes of large messages that shards are reading from the disk. */
    private final AtomicLong readingBytes = new AtomicLong();

    /** Subscribers that publishers wait for, since they are behind. */
    private final AtomicInteger behind = new AtomicInteger();

    private final AtomicBoolean looking = new AtomicBoolean();
    private long growthBytes;
    private long windowEndedAtMs = Long.MIN_VALUE / 2;

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
        this.transportBytes = transportBytes;
        this.store = store;
    }

    /** Called once, before the shards run. */
    public void shards(ShardLoad[] all) {
        shards = all;
        growthBytes = overload.memoryBytes() / GROWTH_SHARE / Math.max(1, all.length);
    }

    // ---------------------------------------------------------------- alarms, any thread
    public boolean isMemoryAlarm() {
        return memoryAlarm;
    }

    /**
     * Whether those wait who publish to whoever holds much; so they do during the memory alarm, and
     * some way before it, so that it need not rise for everybody.
     */
    public boolean isMemoryShort() {
        return memoryShort;
    }

    /** Bytes that each session may hold; without a bound while memory is not short. */
    long mayHold() {
        return mayHold;
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
        diskAlarm = full;
    }

    /** Whether all durable queues together have reached {@code queues.node-*}. */
    public boolean isQueuesFull() {
        return queues.isFull();
    }

    /** Whether nothing more may be taken in from publishers. */
    public boolean isAlarm() {
        return memoryAlarm || diskAlarm || queues.isFull();
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

    /**
     * Bytes that a session may hold in nobody's way: if all that are online held as much, it would
     * be a quarter of the alarm's mark.
     */
    private long bytesInNobodysWay() {
        long online = 1;
        for (ShardLoad shard : shards) {
            online += shard.onlineSessions();
        }
        return overload.memoryBytes() / 4 / online;
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
     * Bytes that the memory alarm counts: queues, what is in flight, mailboxes, partial packets and
     * the transport's buffers; as of the last look.
     */
    public long accountedBytes() {
        return accountedBytes;
    }

    /** Bytes that may be added to the account before it raises the memory alarm. */
    public long freeBytes() {
        return Math.max(0, overload.memoryBytes() - accountedBytes);
    }

    /**
     * Whether a large message may come in now. One that would raise the alarm waits with its
     * publisher, and nobody else has to. What waits in the same way, what other nodes take away and
     * outgoing buffers do not keep it waiting: it would wait for whoever does not read.
     */
    boolean mayComeIn(long bytes) {
        lookAtMemory();
        long max = overload.memoryBytes();
        long wants = COUNTED_TIMES * bytes;
        long has = drainableHeapBytes;
        for (ShardLoad shard : shards) {
            has += COUNTED_TIMES * shard.comingIn();
        }
        return has + Math.min(wants, max * (1 - COMES_IN_BELOW)) <= max;
    }

    /** See {@link QueueAccounts#mayReadLarge}; one may always be read but during the alarm. */
    boolean mayReadLarge(long bytes) {
        while (true) {
            long before = readingBytes.get();
            if (memoryAlarm || before > 0 && before + bytes > freeBytes()) {
                return false;
            }
            if (readingBytes.compareAndSet(before, before + bytes)) {
                return true;
            }
        }
    }

    /** What was read counts before another one may be. */
    void readLarge(long bytes) {
        onGrowth();
        readingBytes.addAndGet(-bytes);
    }

    /** Bytes that are charged to a class, as of the last look. */
    public long account(MemoryClass of) {
        return account.getOpaque(of.ordinal());
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
            sum += shard.parkedBytes();
        }
        return sum;
    }

    // ---------------------------------------------------------------- looks
    /** At start, before the shards run: what was kept counts from the first moment. */
    public void onRecovered() {
        lookAtMemory();
        queues.look(shards);
    }

    /** Raises and ends the alarms of memory and of queues; one shard calls, once a tick. */
    public void onTick(long nowMs) {
        lookAtMemory();
        mayHold = memoryShort ? bytesInNobodysWay() : Long.MAX_VALUE;
        writeRowsEarly(nowMs);
        queues.look(shards);
    }

    /** A shard has grown by {@link #growthBytes}: until the next tick it may be too much. */
    void onGrowth() {
        lookAtMemory();
        if (memoryShort && mayHold == Long.MAX_VALUE) {
            mayHold = bytesInNobodysWay();
        }
    }

    /** Bytes by which one shard may grow before memory is looked at again. */
    long growthBytes() {
        return growthBytes;
    }

    /** Whether the memory alarm counts this class: the others have shares of their own. */
    static boolean isCounted(MemoryClass of) {
        return DRAINABLE.contains(of) || WAITING.contains(of);
    }

    /** Two that look at once would both write and log: one is enough. */
    private void lookAtMemory() {
        if (looking.compareAndSet(false, true)) {
            try {
                checkMemory();
            } finally {
                looking.set(false);
            }
        }
    }

    private void checkMemory() {
        for (MemoryClass each : MemoryClass.values()) {
            long sum = 0;
            for (ShardLoad shard : shards) {
                sum += shard.bytes(each);
            }
            account.setOpaque(each.ordinal(), sum);
        }
        account.setOpaque(MemoryClass.OUTBOUND.ordinal(), transportBytes.getAsLong());
        // What waits or is in flight is counted there already; the window holds what is neither.
        account.setOpaque(
                MemoryClass.COMMITS.ordinal(),
                Math.max(0, store.windowBytes() - account(MemoryClass.QUEUES)));
        long drainable = accountOf(DRAINABLE);
        long sum = drainable + accountOf(WAITING);
        accountedBytes = sum;
        drainableHeapBytes = drainable - account(MemoryClass.OUTBOUND);
        long max = overload.memoryBytes();
        boolean wasShort = memoryShort;
        memoryShort =
                isRoomAwaited()
                        || (wasShort ? drainable > max * SHORT_ENDS_AT : sum > max * SHORT_AT);
        if (memoryShort != wasShort) {
            AlarmLog.memoryShort(memoryShort, sum, max, this);
        }
        boolean before = memoryAlarm;
        memoryAlarm = before ? drainable > max * ALARM_ENDS_AT : sum > max;
        if (memoryAlarm != before) {
            AlarmLog.memory(memoryAlarm, sum, max, this);
        }
    }

    /** Who holds much has to give it away, however much less than the mark is used. */
    private boolean isRoomAwaited() {
        for (ShardLoad shard : shards) {
            if (shard.isRoomAwaited()) {
                return true;
            }
        }
        return false;
    }

    private long accountOf(Set<MemoryClass> some) {
        long sum = 0;
        for (MemoryClass each : some) {
            sum += account(each);
        }
        return sum;
    }

    /** What the store's window holds leaves memory with the rows that it is written as. */
    private void writeRowsEarly(long nowMs) {
        long max = overload.memoryBytes();
        if (store.windowBytes() > max * WINDOW_WORTH_IT
                && accountedBytes > max * ROWS_EARLY_AT
                && nowMs - windowEndedAtMs >= END_WINDOW_MS) {
            windowEndedAtMs = nowMs;
            store.endWindow();
        }
    }
}
