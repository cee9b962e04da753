package io.godwit.core.session;

import io.godwit.core.auth.AccessControl;
import io.godwit.core.auth.Authenticator;
import io.godwit.core.auth.EnhancedAuthenticator;
import io.godwit.core.routing.SharedGroupRef;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.QueueSettings;
import io.godwit.core.settings.Rules;
import io.godwit.core.store.IdFloor;
import io.godwit.core.store.Store;
import io.godwit.core.store.StoreListener;
import io.godwit.core.time.TimeSource;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** What all shards of a node share: settings, ports, the topic index, and the node-wide bounds. */
public final class ShardContext {
    private static final double ALARM_ENDS_AT = 0.8;

    /** Publishers go on when the node's queues are down to this part of their bound. */
    private static final double QUEUES_GO_ON_AT = 0.95;

    /** The part of the memory alarm's mark above which the store is asked to write rows early. */
    private static final double MEMORY_SHORT_AT = 0.5;

    private static final long END_WINDOW_MS = 1_000;

    /** A window that holds less than this part of the mark is left to its time. */
    private static final double WINDOW_WORTH_IT = 1.0 / 32;

    private final MqttSettings mqtt;
    private final LimitSettings limits;
    private final QueueSettings queues;
    private final OverloadSettings overload;
    private final int serverId;
    private final Store store;
    private final IdFloor idFloor;
    private final TimeSource time;
    private final Authenticator authenticator;
    private final AccessControl accessControl;
    private final Map<String, EnhancedAuthenticator> enhancedAuthenticators;
    private final LongSupplier transportBytes;
    private final Rules rules;
    private final TopicIndex index = new TopicIndex();
    private final AtomicIntegerArray behind;
    private SessionShard[] shards = new SessionShard[0];
    private volatile boolean memoryAlarm;
    private volatile boolean diskAlarm;
    private volatile boolean queuesFull;
    private long windowEndedAtMs = Long.MIN_VALUE / 2;

    /** By queue id, of those that were kept; filled before the shards run, then only read. */
    private final Map<Long, SharedGroupRef> recoveredGroups = new HashMap<>();

    private volatile Consumer<Throwable> onStoreFailed = cause -> {};
    private volatile long accountedBytes;

    /**
     * @param transportBytes bytes that the transport's buffers take now
     */
    public ShardContext(
            MqttSettings mqtt,
            LimitSettings limits,
            QueueSettings queues,
            OverloadSettings overload,
            int serverId,
            int shardCount,
            Store store,
            TimeSource time,
            Authenticator authenticator,
            AccessControl accessControl,
            Map<String, EnhancedAuthenticator> enhancedAuthenticators,
            LongSupplier transportBytes,
            Rules rules) {
        this.mqtt = mqtt;
        this.limits = limits;
        this.queues = queues;
        this.overload = overload;
        this.serverId = serverId;
        this.store = store;
        this.time = time;
        this.authenticator = authenticator;
        this.accessControl = accessControl;
        this.enhancedAuthenticators = Map.copyOf(enhancedAuthenticators);
        this.transportBytes = transportBytes;
        this.rules = rules;
        this.behind = new AtomicIntegerArray(shardCount);
        this.idFloor = store.start(shardCount, new Listener());
    }

    void shards(SessionShard[] all) {
        shards = all;
    }

    MqttSettings mqtt() {
        return mqtt;
    }

    LimitSettings limits() {
        return limits;
    }

    OverloadSettings overload() {
        return overload;
    }

    int serverId() {
        return serverId;
    }

    int shardCount() {
        return behind.length();
    }

    Store store() {
        return store;
    }

    TimeSource time() {
        return time;
    }

    Authenticator authenticator() {
        return authenticator;
    }

    AccessControl accessControl() {
        return accessControl;
    }

    Map<String, EnhancedAuthenticator> enhancedAuthenticators() {
        return enhancedAuthenticators;
    }

    Rules rules() {
        return rules;
    }

    TopicIndex index() {
        return index;
    }

    // ---------------------------------------------------------------- the store

    IdFloor idFloor() {
        return idFloor;
    }

    QueueSettings queues() {
        return queues;
    }

    public boolean isDiskAlarm() {
        return diskAlarm;
    }

    /** Whether all durable queues together have reached {@code queues.node-*}. */
    public boolean isQueuesFull() {
        return queuesFull;
    }

    /** Whether nothing more may be taken in from publishers. */
    boolean publishersWait() {
        return memoryAlarm || diskAlarm || queuesFull;
    }

    /** The group that had this queue at start, if it still has it. Any thread. */
    @Nullable SharedGroupRef recoveredGroup(long queueId) {
        SharedGroupRef group = recoveredGroups.get(queueId);
        return group != null && group.queueId() == queueId ? group : null;
    }

    /** Called before the shards run. */
    void recovered(SharedGroupRef group) {
        recoveredGroups.put(group.queueId(), group);
    }

    void checkQueues() {
        long messages = 0;
        long bytes = 0;
        for (SessionShard shard : shards) {
            messages += shard.load().keptMessages();
            bytes += shard.load().keptBytes();
        }
        double part = queuesFull ? QUEUES_GO_ON_AT : 1;
        queuesFull = messages >= queues.nodeMessages() * part || bytes >= queues.nodeBytes() * part;
    }

    /** Who ends the process when the store fails. Set before the shards run. */
    public void onStoreFailed(Consumer<Throwable> handler) {
        onStoreFailed = handler;
    }

    private final class Listener implements StoreListener {
        @Override
        public void onExpired(long queueId, long[] messageIds) {
            for (SessionShard shard : shards) {
                shard.onExpired(queueId, messageIds);
            }
        }

        @Override
        public void onDiskAlarm(boolean full) {
            diskAlarm = full;
        }

        @Override
        public void onFailed(Throwable cause) {
            onStoreFailed.accept(cause);
        }
    }

    // ---------------------------------------------------------------- memory

    /** Held bytes of the whole node. */
    long heldBytes() {
        long sum = 0;
        for (SessionShard shard : shards) {
            sum += shard.load().heldBytes();
        }
        return sum;
    }

    /**
     * Queues, what is in flight, mailboxes, partial packets and the transport's buffers, as of the
     * last tick.
     */
    public long accountedBytes() {
        return accountedBytes;
    }

    public boolean isMemoryAlarm() {
        return memoryAlarm;
    }

    /** Parked bytes of the whole node. */
    long parkedBytes() {
        long sum = 0;
        for (SessionShard shard : shards) {
            sum += shard.load().parkedBytes();
        }
        return sum;
    }

    void checkMemory(long nowMs) {
        long drainable = transportBytes.getAsLong();
        long inQueues = 0;
        for (SessionShard shard : shards) {
            drainable += shard.load().drainableBytes();
            inQueues += shard.load().queuedBytes() + shard.load().inFlightBytes();
        }
        // What waits or is in flight is counted there already; the window holds what is neither.
        long window = store.windowBytes();
        drainable += Math.max(0, window - inQueues);
        long sum = drainable + heldBytes() + parkedBytes();
        accountedBytes = sum;
        long max = overload.memoryBytes();
        if (window > max * WINDOW_WORTH_IT
                && sum > max * MEMORY_SHORT_AT
                && nowMs - windowEndedAtMs >= END_WINDOW_MS) {
            windowEndedAtMs = nowMs;
            store.endWindow();
        }
        // What an alarm makes wait must not keep it up.
        memoryAlarm = memoryAlarm ? drainable > max * ALARM_ENDS_AT : sum > max;
    }

    // ---------------------------------------------------------------- mailboxes

    void markBehind(int shard) {
        behind.set(shard, 1);
    }

    /** Whether the shard was behind and is not any more. */
    boolean tellWhenDrained(SessionShard shard) {
        return behind.get(shard.index()) == 1
                && shard.mailboxDepth() < overload.mailboxHighWater() / 2
                && behind.compareAndSet(shard.index(), 1, 0);
    }

    boolean isAnyMailboxBehind() {
        for (int i = 0; i < behind.length(); i++) {
            if (behind.get(i) == 1) {
                return true;
            }
        }
        return false;
    }
}
