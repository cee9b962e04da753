package io.godwit.cluster.replication;

import io.godwit.cluster.transport.LinkState;
import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.IdFloor;
import io.godwit.core.message.Digest;
import io.godwit.core.message.Message;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.store.Confirmations;
import io.godwit.core.store.DigestReader;
import io.godwit.core.store.ExpiredRow;
import io.godwit.core.store.QueueDigest;
import io.godwit.core.store.Recovery;
import io.godwit.core.store.StoreListener;
import io.godwit.persistence.DiskStore;
import io.godwit.persistence.disk.SimulatedDisk;
import io.godwit.persistence.disk.SimulatedJournal;
import io.godwit.persistence.settings.Durability;
import io.godwit.persistence.settings.StoreRules;
import io.godwit.persistence.settings.StoreSettings;
import io.godwit.persistence.work.Workers;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One node: the production store on a simulated disk, and the production copies at both ends,
 * without a broker. Its process dies and starts again on what the disk has kept.
 */
final class StoreNode {
    private static final int STARTS_OF_A_LIFE = 1_000;
    static final int SHARDS = 2;

    /** Longest time that a task of the store's workers waits for its turn. */
    private static final int[] DELAYS_MICROS = {50, 500, 5_000, 20_000};

    private static final int TICK_MICROS = 100_000;
    private static final long SILENT_MICROS = 2_000_000;

    /** After so long a node's address has been tried. */
    private static final long ENDED_MICROS = 700_000;

    final CopiesOnStore cluster;
    final int server;

    /** What was acknowledged of the queues that it leads, by queue id. */
    final Map<Long, Promises> promises = new TreeMap<>();

    /** How many starts it had with disks that are lost, and room for more. */
    private long startsBefore;

    /** What followers had confirmed, subscribers are owed, and its disk has lost, by queue id. */
    final Map<Long, Set<Long>> lost = new TreeMap<>();

    /** Whether none of its sessions ends: one that ended must not live again. */
    boolean isEndless;

    /** Number of the last queue that it has begun. */
    int queues;

    private final StoreSettings settings;
    private final int delayMicros;
    private final SimulatedDisk.Weather weather =
            new SimulatedDisk.Weather() {
                @Override
                public void beforeWrite(boolean sync) {
                    if (cutAfter > 0 && --cutAfter == 0) {
                        throw new PowerCut(StoreNode.this);
                    }
                }
            };

    private SimulatedDisk disk = new SimulatedDisk(weather);
    private SimulatedJournal journal = new SimulatedJournal(weather);
    private SimulatedDisk keptDisk = disk;
    private SimulatedJournal keptJournal = journal;
    private final SimulatedRecordsFile recordsFile;

    /** Writes until the power goes in the middle of one; 0: it does not. */
    private int cutAfter;

    private long pausedUntil;
    private long pausedFrom;
    private long diedAtMicros;

    /** Whether its address refuses connections when its process has died. */
    private boolean isKnownToEnd;

    @Nullable Process process;

    /** Holds which node leads which slot, as it stands on this node's disk. */
    StoreTable table;

    StoreNode(CopiesOnStore cluster, int server) {
        this.cluster = cluster;
        this.server = server;
        SplittableRandom random = cluster.random;
        table = new StoreTable(cluster.leaders);
        recordsFile = new SimulatedRecordsFile(random, cluster.scheduler::monotonicMs);
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

        final transient StoreNode node;

        PowerCut(StoreNode node) {
            super("the power is gone", null, false, false);
            this.node = node;
        }
    }

    /** Has the power go in the middle of a write that comes soon. */
    void cutSoon(int writes) {
        cutAfter = writes;
    }

    /** Returns what it knows of leaders and their copies. */
    String describe() {
        Process there = process;
        return there == null ? "node " + server + " does not run" : there.describe();
    }

    /** Returns the process, which runs. */
    Process running() {
        return Objects.requireNonNull(process);
    }

    /** Its process starts. */
    void begin() {
        process = new Process();
        running().begin();
    }

    /** Its process dies with the power: what was not synced is lost, or some of it. */
    void crash() {
        running().end();
        process = null;
        pausedUntil = 0;
        cutAfter = 0;
        diedAtMicros = cluster.scheduler.micros();
        isKnownToEnd = cluster.takesOver && cluster.random.nextInt(3) > 0;
        if (journal.unsyncedRecords() > 0) {
            cluster.count("crashes with unsynced commits");
        }
        journal =
                cluster.random.nextInt(3) == 0 ? journal.kill() : journal.powerCut(cluster.random);
        disk = disk.crash(cluster.random);
        recordsFile.crash();
    }

    /** Keeps what its disk holds now, for {@link #setBack}. */
    void keepDisk() {
        isEndless = true;
        keptDisk = disk.durable();
        keptJournal = journal.durable();
    }

    /** Its process dies, and its disk holds what it held when it was kept. */
    void setBack() {
        crash();
        isEndless = false;
        disk = keptDisk;
        journal = keptJournal;
        DiskContents left = contents();
        for (Promises each : List.copyOf(promises.values())) {
            boolean hasSession = left.hasSession(each.queueId);
            each.entries.forEach((id, isCopied) -> {
                boolean isOwed = isCopied && !each.released.contains(id);
                if (isOwed && !left.hasEntry(each.queueId, id)) {
                    lost.computeIfAbsent(each.queueId, any -> new TreeSet<>()).add(id);
                }
            });
            if (hasSession) {
                each.setBack(left);
            } else {
                promises.remove(each.queueId);
            }
        }
    }

    /** Its disk is lost. */
    void wipe() {
        // In its place comes a node with another server id, which nobody has streams of.
        startsBefore += STARTS_OF_A_LIFE;
        disk = new SimulatedDisk(weather);
        journal = new SimulatedJournal(weather);
        table = new StoreTable(cluster.leaders);
    }

    /** Whether its process has died, and others may know that by now. */
    boolean hasEnded() {
        long sinceMicros = cluster.scheduler.micros() - diedAtMicros;
        return process == null && isKnownToEnd && sinceMicros >= ENDED_MICROS;
    }

    /** Whether others have not heard it for so long that they take it for silent. */
    boolean isSilent() {
        long micros = cluster.scheduler.micros();
        return micros < pausedUntil && micros >= pausedFrom + SILENT_MICROS;
    }

    /** Whether it did not run at some moment since then. */
    boolean wasPaused(long sinceMicros) {
        return pausedUntil > sinceMicros;
    }

    /** Its process does not run for so long. */
    void pause(long micros) {
        pausedFrom = cluster.scheduler.micros();
        pausedUntil = pausedFrom + micros;
    }

    /** Reads what its disk holds for certain at this moment. */
    DiskContents contents() {
        return DiskContents.of(disk, journal, server);
    }

    /** One start of the node. What it still had to do when it ends is never done. */
    final class Process {
        private final ArrayDeque<StoreShard.Loop> running = new ArrayDeque<>();
        private final Map<Integer, StoreLink> links = new TreeMap<>();
        private final List<FollowerCopies> followers = new ArrayList<>();
        private final List<StoreShard> shards = new ArrayList<>();
        private final List<StoreShard.Loop> loops = new ArrayList<>();
        private final DiskStore store;
        private final long startNumber;
        private boolean isOver;
        private final CopyRecords records;
        final LeaderCopies leader;
        final LedQueues led;

        /** Decides whose queues this node takes over; null: nobody's, in this run. */
        final @Nullable StoreSuccession succession;

        Process() {
            StoreLine commits = line();
            StoreLine rows = line();
            Workers workers = new Workers(commits, rows, List.of(line(), line()), line(), line());
            store =
                    new DiskStore(
                            disk,
                            journal,
                            settings,
                            cluster.scheduler,
                            workers,
                            StoreRules.ALL,
                            server);
            records = new CopyRecords(server, new RecordsFile(), cluster.rules);
            leader = new LeaderCopies(server, cluster.settings, cluster.rules, records);
            IdFloor floor = store.start(SHARDS, new Listener());
            startNumber = startsBefore + floor.startNumber();
            for (int i = 0; i < SHARDS; i++) {
                StoreShard.Loop loop = new StoreShard.Loop(this);
                StoreShard shard =
                        new StoreShard(i, loop, cluster.scheduler, store, confirmations());
                shard.ids.observe(floor.clock());
                loops.add(loop);
                shards.add(shard);
                followers.add(
                        new FollowerCopies(
                                shard,
                                store,
                                shard::execute,
                                cluster.settings.confirm(),
                                cluster.rules,
                                new DigestTurn()));
            }
            led = new LedQueues(StoreNode.this, this, startNumber);
            succession =
                    cluster.takesOver ? new StoreSuccession(StoreNode.this, this, records) : null;
            records.attach(shards.get(0)::execute);
            leader.attach(startNumber, store, shards.get(0)::execute, this::onConfirmed);
            records.quorum().attach(other -> cluster.hasEnded(StoreNode.this, other));
            store.ship(leader);
        }

        private Confirmations confirmations() {
            return leader;
        }

        private StoreLine line() {
            return new StoreLine(this, delayMicros);
        }

        private void begin() {
            store.recover(new Recovered());
            records.quorum().members(cluster.takesOver ? cluster.members() : Set.of());
            leader.begin(true);
            if (succession != null) {
                succession.begin();
            }
            later(random().nextInt(TICK_MICROS), this::tick);
            led.begin();
        }

        private void tick() {
            shards.get(0)
                    .execute(() -> {
                        if (cluster.takesOver) {
                            records.quorum().members(cluster.members());
                        }
                        records.quorum().tick(cluster.scheduler.monotonicMs());
                        leader.tick(cluster.scheduler.monotonicMs(), true);
                        if (succession != null) {
                            succession.decision.tick(cluster.scheduler.monotonicMs());
                        }
                    });
            later(TICK_MICROS, this::tick);
        }

        private void onConfirmed() {
            shards.forEach(StoreShard::onConfirmed);
        }

        private void end() {
            isOver = true;
            List.copyOf(links.values()).forEach(StoreLink::cut);
        }

        CopiesOnStore cluster() {
            return cluster;
        }

        SplittableRandom random() {
            return cluster.random;
        }

        boolean isOver() {
            return isOver;
        }

        StoreShard shard(int index) {
            return shards.get(index);
        }

        /** Does something later, unless the process has ended; after its pause, if it has one. */
        void later(long micros, Runnable task) {
            cluster.scheduler.background(
                    micros,
                    () -> {
                        if (isPaused()) {
                            later(pausedUntil - cluster.scheduler.micros() + 1, task);
                        } else if (!isOver) {
                            task.run();
                        }
                    });
        }

        boolean isPaused() {
            return cluster.scheduler.micros() < pausedUntil;
        }

        /** Does something on a shard's thread. */
        void runOn(StoreShard.Loop loop, Runnable task) {
            running.push(loop);
            try {
                task.run();
            } finally {
                running.pop();
            }
        }

        boolean isRunning(StoreShard.Loop loop) {
            return running.peek() == loop;
        }

        // ------------------------------------------------------------ links

        NodeStart start() {
            return new NodeStart(server, startNumber);
        }

        StoreNode node() {
            return StoreNode.this;
        }

        List<StoreLink> links() {
            return List.copyOf(links.values());
        }

        DiskStore store() {
            return store;
        }

        /** Whether this node gives copy sets to a follower. */
        boolean gives(BitSet copySets) {
            return copySets.stream().allMatch(records::isGiven);
        }

        void onOwner(Runnable task) {
            shards.get(0).execute(task);
        }

        void fence(int from, BitSet slots, Runnable then) {
            FollowerCopies copies = followers.get(from % SHARDS);
            shards.get(from % SHARDS).execute(() -> copies.fence(from, slots, then));
        }

        /** Whether this node serves the sessions of a slot. */
        boolean actsFor(int slot) {
            return succession == null || succession.actsFor(slot);
        }

        @Nullable StoreLink linkTo(int peer) {
            return links.get(peer);
        }

        void onLinkUp(StoreLink link) {
            links.put(link.peer().server(), link);
            shards.get(0)
                    .execute(() -> {
                        records.quorum().onUp(link);
                        leader.onUp(link);
                    });
            if (succession != null) {
                succession.onLinkUp(link);
            }
        }

        void onLinkDown(StoreLink link) {
            links.remove(link.peer().server(), link);
            long micros = random().nextInt(300_000);
            later(
                    micros,
                    () -> {
                        shards.get(0)
                                .execute(() -> {
                                    records.quorum().onDown(link);
                                    leader.onDown(link);
                                });
                        if (succession != null) {
                            onOwner(() -> succession.decision.onDown(link));
                        }
                        onFollower(link, copies -> copies.onDown(link));
                    });
        }

        void onLinkRoom(StoreLink link, TrafficClass traffic) {
            if (traffic == TrafficClass.APPENDS) {
                shards.get(0).execute(() -> leader.onRoom(link));
                onFollower(link, copies -> copies.tellMore(link));
            }
        }

        private void onFollower(PeerLink from, Consumer<FollowerCopies> task) {
            int shard = from.peer().server() % SHARDS;
            FollowerCopies copies = followers.get(shard);
            shards.get(shard).execute(() -> task.accept(copies));
        }

        /**
         * Handles a message as {@link NodeCopies} does.
         *
         * @return whether its credit goes back at once
         */
        boolean receive(PeerLink from, MessageType type, byte[] bytes) {
            if (from.state() == LinkState.DOWN) {
                return true;
            }
            ByteReader body = new ByteReader(bytes);
            StoreSuccession takeOvers = succession;
            if (takeOvers != null && type.equals(StoreTable.TYPE)) {
                onOwner(() -> takeOvers.onTable((StoreLink) from, bytes));
                return true;
            }
            if (takeOvers != null && type.equals(CopyMessages.ABOUT)) {
                CopyMessages.About about = CopyMessages.About.read(body);
                onOwner(() -> takeOvers.decision.onAbout(from, about));
                return true;
            }
            if (type.equals(CopyMessages.COUNTS)) {
                onOwner(() -> records.quorum().onCounts(from));
                return true;
            }
            long start = body.varint();
            if (type.equals(CopyMessages.AT)) {
                long opened = body.varint();
                long received = body.varint();
                long confirmed = body.varint();
                int flags = body.u8();
                shards.get(0)
                        .execute(
                                () -> leader.onAt(from, start, opened, received, confirmed, flags));
            } else if (type.equals(CopyMessages.SHOWN)) {
                shards.get(0).execute(() -> leader.onShown(from, start));
            } else if (takeOvers != null && type.equals(CopyMessages.ASK_ABOUT)) {
                CopyMessages.AskAbout asked = CopyMessages.AskAbout.read(new ByteReader(bytes));
                onOwner(() -> takeOvers.decision.onAsk(from, asked));
            } else if (type.equals(CopyMessages.SHOW)) {
                BitSet claim = CopyMessages.readClaim(body);
                List<CopyRecord> shown = CopyRecord.readAll(body);
                shards.get(0).execute(() -> records.onShow(from, start, claim, shown));
            } else if (type.equals(CopyMessages.SHOW_REFUSED)) {
                List<CopyRecord> higher = CopyRecord.readAll(body);
                shards.get(0).execute(() -> leader.onShowRefused(from, start, higher));
            } else if (type.equals(CopyMessages.HAS)) {
                CopyMessages.Has told = CopyMessages.Has.read(start, body);
                shards.get(0).execute(() -> leader.onHas(from, told));
            } else if (type.equals(CopyMessages.OPEN)) {
                long number = body.varint();
                boolean asksForHas = body.u8() != 0;
                BitSet claim = CopyMessages.readClaim(body);
                onOwner(() -> {
                    if (records.mayOpen(from.peer().server(), claim)) {
                        onFollower(
                                from,
                                copies -> copies.onOpen(from, start, number, asksForHas, claim));
                    }
                });
            } else {
                long position = body.varint();
                body.u8();
                byte[] part = body.rest();
                onFollower(
                        from, copies -> copies.onPart(from, start, position, part, bytes.length));
                return false;
            }
            return true;
        }

        /** Writes the records of who has copies, a moment later each time. */
        private final class RecordsFile implements CopyRecordsFile {
            @Override
            public byte[] load() {
                return recordsFile.load();
            }

            @Override
            public void save(byte[] changed, Runnable whenKept) {
                recordsFile.save(changed, whenKept);
                later(1 + random().nextInt(10_000), recordsFile::finish);
            }
        }

        private String describe() {
            StringBuilder text = new StringBuilder("node " + server + " start " + startNumber);
            StoreSuccession takeOvers = succession;
            for (int each : records.leaders()) {
                text.append("\n  leader ").append(each);
                if (takeOvers != null) {
                    text.append(' ').append(takeOvers.decision.state(each));
                }
                records.of(each).forEach(record -> text.append("\n    ").append(record));
            }
            text.append("\n  ").append(leader.status());
            return text.append("\n  ")
                    .append(takeOvers == null ? "" : takeOvers.describe())
                    .toString();
        }

        // ------------------------------------------------------------ what is asked at the end

        /** Reads the digests of all queues. */
        Map<Long, String> digests() {
            Map<Long, String> digests = new HashMap<>();
            boolean[] isRead = {false};
            store.describeAll(
                    new DigestReader() {
                        @Override
                        public void onQueue(QueueDigest queue) {
                            Digest digest = queue.digest();
                            digests.put(
                                    queue.queueId(),
                                    queue.clientId() + " " + digest.high() + ":" + digest.low());
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
            cluster.runUntil(() -> isRead[0], "digests");
            return digests;
        }

        /** Bytes of messages that a peer has not taken in. */
        long untakenBytes() {
            return links.values().stream().mapToLong(StoreLink::untakenBytes).sum();
        }

        private final class Listener implements StoreListener {
            @Override
            public void onExpired(long queueId, List<ExpiredRow> rows) {}

            @Override
            public void onDiskAlarm(boolean full) {}

            @Override
            public void onFailed(Throwable cause) {
                throw new IllegalStateException("the store of node " + server, cause);
            }
        }

        /** Takes what was kept of its own queues, and of other nodes' streams. */
        private final class Recovered implements Recovery {
            @Override
            public void group(TopicFilter filter, KeptGroupPart part) {
                throw new IllegalStateException("nobody has a group");
            }

            @Override
            public void session(KeptSession session) {
                led.recovered(session);
            }

            @Override
            public void retained(Message message, HybridId stamp) {
                throw new IllegalStateException("nobody retains anything");
            }

            @Override
            public void stream(int of, long start, long position) {
                followers.get(of % SHARDS).applied(of, start, position);
            }
        }
    }
}
