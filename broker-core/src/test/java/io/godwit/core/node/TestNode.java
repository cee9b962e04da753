package io.godwit.core.node;

import io.godwit.core.auth.EnhancedAuthenticator;
import io.godwit.core.auth.Security;
import io.godwit.core.connection.AuthenticatedConnect;
import io.godwit.core.connection.ClientConnection;
import io.godwit.core.group.SharedGroup;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.KeyedHash;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.queue.ClientQueue;
import io.godwit.core.session.Session;
import io.godwit.core.session.SessionList;
import io.godwit.core.session.SessionRoomProbe;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.QueueSettings;
import io.godwit.core.settings.Rules;
import io.godwit.core.store.MemoryStore;
import io.godwit.core.store.Store;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** A node of some shards that the test steps; time stands still unless {@link #tick} moves it. */
public final class TestNode {
    private static final int ROUNDS_MAX = 1_000_000;

    final SettableTime time;
    final NodeContext context;
    final BrokerShard[] shards;
    final Broker broker;
    final StepLoop[] loops;
    private final OverloadSettings overload;

    /** What the transport's buffers are said to take. */
    long transportBytes;

    TestNode(int shardCount, LimitSettings limits, OverloadSettings overload) {
        this(shardCount, MqttSettings.DEFAULTS, limits, overload);
    }

    TestNode(int shardCount, MqttSettings mqtt, LimitSettings limits, OverloadSettings overload) {
        this(shardCount, mqtt, limits, QueueSettings.DEFAULTS, overload, new MemoryStore());
    }

    TestNode(int shardCount, Store store) {
        this(
                shardCount,
                MqttSettings.DEFAULTS,
                LimitSettings.DEFAULTS,
                QueueSettings.DEFAULTS,
                OverloadSettings.DEFAULTS,
                store);
    }

    /** A later start on the same store. */
    TestNode(int shardCount, LimitSettings limits, Store store, SettableTime time) {
        this(
                shardCount,
                MqttSettings.DEFAULTS,
                limits,
                QueueSettings.DEFAULTS,
                OverloadSettings.DEFAULTS,
                store,
                time,
                1,
                Cluster.NONE);
    }

    /** A node of a cluster, which has not recovered what its store has. */
    public static TestNode of(
            Cluster cluster,
            int serverId,
            int shardCount,
            Store store,
            SettableTime time,
            Rules rules,
            LimitSettings limits,
            OverloadSettings overload) {
        return of(
                cluster,
                serverId,
                shardCount,
                store,
                time,
                rules,
                limits,
                overload,
                Security.open(Map.of()));
    }

    /** A node of a cluster that does not let everyone in. */
    public static TestNode of(
            Cluster cluster,
            int serverId,
            int shardCount,
            Store store,
            SettableTime time,
            Rules rules,
            LimitSettings limits,
            OverloadSettings overload,
            Security security) {
        return new TestNode(
                shardCount,
                MqttSettings.DEFAULTS,
                limits,
                QueueSettings.DEFAULTS,
                overload,
                store,
                time,
                serverId,
                cluster,
                rules,
                security);
    }

    /** A node of a cluster with these authentication methods. */
    static TestNode of(
            Cluster cluster,
            int shardCount,
            LimitSettings limits,
            Store store,
            EnhancedAuthenticator... methods) {
        Map<String, EnhancedAuthenticator> byName = new HashMap<>();
        for (EnhancedAuthenticator method : methods) {
            byName.put(method.method(), method);
        }
        return new TestNode(
                shardCount,
                MqttSettings.DEFAULTS,
                limits,
                QueueSettings.DEFAULTS,
                OverloadSettings.DEFAULTS,
                store,
                new SettableTime(),
                1,
                cluster,
                Rules.ALL,
                Security.open(byName));
    }

    /** Takes up what the store has. */
    public void recover() {
        Restart.run(context, shards);
    }

    public Broker broker() {
        return broker;
    }

    /** A start of one shard on a store that may have something. */
    public static TestNode restarted(Store store, SettableTime time) {
        TestNode node = new TestNode(1, LimitSettings.DEFAULTS, store, time);
        Restart.run(node.context, node.shards);
        return node;
    }

    TestNode(
            int shardCount,
            MqttSettings mqtt,
            LimitSettings limits,
            QueueSettings queues,
            OverloadSettings overload,
            Store store) {
        this(
                shardCount,
                mqtt,
                limits,
                queues,
                overload,
                store,
                new SettableTime(),
                1,
                Cluster.NONE);
    }

    /** One of several nodes. */
    TestNode(int shardCount, Cluster cluster) {
        this(
                shardCount,
                MqttSettings.DEFAULTS,
                LimitSettings.DEFAULTS,
                QueueSettings.DEFAULTS,
                OverloadSettings.DEFAULTS,
                new MemoryStore(),
                new SettableTime(),
                1,
                cluster);
    }

    private TestNode(
            int shardCount,
            MqttSettings mqtt,
            LimitSettings limits,
            QueueSettings queues,
            OverloadSettings overload,
            Store store,
            SettableTime time,
            int serverId,
            Cluster cluster) {
        this(
                shardCount,
                mqtt,
                limits,
                queues,
                overload,
                store,
                time,
                serverId,
                cluster,
                Rules.ALL,
                Security.open(Map.of()));
    }

    /** A node that knows an authentication method. */
    TestNode(EnhancedAuthenticator method) {
        this(Security.open(Map.of(method.method(), method)));
    }

    /** A node that does not let everyone in. */
    TestNode(Security security) {
        this(new MemoryStore(), security);
    }

    /** A node that does not let everyone in. */
    TestNode(Store store, Security security) {
        this(LimitSettings.DEFAULTS, QueueSettings.DEFAULTS, store, security);
    }

    /** A node that does not let everyone in, with limits. */
    TestNode(LimitSettings limits, QueueSettings queues, Store store, Security security) {
        this(
                1,
                MqttSettings.DEFAULTS,
                limits,
                queues,
                OverloadSettings.DEFAULTS,
                store,
                new SettableTime(),
                1,
                Cluster.NONE,
                Rules.ALL,
                security);
    }

    private TestNode(
            int shardCount,
            MqttSettings mqtt,
            LimitSettings limits,
            QueueSettings queues,
            OverloadSettings overload,
            Store store,
            SettableTime time,
            int serverId,
            Cluster cluster,
            Rules rules,
            Security security) {
        this.time = time;
        this.overload = overload;
        context =
                new NodeContext(
                        mqtt,
                        limits,
                        queues,
                        overload,
                        serverId,
                        shardCount,
                        store,
                        time,
                        security,
                        () -> transportBytes,
                        new KeyedHash(new SplittableRandom(1)),
                        rules,
                        cluster);
        loops = new StepLoop[shardCount];
        for (int i = 0; i < shardCount; i++) {
            loops[i] = new StepLoop();
        }
        shards = BrokerShards.create(context, loops, new SplittableRandom(1));
        broker = new Broker(context, shards);
        for (int i = 0; i < shardCount; i++) {
            loops[i].run(shards[i]);
        }
    }

    /** Steps all shards in turn until nothing is left to do. */
    public void settle() {
        for (int round = 0; round < ROUNDS_MAX; round++) {
            boolean busy = false;
            for (StepLoop loop : loops) {
                busy |= loop.step();
            }
            if (!busy) {
                return;
            }
        }
        throw new AssertionError("the node never comes to rest");
    }

    /** A tick of every shard, after so much time. */
    public void tick(long afterMs) {
        time.advance(afterMs);
        for (BrokerShard shard : shards) {
            shard.onTick();
        }
        settle();
    }

    public TestClient open(int shard, ProtocolVersion version) {
        return TestClient.open(shards[shard], overload, version);
    }

    /** A client that is connected to another node, which has authenticated it. */
    TestClient accept(int shard, AuthenticatedConnect connect) {
        TestWire wire = new TestWire(overload.writeHighWater(), overload.writeLowWater());
        wire.remoteAddress(connect.peer().remoteAddress());
        ClientConnection connection = shards[shard].accept(connect, wire);
        wire.listener(connection);
        return new TestClient(wire, connection, connect.connect().version());
    }

    /** A connected 5.0 client with a transient session. */
    TestClient client(int shard, String clientId) {
        return client(shard, clientId, 0, 0);
    }

    public TestClient client(int shard, String clientId, long expirySeconds, int receiveMaximum) {
        TestClient client = open(shard, ProtocolVersion.MQTT_5);
        client.connect(clientId, expirySeconds == 0, expirySeconds, receiveMaximum);
        settle();
        return client;
    }

    /** Connects a client, and subscribes. */
    TestClient subscriber(int shard, String clientId, int qos, String... filters) {
        TestClient client = client(shard, clientId);
        client.subscribe(1, qos, filters);
        settle();
        return client;
    }

    public long count(Metric metric) {
        long sum = 0;
        for (BrokerShard shard : shards) {
            sum += shard.counters().total(metric);
        }
        return sum;
    }

    long queuedMessages() {
        long sum = 0;
        for (BrokerShard shard : shards) {
            sum += shard.load().queues().queuedMessages();
        }
        return sum;
    }

    long inFlightBytes() {
        long sum = 0;
        for (BrokerShard shard : shards) {
            sum += shard.load().queues().inFlightBytes();
        }
        return sum;
    }

    long queuedBytes() {
        long sum = 0;
        for (BrokerShard shard : shards) {
            sum += shard.load().queues().queuedBytes();
        }
        return sum;
    }

    /** What waits in durable queues, in memory or on disk. */
    long keptMessages() {
        long sum = 0;
        for (BrokerShard shard : shards) {
            sum += shard.load().queues().keptMessages();
        }
        return sum;
    }

    long keptBytes() {
        long sum = 0;
        for (BrokerShard shard : shards) {
            sum += shard.load().queues().keptBytes();
        }
        return sum;
    }

    /** The group of this filter, wherever it is. */
    public SharedGroup group(String filter) {
        List<SharedGroup> found = new ArrayList<>();
        for (BrokerShard shard : shards) {
            shard.groups().forEach(found::add);
        }
        return found.stream()
                .filter(group -> group.filter().toString().equals(filter))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no group " + filter));
    }

    /** In a turn of a shard. */
    public void execute(int shard, Runnable task) {
        shards[shard].execute(task);
        settle();
    }

    /** A session does not count on its shard while its queue is changed. */
    public void change(Session session, Consumer<ClientQueue> change) {
        execute(
                session.owner(),
                () -> {
                    SessionList sessions = shards[session.owner()].sessions();
                    sessions.remove(session);
                    change.accept(session.queue());
                    sessions.add(session);
                });
    }

    /** The session of a client id, wherever it is. */
    public Session session(String clientId) {
        for (BrokerShard shard : shards) {
            for (Session s : SessionRoomProbe.all(shard.sessions())) {
                if (s.clientId().toString().equals(clientId)) {
                    return s;
                }
            }
        }
        throw new AssertionError("no session of " + clientId);
    }

    /** Bytes of what was read and is not routed yet, under review or not. */
    long parkedBytes() {
        long sum = reviewedBytes();
        for (BrokerShard shard : shards) {
            sum += shard.load().parkedBytes();
        }
        return sum;
    }

    long reviewedBytes() {
        long sum = 0;
        for (BrokerShard shard : shards) {
            sum += shard.load().reviewedBytes();
        }
        return sum;
    }

    long heldBytes() {
        long sum = 0;
        for (BrokerShard shard : shards) {
            sum += shard.load().heldBytes();
        }
        return sum;
    }
}
