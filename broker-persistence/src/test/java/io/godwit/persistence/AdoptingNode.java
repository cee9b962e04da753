package io.godwit.persistence;

import io.godwit.core.ack.EveryNode;
import io.godwit.core.ack.Takers;
import io.godwit.core.id.Epoch;
import io.godwit.core.id.IngressId;
import io.godwit.core.index.FilterSpread;
import io.godwit.core.message.CameBefore;
import io.godwit.core.message.Digest;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.node.Cluster;
import io.godwit.core.node.NodeCounts;
import io.godwit.core.node.SettableTime;
import io.godwit.core.node.TestClient;
import io.godwit.core.node.TestNode;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.packet.Will;
import io.godwit.core.publish.NodeSender;
import io.godwit.core.routing.GroupState;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.Rules;
import io.godwit.core.store.CopySets;
import io.godwit.core.store.CopyStore.Adoptable;
import io.godwit.core.store.DigestReader;
import io.godwit.core.store.QueueDigest;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.Journal;
import io.godwit.persistence.settings.StoreRules;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A whole broker on a store, in one thread: it sends the parts of its queues to another one, or
 * adopts the copies that it has of another one's queues.
 */
final class AdoptingNode {
    static final int LEADER = 9;
    static final int FOLLOWER = 7;

    private static final long ALL = 3_600;

    /** What the cluster is told. */
    static final class Told implements Cluster {
        /** Run with each filter that comes or goes. */
        Runnable whenNoted = () -> {};

        final Set<IngressId> publishes = new LinkedHashSet<>();
        final Map<IngressId, Takers> remembered = new HashMap<>();

        /** Of publishes that are over everywhere. */
        final List<IngressId> over = new ArrayList<>();

        /** Filters that somebody here has. */
        final Set<String> filters = new LinkedHashSet<>();

        /** Under which epoch another node has taken all slots over; null: none has. */
        @Nullable Epoch newerLeader;

        /** A position that has come by a stream of node 3. */
        long came;

        @Override
        public void addCame(CameBefore.Builder to, long nowMs) {
            if (came > 0) {
                to.add(3, 1, 5, came);
            }
        }

        @Override
        public @Nullable Epoch newerLeader(int slot) {
            return newerLeader;
        }

        @Override
        public FilterSpread filters() {
            return new FilterSpread() {
                @Override
                public void onSessions(TopicFilter filter, GroupState state) {
                    note(filter, state);
                }

                @Override
                public void onGroup(TopicFilter filter, GroupState state) {
                    note(filter, state);
                }

                @Override
                public void whenKnown(Runnable task) {
                    task.run();
                }
            };
        }

        private void note(TopicFilter filter, GroupState state) {
            whenNoted.run();
            if (state == GroupState.NONE) {
                filters.remove(filter.toString());
            } else {
                filters.add(filter.toString());
            }
        }

        @Override
        public NodeSender sender(BrokerShard shard) {
            return new NodeSender.Alone() {
                @Override
                public void letGo(Map<IngressId, Takers> some) {
                    remembered.putAll(some);
                }
            };
        }

        @Override
        public void mayBeSentAgain(Set<IngressId> some) {
            publishes.addAll(some);
        }

        @Override
        public EveryNode others() {
            return (from, server, counter, rest) -> {
                IngressId id = new IngressId(server, counter);
                over.add(id);
                Takers by = remembered.remove(id);
                if (by != null) {
                    by.forget(from);
                }
                rest.run();
            };
        }

        @Override
        public void remembered(IngressId publish, Takers by) {
            remembered.put(publish, by);
        }

        @Override
        public void adopted(int leader, Set<IngressId> some, Map<IngressId, Takers> by) {
            publishes.addAll(some);
            remembered.putAll(by);
        }

        @Override
        public List<NodeCounts> counts() {
            return List.of();
        }
    }

    final StepWorkers workers;
    final Disk disk;
    final Journal journal;
    final DiskStore store;
    final SettableTime time;
    final TestNode node;
    final Told cluster = new Told();

    /** Parts of its queues in the order of its stream. */
    final List<byte[]> parts = new ArrayList<>();

    private final int serverId;
    private int applied;

    AdoptingNode(int serverId, SettableTime time) {
        this(serverId, new StepWorkers(), new MemoryDisk(), new MemoryJournal(), time);
    }

    AdoptingNode(int serverId, StepWorkers workers, Disk disk, Journal journal, SettableTime time) {
        this(serverId, workers, disk, journal, time, null);
    }

    private AdoptingNode(
            int serverId,
            StepWorkers workers,
            Disk disk,
            Journal journal,
            SettableTime time,
            @Nullable Epoch newerLeader) {
        cluster.newerLeader = newerLeader;
        this.serverId = serverId;
        this.workers = workers;
        this.disk = disk;
        this.journal = journal;
        this.time = time;
        store =
                new DiskStore(
                        disk,
                        journal,
                        StoreFixture.SETTINGS,
                        workers,
                        workers.workers,
                        StoreRules.ALL,
                        serverId);
        node =
                TestNode.of(
                        cluster,
                        serverId,
                        2,
                        store,
                        time,
                        Rules.ALL,
                        LimitSettings.DEFAULTS,
                        OverloadSettings.DEFAULTS);
        store.ship((position, set, body) -> parts.add(body));
        node.recover();
        settle();
    }

    /** Returns a start on what a power cut leaves. */
    AdoptingNode afterCrash() {
        return afterCrash(null);
    }

    /**
     * @param newerLeader under which epoch another node has taken all slots over; null: none has
     */
    AdoptingNode afterCrash(@Nullable Epoch newerLeader) {
        workers.halt();
        AdoptingNode next =
                new AdoptingNode(
                        serverId,
                        workers,
                        ((MemoryDisk) disk).crashed(),
                        ((MemoryJournal) journal).crashed(),
                        time,
                        newerLeader);
        next.applied = applied;
        return next;
    }

    void settle() {
        for (int i = 0; i < 20; i++) {
            node.settle();
            workers.pass(2);
        }
        node.settle();
    }

    void tick(long ms) {
        node.tick(ms);
        settle();
    }

    // ---------------------------------------------------------------- clients

    /** Connects a client whose session outlives it. */
    TestClient connect(String clientId, int receiveMaximum) {
        return connect(clientId, false, ALL, receiveMaximum, null);
    }

    TestClient connect(
            String clientId,
            boolean cleanStart,
            long expirySeconds,
            int receiveMaximum,
            @Nullable Will will) {
        ClientId id = ClientId.of(clientId);
        TestClient client = node.open(id.slot() % 2, ProtocolVersion.MQTT_5);
        Properties.Builder properties = Properties.builder();
        if (expirySeconds > 0) {
            properties.add(Property.SESSION_EXPIRY_INTERVAL, expirySeconds);
        }
        if (receiveMaximum > 0) {
            properties.add(Property.RECEIVE_MAXIMUM, receiveMaximum);
        }
        client.send(
                new Packet.Connect(
                        ProtocolVersion.MQTT_5,
                        id,
                        cleanStart,
                        60,
                        will,
                        null,
                        null,
                        false,
                        properties.build()));
        settle();
        return client;
    }

    void cut(TestClient client) {
        client.cut();
        settle();
    }

    /** Publishes from a client of its own, and completes what it has begun. */
    void publish(String topic, int qos, String payload) {
        TestClient publisher = connect("publisher", true, 0, 0, null);
        publisher.publish(topic, qos, qos == 0 ? 0 : 1, payload);
        settle();
        if (qos == 2) {
            publisher.ack(PacketType.PUBREL, 1);
            settle();
        }
        cut(publisher);
    }

    static List<Packet.Publish> publishes(TestClient client) {
        return client.packets().stream()
                .filter(Packet.Publish.class::isInstance)
                .map(Packet.Publish.class::cast)
                .toList();
    }

    // ---------------------------------------------------------------- copies

    /** Has this node apply all that another one has sent. */
    void follow(AdoptingNode leader) {
        follow(leader, leader.parts.size());
    }

    /**
     * The same up to some part.
     *
     * @param end number of its parts that come
     */
    void follow(AdoptingNode leader, int end) {
        while (applied < end) {
            byte[] body = leader.parts.get(applied);
            long position = ++applied;
            BrokerShard shard = node.broker().shard(1);
            shard.execute(() -> shard.store().apply(leader.serverId, 1, position, body));
            if (position % 100 == 0) {
                node.settle();
                workers.pass(2);
            }
        }
        settle();
    }

    /** Adopts all sessions of another node. */
    void adopt(AdoptingNode leader) {
        for (int set = 1; set < CopySets.GROUPS; set++) {
            boolean[] isDone = {false};
            beginToAdopt(leader, set, () -> isDone[0] = true);
            settle();
            if (!isDone[0]) {
                throw new AssertionError("set " + set + " is not adopted");
            }
        }
    }

    /** Adopts all queues of shared groups of another node. */
    void adoptGroups(AdoptingNode leader) {
        boolean[] isDone = {false};
        BrokerShard owner = node.broker().shard(TopicIndex.OWNER);
        owner.execute(() -> node.broker().adoptGroups(leader.serverId, () -> isDone[0] = true));
        settle();
        if (!isDone[0]) {
            throw new AssertionError("groups are not adopted");
        }
    }

    /** Another node has adopted the copies of this one's queues of shared groups. */
    void giveUpGroups(AdoptingNode taker) {
        boolean[] isDone = {false};
        BrokerShard owner = node.broker().shard(TopicIndex.OWNER);
        owner.execute(() -> node.broker().giveUpGroups(taker.serverId, () -> isDone[0] = true));
        settle();
        if (!isDone[0]) {
            throw new AssertionError("groups are not given up");
        }
    }

    void beginToAdopt(AdoptingNode leader, int set, Runnable whenDone) {
        BitSet slots = new BitSet();
        slots.set(0, ClientId.SLOTS);
        beginToAdopt(leader, set, slots, whenDone);
    }

    void beginToAdopt(AdoptingNode leader, int set, BitSet slots, Runnable whenDone) {
        BrokerShard owner = node.broker().shard(TopicIndex.OWNER);
        owner.execute(() ->
                node.broker().adopt(leader.serverId, set, slots, Epoch.number(1, 1), whenDone));
    }

    /** Returns what it may adopt. */
    List<Adoptable> adoptable(AdoptingNode leader) {
        List<Adoptable> all = new ArrayList<>();
        for (int set = 1; set < CopySets.GROUPS; set++) {
            store.adoptableOf(leader.serverId, set, all::addAll);
            settle();
        }
        return all;
    }

    /** Returns the digests of the queues of sessions, by client id. */
    Map<String, String> digests() {
        Map<String, String> found = new TreeMap<>();
        store.describeAll(
                new DigestReader() {
                    @Override
                    public void onQueue(QueueDigest queue) {
                        if (queue.clientId() != null) {
                            Digest digest = queue.digest();
                            found.put(
                                    queue.clientId().toString(),
                                    digest.high() + ":" + digest.low());
                        }
                    }

                    @Override
                    public void onEnd() {}

                    @Override
                    public void onFailed(Throwable cause) {
                        throw new AssertionError(cause);
                    }
                });
        settle();
        return found;
    }
}
