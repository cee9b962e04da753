package io.godwit.core.load;

import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.store.Store;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;

/**
 * What the node's memory goes to, and what happens when little of it is left: it is short, and then
 * those wait who publish to whoever holds much; later the memory alarm rises, and all publishers
 * wait. One shard looks once a tick, and whichever shard grows much looks before; any thread reads.
 */
public final class NodeMemory {
    /** The part of its mark below which the alarm ends. */
    private static final double ALARM_ENDS_AT = 0.8;

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

    /** How often a message that many queues hold counts, its way to the disk included. */
    private static final int COUNTED_TIMES = 3;

    /** The part of the memory alarm's mark up to which a message comes in whatever its size. */
    private static final double COMES_IN_BELOW = 0.5;

    private final OverloadSettings overload;
    private final LongSupplier transportBytes;
    private final Store store;
    private volatile LongSupplier hashBytes = () -> 0;
    private volatile LongSupplier fileBytes = () -> 0;
    private volatile LongSupplier extensionBytes = () -> 0;
    private ShardLoad[] shards = new ShardLoad[0];
    private volatile boolean shortage;
    private volatile long mayHold = Long.MAX_VALUE;
    private volatile boolean alarm;
    private volatile long accountedBytes;

    /** What can be drained, but for outgoing buffers: these have a share of their own. */
    private volatile long drainableHeapBytes;

    private final AtomicLongArray account = new AtomicLongArray(MemoryClass.values().length);

    /** Bytes of large messages that shards are reading from the disk. */
    private final AtomicLong readingBytes = new AtomicLong();

    private final AtomicBoolean looking = new AtomicBoolean();
    private long growthBytes;
    private long windowEndedAtMs = Long.MIN_VALUE / 2;

    NodeMemory(OverloadSettings overload, LongSupplier transportBytes, Store store) {
        this.overload = overload;
        this.transportBytes = transportBytes;
        this.store = store;
    }

    /** Called once, before the shards run. */
    void shards(ShardLoad[] all) {
        shards = all;
        growthBytes = overload.memoryBytes() / GROWTH_SHARE / Math.max(1, all.length);
    }

    /** Charges what hashing passwords takes at a moment; asked by any thread. */
    public void hashes(LongSupplier bytes) {
        hashBytes = bytes;
    }

    /** Charges what was read from files; asked by any thread. */
    public void files(LongSupplier bytes) {
        fileBytes = bytes;
    }

    /** Charges what extensions have the broker keep; asked by any thread. */
    public void extensions(LongSupplier bytes) {
        extensionBytes = bytes;
    }

    // ---------------------------------------------------------------- asked by any thread

    /** Whether all publishers wait. */
    public boolean isAlarm() {
        return alarm;
    }

    /**
     * Whether those wait who publish to whoever holds much; so they do during the memory alarm, and
     * some way before it, so that it need not rise for everybody.
     */
    public boolean isShort() {
        return shortage;
    }

    /** Bytes that each session may hold; without a bound while memory is not short. */
    long mayHold() {
        return mayHold;
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
        look();
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
            if (alarm || before > 0 && before + bytes > freeBytes()) {
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

    // ---------------------------------------------------------------- looks

    /** One shard calls, once a tick. */
    void onTick(long nowMs) {
        look();
        mayHold = shortage ? bytesInNobodysWay() : Long.MAX_VALUE;
        writeRowsEarly(nowMs);
    }

    /** A shard has grown by {@link #growthBytes}: until the next tick it may be too much. */
    void onGrowth() {
        look();
        if (shortage && mayHold == Long.MAX_VALUE) {
            mayHold = bytesInNobodysWay();
        }
    }

    /** Bytes by which one shard may grow before memory is looked at again. */
    long growthBytes() {
        return growthBytes;
    }

    /** Two that look at once would both write and log: one is enough. */
    void look() {
        if (looking.compareAndSet(false, true)) {
            try {
                charge();
                raiseAndEnd();
            } finally {
                looking.set(false);
            }
        }
    }

    private void charge() {
        for (MemoryClass each : MemoryClass.values()) {
            long sum = 0;
            for (ShardLoad shard : shards) {
                sum += shard.bytes(each);
            }
            account.setOpaque(each.ordinal(), sum);
        }
        account.setOpaque(MemoryClass.OUTBOUND.ordinal(), transportBytes.getAsLong());
        account.setOpaque(MemoryClass.HASHES.ordinal(), hashBytes.getAsLong());
        account.setOpaque(MemoryClass.FILES.ordinal(), fileBytes.getAsLong());
        account.setOpaque(MemoryClass.ATTRIBUTES.ordinal(), extensionBytes.getAsLong());
        // What waits or is in flight is counted there already; the window holds what is neither.
        account.setOpaque(
                MemoryClass.COMMITS.ordinal(),
                Math.max(0, store.windowBytes() - account(MemoryClass.QUEUES)));
    }

    private void raiseAndEnd() {
        long drainable = accountOf(MemoryClass.DRAINABLE);
        long sum = drainable + accountOf(MemoryClass.WAITING);
        accountedBytes = sum;
        drainableHeapBytes = drainable - account(MemoryClass.OUTBOUND);
        long max = overload.memoryBytes();
        boolean wasShort = shortage;
        shortage =
                isRoomAwaited()
                        || (wasShort ? drainable > max * SHORT_ENDS_AT : sum > max * SHORT_AT);
        if (shortage != wasShort) {
            AlarmLog.memoryShort(shortage, sum, max, this::account);
        }
        boolean before = alarm;
        alarm = before ? drainable > max * ALARM_ENDS_AT : sum > max;
        if (alarm != before) {
            AlarmLog.memory(alarm, sum, max, this::account);
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
}
