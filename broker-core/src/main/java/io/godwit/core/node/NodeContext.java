package io.godwit.core.node;

import io.godwit.core.auth.Security;
import io.godwit.core.id.IdFloor;
import io.godwit.core.id.QueueIdBlock;
import io.godwit.core.index.IndexOwner;
import io.godwit.core.load.CrowdMarks;
import io.godwit.core.load.MailboxMarks;
import io.godwit.core.load.NodeLoad;
import io.godwit.core.load.ShardLoad;
import io.godwit.core.packet.KeyedHash;
import io.godwit.core.review.Reviews;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.session.ClientQuotas;
import io.godwit.core.session.OwnedGroups;
import io.godwit.core.settings.ClientLimits;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.QueueSettings;
import io.godwit.core.settings.Rules;
import io.godwit.core.store.ExpiredRow;
import io.godwit.core.store.Store;
import io.godwit.core.store.StoreListener;
import io.godwit.core.time.TimeSource;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The things that all shards of a node share: settings, ports, the topic index, and the node-wide
 * bounds.
 */
public final class NodeContext {
    /** The part of the memory alarm's mark that mail between shards may take, one in so many. */
    private static final int MAILBOXES_SHARE = 16;

    /** Slices of large fan-outs that may be under way to a shard before their publishers wait. */
    static final int CROWD_SLICES = 20;

    /** The same where a shard handles so many in more time than others should wait. */
    static final int CROWD_SLICES_LEAST = 2;

    private static final long MAILBOX_BYTES_LEAST = 1 << 20;

    private final MqttSettings mqtt;
    private final LimitSettings limits;
    private final QueueSettings queues;
    private final OverloadSettings overload;
    private final int serverId;
    private final Store store;
    private final IdFloor idFloor;
    private final QueueIdBlock queueIds;
    private final TimeSource time;
    private final Security security;
    private final Rules rules;
    private final Cluster cluster;
    private final KeyedHash hash;
    private final TopicIndex index;
    private final NodeLoad load;
    private final MailboxMarks mailboxes;
    private final CrowdMarks crowds;
    private final ClientQuotas quotas;
    private final ClientQuotas connectionQuotas;
    private final int shardCount;
    private final OwnedGroups[] groups;
    private final Reviews reviews = new Reviews();
    private BrokerShard[] shards = new BrokerShard[0];

    private volatile Consumer<Throwable> onStoreFailed = cause -> {};

    /** Of a broker that is alone. */
    public NodeContext(
            MqttSettings mqtt,
            LimitSettings limits,
            QueueSettings queues,
            OverloadSettings overload,
            int serverId,
            int shardCount,
            Store store,
            TimeSource time,
            Security security,
            LongSupplier transportBytes,
            KeyedHash hash,
            Rules rules) {
        this(
                mqtt,
                limits,
                queues,
                overload,
                serverId,
                shardCount,
                store,
                time,
                security,
                transportBytes,
                hash,
                rules,
                Cluster.NONE);
    }

    /**
     * @param hash for names that strangers choose
     * @param transportBytes bytes that the transport's buffers take now
     */
    public NodeContext(
            MqttSettings mqtt,
            LimitSettings limits,
            QueueSettings queues,
            OverloadSettings overload,
            int serverId,
            int shardCount,
            Store store,
            TimeSource time,
            Security security,
            LongSupplier transportBytes,
            KeyedHash hash,
            Rules rules,
            Cluster cluster) {
        this.mqtt = mqtt;
        this.limits = limits;
        this.queues = queues;
        this.overload = overload;
        this.serverId = serverId;
        this.store = store;
        this.time = time;
        this.security = security;
        this.hash = hash;
        this.cluster = cluster;
        this.index = new TopicIndex(hash, cluster.filters());
        this.rules = rules;
        this.shardCount = shardCount;
        this.groups = new OwnedGroups[shardCount];
        this.load =
                new NodeLoad(
                        mqtt.maximumPacketSize(), limits, queues, overload, transportBytes, store);
        this.mailboxes =
                new MailboxMarks(
                        shardCount,
                        overload.mailboxHighWater(),
                        Math.max(
                                MAILBOX_BYTES_LEAST,
                                overload.memoryBytes() / MAILBOXES_SHARE / shardCount));
        this.crowds =
                new CrowdMarks(
                        shardCount,
                        CROWD_SLICES_LEAST * (long) overload.sliceSteps(),
                        Math.min(
                                overload.mailboxHighWater(),
                                CROWD_SLICES * (long) overload.sliceSteps()));
        ClientLimits each = limits.clients();
        this.quotas = new ClientQuotas(each.sessionsPerUser(), each.sessionsPerAddress(), hash);
        this.connectionQuotas =
                new ClientQuotas(each.connectionsPerUser(), each.connectionsPerAddress(), hash);
        this.idFloor = store.start(shardCount, new Listener());
        this.queueIds = new QueueIdBlock(idFloor);
    }

    void shards(BrokerShard[] all) {
        shards = all;
        for (int i = 0; i < all.length; i++) {
            groups[i] = all[i].groups();
        }
        load.shards(Arrays.stream(all).map(BrokerShard::load).toArray(ShardLoad[]::new));
    }

    /** The bounds and alarms of the whole node. */
    public NodeLoad load() {
        return load;
    }

    /** The shared groups of all shards; filled before the first shard runs. */
    OwnedGroups[] groups() {
        return groups;
    }

    /** The index's owner; only its own thread may look into it. */
    IndexOwner indexOwner() {
        return shards[TopicIndex.OWNER].indexOwner();
    }

    MailboxMarks mailboxes() {
        return mailboxes;
    }

    CrowdMarks crowds() {
        return crowds;
    }

    /** Counts sessions. */
    ClientQuotas quotas() {
        return quotas;
    }

    /** Counts connections. */
    ClientQuotas connectionQuotas() {
        return connectionQuotas;
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
        return shardCount;
    }

    /** The store of the whole node. */
    public Store store() {
        return store;
    }

    TimeSource time() {
        return time;
    }

    /** Returns what the node lets clients do. */
    public Security security() {
        return security;
    }

    /** Returns who reviews what clients do. */
    public Reviews reviews() {
        return reviews;
    }

    Cluster cluster() {
        return cluster;
    }

    Rules rules() {
        return rules;
    }

    KeyedHash hash() {
        return hash;
    }

    TopicIndex index() {
        return index;
    }

    // ---------------------------------------------------------------- the store

    QueueIdBlock queueIds() {
        return queueIds;
    }

    /** The latest epoch milliseconds that an earlier start can have seen. */
    public long seenMs() {
        return idFloor.clock() >>> 16;
    }

    /** Of this start; another node knows it by that. */
    public long startNumber() {
        return idFloor.startNumber();
    }

    IdFloor idFloor() {
        return idFloor;
    }

    QueueSettings queues() {
        return queues;
    }

    /** Sets what ends the process when the store fails; before the shards run. */
    public void onStoreFailed(Consumer<Throwable> handler) {
        onStoreFailed = handler;
    }

    private final class Listener implements StoreListener {
        @Override
        public void onExpired(long queueId, List<ExpiredRow> rows) {
            for (BrokerShard shard : shards) {
                shard.onExpired(queueId, rows);
            }
        }

        @Override
        public void onDiskAlarm(boolean full) {
            load.diskAlarm(full);
        }

        @Override
        public void onFailed(Throwable cause) {
            onStoreFailed.accept(cause);
        }
    }
}
