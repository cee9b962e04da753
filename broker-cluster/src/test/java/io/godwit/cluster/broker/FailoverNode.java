package io.godwit.cluster.broker;

import io.godwit.cluster.leadership.Epoch;
import io.godwit.cluster.leadership.SlotLeaders;
import io.godwit.cluster.membership.Member;
import io.godwit.cluster.membership.Nodes;
import io.godwit.cluster.publish.LeaderAway;
import io.godwit.cluster.transport.Forgotten;
import io.godwit.cluster.transport.Handlers;
import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.Resumed;
import io.godwit.cluster.transport.TestDelivery;
import io.godwit.core.auth.Security;
import io.godwit.core.index.RetainedCopies;
import io.godwit.core.message.Digest;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.node.Broker;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.node.NodeContext;
import io.godwit.core.packet.KeyedHash;
import io.godwit.core.packet.Topic;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.QueueSettings;
import io.godwit.core.shard.Shard;
import io.godwit.core.shard.ShardLoop;
import io.godwit.core.simulation.CountedBuffers;
import io.godwit.core.store.DigestReader;
import io.godwit.core.store.QueueDigest;
import io.godwit.persistence.DiskStore;
import io.godwit.persistence.disk.SimulatedDisk;
import io.godwit.persistence.disk.SimulatedJournal;
import io.godwit.persistence.settings.Durability;
import io.godwit.persistence.settings.StoreRules;
import io.godwit.persistence.settings.StoreSettings;
import io.godwit.persistence.work.Worker;
import io.godwit.persistence.work.Workers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** One node: its disk, and its broker while the process runs. */
final class FailoverNode {
    static final int SHARDS = 2;

    /** Longest time that a task of the store's workers waits for its turn. */
    private static final int[] DELAYS_MICROS = {50, 500, 5_000};

    private static final int MAIL_MICROS = 300;
    private static final int END_MICROS = 60;

    /** After so long the address of a node whose process has ended has been tried. */
    private static final long ENDED_MICROS = 700_000;

    final FailoverSimulation run;
    final int server;
    private final StoreSettings settings;
    private final int delayMicros;
    private final SimulatedDisk.Weather weather =
            new SimulatedDisk.Weather() {
                @Override
                public void beforeWrite(boolean sync) {
                    if (cutAfter > 0 && --cutAfter == 0) {
                        throw new PowerCut(FailoverNode.this);
                    }
                }
            };

    private SimulatedDisk disk = new SimulatedDisk(weather);
    private SimulatedJournal journal = new SimulatedJournal(weather);
    private final SimulatedFile assignments = new SimulatedFile();
    private final SimulatedFile records = new SimulatedFile();

    /** Writes until the power goes in the middle of one; 0: it does not. */
    private int cutAfter;

    private long pausedUntil;
    private long diedAtMicros;

    /** Whether its machine is there, so that its address refuses connections. */
    private boolean isKnownToEnd;

    /** Whether it never comes back, and its disk is lost. */
    boolean isLost;

    private long starts;
    private int missedUpTo;
    @Nullable Process process;

    FailoverNode(FailoverSimulation run, int server) {
        this.run = run;
        this.server = server;
        SplittableRandom random = run.random;
        delayMicros = DELAYS_MICROS[random.nextInt(DELAYS_MICROS.length)];
        settings =
                new StoreSettings(
                        Durability.COMMIT,
                        100,
                        random.nextBoolean() ? 0 : 500_000,
                        20 + random.nextInt(2) * 1_500,
                        random.nextBoolean() ? 20_000 : 64 << 20,
                        random.nextBoolean() ? 60_000 : 256 << 20,
                        0,
                        0);
    }

    /** The power of a node is gone: nothing of what runs now goes on. */
    static final class PowerCut extends Error {
        private static final long serialVersionUID = 1;

        final transient FailoverNode node;

        PowerCut(FailoverNode node) {
            super("the power is gone", null, false, false);
            this.node = node;
        }
    }

    /** Has the power go in the middle of a write that comes soon. */
    void cutSoon(int writes) {
        cutAfter = writes;
    }

    boolean isRunning() {
        return process != null;
    }

    Process running() {
        return Objects.requireNonNull(process);
    }

    /** Its process starts. */
    void begin() {
        pausedUntil = 0;
        Process made = new Process();
        process = made;
        made.begin();
    }

    /**
     * Its process dies with the power: what was not synced is lost, or some of it.
     *
     * @param isSeen its address refuses connections from now on
     */
    void crash(boolean isSeen) {
        running().end();
        process = null;
        pausedUntil = 0;
        cutAfter = 0;
        diedAtMicros = run.scheduler.micros();
        isKnownToEnd = isSeen;
        journal = run.random.nextInt(3) == 0 ? journal.kill() : journal.powerCut(run.random);
        disk = disk.crash(run.random);
        assignments.crash(run.random);
        records.crash(run.random);
    }

    /** Whether its process has ended, and its address says so by now. */
    boolean hasEnded() {
        return process == null
                && isKnownToEnd
                && run.scheduler.micros() - diedAtMicros >= ENDED_MICROS;
    }

    boolean isKnownToEnd() {
        return isKnownToEnd;
    }

    /** Its process does not run for so long. */
    void pause(long micros) {
        pausedUntil = run.scheduler.micros() + micros;
    }

    /** Notes that a node which does not hear this one drops messages for transient sessions. */
    void misses(int upTo) {
        missedUpTo = upTo;
    }

    /** Returns the last message that its transient subscribers may have missed; 0: none. */
    int missedUpTo() {
        return missedUpTo;
    }

    /** Returns its last start. */
    NodeStart lastStart() {
        return new NodeStart(server, Math.max(1, starts));
    }

    /** One start of the node. What it still had to do when it ends is never done. */
    final class Process {
        private final ArrayDeque<Loop> inside = new ArrayDeque<>();
        private final List<Loop> loops = new ArrayList<>();
        final Map<Integer, FailoverLink> links = new TreeMap<>();
        private final Map<Integer, FailoverLink> lastLinks = new HashMap<>();
        private final BrokerCluster part;
        private final Broker broker;
        private final Handlers handlers;
        private final NodeStart start;
        private Forgotten forgotten = Forgotten.NOBODY;
        private boolean isOver;

        /** Messages that it has dropped, since only transient sessions of other nodes want them. */
        private long dropped;

        /** Server ids of the nodes that it did not hear when that was looked at last. */
        private Set<Integer> unheard = Set.of();

        /** Its listeners are open. */
        boolean isReady;

        /** The epochs of slots that it has taken over, and has counted. */
        private final Set<Long> takenOver = new HashSet<>();

        Process() {
            assignments.open(this);
            records.open(this);
            DiskStore store =
                    new DiskStore(
                            disk,
                            journal,
                            settings,
                            run.scheduler,
                            new Workers(
                                    new Line(),
                                    new Line(),
                                    List.of(new Line(), new Line()),
                                    new Line(),
                                    new Line()),
                            StoreRules.ALL,
                            server);
            part =
                    new BrokerCluster(
                            server,
                            FailoverSimulation.TIMES,
                            LeaderAway.WAIT,
                            run.copies,
                            records,
                            run.rules,
                            new CountedBuffers()::heapBuffer);
            NodeContext context =
                    new NodeContext(
                            MqttSettings.DEFAULTS,
                            LimitSettings.DEFAULTS,
                            QueueSettings.DEFAULTS,
                            OverloadSettings.DEFAULTS,
                            server,
                            SHARDS,
                            run.watch.onStore(server, store),
                            run.scheduler,
                            Security.open(Map.of()),
                            () -> 0,
                            new KeyedHash(new SplittableRandom(1)),
                            run.brokerRules,
                            part);
            for (int i = 0; i < SHARDS; i++) {
                loops.add(new Loop());
            }
            broker = new Broker(context, loops.toArray(new ShardLoop[0]), run.random.split());
            for (int i = 0; i < SHARDS; i++) {
                loops.get(i).shard = broker.shard(i);
            }
            context.onStoreFailed(cause -> {
                throw new IllegalStateException("the store of node " + server, cause);
            });
            start = new NodeStart(server, context.startNumber());
            starts = start.start();
            part.observeEnded(this::knowsEnd);
            part.attach(broker, assignments);
            handlers = part.register(new Handlers());
        }

        private boolean knowsEnd(int other) {
            return lastLinks.containsKey(other) && run.hasEnded(FailoverNode.this, other);
        }

        private void begin() {
            broker.recover();
            part.slots().addListener(this::onLeaders);
            forgotten();
            tellNodes();
            Set<Integer> others = new TreeSet<>();
            run.members().forEach(each -> others.add(each.server));
            others.remove(server);
            Set<Integer> here = new TreeSet<>(others);
            here.removeIf(each -> !run.reaches(FailoverNode.this, each));
            for (Loop each : loops) {
                later(run.random.nextInt(100_000), each::tick);
            }
            part.start(here, others, () -> isReady = true);
        }

        private void onLeaders(SlotLeaders now) {
            BitSet taken = new BitSet();
            for (int slot = 0; slot < now.size(); slot++) {
                Epoch epoch = now.epoch(slot);
                if (epoch != null
                        && epoch.server() == server
                        && epoch.incarnation() == start.start()
                        && epoch.from() != 0) {
                    taken.set(slot, takenOver.add(epoch.changes() << 12 | slot));
                }
            }
            if (!taken.isEmpty()) {
                run.onTakenOver(taken);
                run.note("node %s takes over", server);
                run.count("take-overs");
            }
        }

        void end() {
            isOver = true;
        }

        boolean isOver() {
            return isOver;
        }

        boolean isPaused() {
            return !isOver && run.scheduler.micros() < pausedUntil;
        }

        SplittableRandom random() {
            return run.random;
        }

        NodeStart start() {
            return start;
        }

        FailoverNode node() {
            return FailoverNode.this;
        }

        BrokerCluster part() {
            return part;
        }

        BrokerShard shard(int index) {
            return broker.shard(index);
        }

        /** Does something later, unless the process has ended; after its pause, if it has one. */
        void later(long micros, Runnable task) {
            run.scheduler.background(
                    micros,
                    () -> {
                        if (isPaused()) {
                            later(pausedUntil - run.scheduler.micros() + 1, task);
                        } else if (!isOver) {
                            task.run();
                        }
                    });
        }

        /** Does something on a shard's thread, at once. */
        void onShard(int index, Runnable task) {
            loops.get(index).run(task);
        }

        /** Tells the node which ones belong to the cluster, and which of them are heard. */
        void tellNodes() {
            List<Member> all = new ArrayList<>();
            Map<Integer, NodeStart> live = new TreeMap<>(Map.of(server, start));
            for (FailoverNode each : run.members()) {
                all.add(new Member(each.lastStart(), each.server, "n" + each.server, ""));
            }
            links.forEach((peer, link) -> {
                if (link.isUp && !link.isSilent) {
                    live.put(peer, link.peer());
                }
            });
            part.onNodes(new Nodes(start, all, forgotten, live, run.slots()));
        }

        /** Tells the node which ones were forgotten. */
        void forgotten() {
            if (!forgotten.equals(run.forgotten())) {
                forgotten = run.forgotten();
                part.forgotten().now(forgotten);
                tellNodes();
            }
        }

        // ------------------------------------------------------------ links

        void onUp(FailoverLink link) {
            int peer = link.peer().server();
            links.put(peer, link);
            FailoverLink last = lastLinks.put(peer, link);
            boolean isResumed = last != null && last.peer().equals(link.peer());
            link.isUp = true;
            link.quietSince = run.scheduler.micros();
            part.onUp(link, isResumed ? last.resumed() : Resumed.NOTHING);
            tellNodes();
        }

        void onDown(FailoverLink link) {
            if (link.isUp) {
                link.isUp = false;
                links.remove(link.peer().server(), link);
                part.onDown(link, link.unconfirmed());
                tellNodes();
            }
        }

        void onSilent(FailoverLink link) {
            link.isSilent = true;
            part.onSilent(link);
            tellNodes();
        }

        void onHeard(FailoverLink link) {
            link.isSilent = false;
            part.onHeard(link);
            tellNodes();
        }

        boolean hearsAll() {
            return unheardNow().isEmpty();
        }

        private Set<Integer> unheardNow() {
            Set<Integer> now = new TreeSet<>();
            for (FailoverNode each : run.members()) {
                FailoverLink link = links.get(each.server);
                if (each.server != server && (link == null || !link.isUp || link.isSilent)) {
                    now.add(each.server);
                }
            }
            return now;
        }

        /** Notes of which nodes transient subscribers miss what was sent until now. */
        void lookAtDropped() {
            Set<Integer> now = unheardNow();
            long count = 0;
            for (Loop each : loops) {
                count += each.shard.counters().total(Metric.DROPPED_NODE_TRANSIENT);
            }
            if (count > dropped) {
                now.forEach(run::missesAll);
                unheard.forEach(run::missesAll);
            }
            dropped = count;
            unheard = now;
        }

        void receive(PeerLink from, MessageType type, byte[] bytes) {
            if (TestDelivery.deliver(handlers, from, type, bytes)) {
                from.taken(type.traffic(), bytes.length);
            }
        }

        void received(PeerLink from) {
            TestDelivery.delivered(handlers, from);
        }

        // ------------------------------------------------------------ what is asked at the end

        boolean isWhole() {
            return part.copies().isWhole();
        }

        /** Whether each slot has a leader that acts, as this node knows it. */
        boolean isServed() {
            SlotLeaders leaders = part.slots().leaders();
            return leaders.count(SlotLeaders.State.LOADING) == 0
                    && leaders.count(SlotLeaders.State.OFFLINE) == 0
                    && leaders.count(SlotLeaders.State.UNKNOWN) == 0;
        }

        /** Counts the slots in each state. */
        String describeSlots() {
            SlotLeaders leaders = part.slots().leaders();
            Map<SlotLeaders.State, Integer> states = new TreeMap<>();
            for (SlotLeaders.State each : SlotLeaders.State.values()) {
                states.put(each, leaders.count(each));
            }
            return states.toString();
        }

        /** Returns the retained message of each topic. */
        Map<String, String> retained() {
            Map<String, String> values = new TreeMap<>();
            onShard(
                    TopicIndex.OWNER,
                    () -> {
                        RetainedCopies of = shard(TopicIndex.OWNER).indexOwner();
                        for (Topic topic : of.topics()) {
                            RetainedCopies.Copy copy = of.copy(topic);
                            Message message = copy == null ? null : copy.message();
                            if (message != null) {
                                values.put(
                                        topic.toString(),
                                        new String(message.payload, StandardCharsets.UTF_8));
                            }
                        }
                    });
            return values;
        }

        /** Reads the digests of all queues. */
        List<QueueDigest> digests() {
            List<QueueDigest> digests = new ArrayList<>();
            boolean[] isRead = {false};
            broker.context()
                    .store()
                    .describeAll(
                            new DigestReader() {
                                @Override
                                public void onQueue(QueueDigest queue) {
                                    digests.add(queue);
                                }

                                @Override
                                public void onEnd() {
                                    isRead[0] = true;
                                }

                                @Override
                                public void onFailed(Throwable cause) {
                                    throw new IllegalStateException(cause);
                                }
                            });
            run.runUntil(() -> isRead[0], "digests");
            return digests;
        }

        /** A worker of the store: one task after the other, each some time after it was asked. */
        private final class Line implements Worker {
            private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

            @Override
            public void execute(Runnable task) {
                tasks.add(task);
                if (tasks.size() == 1) {
                    next();
                }
            }

            @Override
            public void schedule(Runnable task, long delayNanos) {
                later(delayNanos / 1_000, () -> execute(task));
            }

            private void next() {
                later(run.random.nextInt(delayMicros + 1), this::goOn);
            }

            private void goOn() {
                try {
                    tasks.element().run();
                } finally {
                    tasks.remove();
                    if (!tasks.isEmpty()) {
                        next();
                    }
                }
            }
        }

        /** The thread of one shard. */
        private final class Loop implements ShardLoop {
            @SuppressWarnings("NullAway.Init") // set once the broker is made
            private BrokerShard shard;

            private void run(Runnable task) {
                inside.push(this);
                try {
                    task.run();
                } finally {
                    inside.pop();
                }
            }

            private void tick() {
                run(shard::onTick);
                later(Shard.TICK_MS * 1_000, this::tick);
            }

            private void soon(int mostMicros, Runnable task) {
                later(random().nextInt(mostMicros), () -> run(task));
            }

            @Override
            public void wakeup() {
                soon(MAIL_MICROS, () -> shard.onMail());
            }

            @Override
            public void endTurnSoon() {
                soon(END_MICROS, () -> shard.onTurnEnd());
            }

            @Override
            public void gatherFor(int ms) {
                soon(1_000 * ms, () -> shard.onGathered());
            }

            @Override
            public boolean isInside() {
                return inside.peek() == this;
            }
        }
    }

    /** Returns a digest as text. */
    static String text(Digest digest) {
        return digest.high() + ":" + digest.low();
    }
}
