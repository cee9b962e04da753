package io.godwit.cluster.replication;

import io.godwit.cluster.transport.LinkState;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.Outgoing;
import io.godwit.cluster.transport.TestLink;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.core.id.HybridId;
import io.godwit.core.message.Digest;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.PartEncoder;
import io.godwit.core.packet.ClientId;
import io.godwit.core.shard.LoneShard;
import io.godwit.core.store.CopySets;
import io.godwit.core.store.CopyStore;
import io.godwit.core.store.DigestReader;
import io.godwit.core.store.FillAsk;
import io.godwit.core.store.FillReader;
import io.godwit.core.store.QueueDigest;
import io.godwit.core.store.ShardStore;
import io.godwit.core.store.Store;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * One leader and its followers over links that a test delays, cuts and heals. A part's body names
 * an entry of its copy set; what fills a copy names all that the set has at that moment. Each copy
 * set has one queue.
 */
final class CopyNetwork {
    static final int LEADER = 1;

    private static final int ADD = 0;
    private static final int REMOVE = 1;
    private static final int RANGE = 2;
    private static final int END = 1 << 20;
    private static final long PEER_TIMEOUT_MS = 5_000;

    private final RandomGenerator random;

    /** The members that count, as the leader is told; none: nobody but itself. */
    Set<Integer> members = Set.of();

    /** Nodes that the leader is told to have ended. */
    final Set<Integer> ended = new HashSet<>();

    CopyQuorum quorum = new CopyQuorum(0);
    private final CopyRules rules;
    private final CopySettings.Confirm confirm;
    private CopySettings settings;

    /** Slots of the leader that another node has taken over, and that not all know of. */
    final BitSet unswitched = new BitSet();

    /** Slots that the leader leads. */
    final BitSet led = new BitSet();

    final SimulatedRecordsFile leaderFile;
    LeaderCopies leader;
    private long leaderStart = 7;

    /** Its process is stopped: what comes waits. */
    boolean isLeaderStopped;

    boolean isLeaderUp = true;

    /** Copies are not filled now. */
    boolean isAlarm;

    final Map<Integer, Follower> followers = new TreeMap<>();

    /** Holds the leader's entries by copy set. */
    private final Map<Integer, BitSet> entries = new TreeMap<>();

    /** Holds the tasks of the leader's thread, in order. */
    private final Deque<Runnable> mail = new ArrayDeque<>();

    /** Answers of the leader's store that are under way. */
    private final Deque<Runnable> reads = new ArrayDeque<>();

    long nowMs;
    private long position;
    private long linkNumbers;
    private int nextEntry;

    /** Has the leader's queues described once at a time. */
    private DigestTurn turn = new DigestTurn();

    /** Whether descriptions fail now and then. */
    boolean descriptionsFail;

    /** Whether the leader's store can't describe its queues. */
    boolean describeFails;

    /** Holds the failures of comparisons of which nothing was compared. */
    final List<String> failures = new ArrayList<>();

    /** Holds the result of the last comparison; null while it is under way. */
    @Nullable LeaderVerdict verdict;

    /** Client ids of which each copy set has one queue. */
    private static final List<ClientId> CLIENTS = new ArrayList<>();

    static {
        CLIENTS.add(ClientId.of("nobody"));
        for (int set = 1; set < CopySets.GROUPS; set++) {
            int of = set;
            CLIENTS.add(
                    IntStream.iterate(0, i -> i + 1)
                            .mapToObj(i -> ClientId.of("c" + i))
                            .filter(each -> CopySets.of(each) == of)
                            .findFirst()
                            .orElseThrow());
        }
    }

    /** Returns the slot of a copy set's queue. */
    static int slot(int set) {
        return set == CopySets.GROUPS ? SlotDigests.GROUPS : CLIENTS.get(set).slot();
    }

    private boolean isVerifying;

    boolean isVerifying() {
        return isVerifying;
    }

    /** Begins a comparison of all copies. */
    void beginVerify() {
        verdict = null;
        isVerifying = true;
        mail.add(() ->
                leader.verify(
                        turn,
                        20_000,
                        found -> {
                            if (!found.failure().isEmpty()) {
                                failures.add(found.failure());
                            }
                            verdict = found;
                            isVerifying = false;
                        }));
    }

    /** Compares all copies, and lets time pass until it is over. */
    LeaderVerdict verify() {
        beginVerify();
        for (int i = 0; verdict == null && i < 300; i++) {
            pass(100);
        }
        return Objects.requireNonNull(verdict);
    }

    /** Describes what a node has, some at once and some later, as its store does. */
    private void describe(
            Map<Integer, BitSet> entriesOfSets,
            int of,
            BooleanSupplier isUnable,
            DigestReader to,
            Deque<Runnable> tasks) {
        tasks.add(() -> {
            if (isUnable.getAsBoolean()) {
                to.onFailed(new IllegalStateException("can't be read"));
                return;
            }
            Map<Integer, BitSet> then = new TreeMap<>();
            entriesOfSets.forEach((set, each) -> then.put(set, (BitSet) each.clone()));
            if (descriptionsFail && random.nextInt(20) == 0) {
                to.onFailed(new IllegalStateException("a bad moment"));
                return;
            }
            to.onMoment();
            boolean fails = descriptionsFail && random.nextInt(20) == 0;
            tasks.add(() -> {
                if (fails) {
                    to.onFailed(new IllegalStateException("a bad moment"));
                    return;
                }
                then.forEach((set, each) -> tell(set, each, of, to));
                to.onEnd();
            });
        });
    }

    private static void tell(int set, BitSet of, int leader, DigestReader to) {
        if (of.isEmpty() || !to.wants(set, leader)) {
            return;
        }
        boolean isGroup = set == CopySets.GROUPS;
        to.onQueue(
                new QueueDigest(
                        set, leader, isGroup ? null : CLIENTS.get(set), isGroup, 0, digest(of)));
    }

    private static Digest digest(BitSet of) {
        Digest digest = new Digest();
        of.stream().forEach(each -> digest.add(each, LEADER, Digest.IDLE, 0));
        return digest;
    }

    CopyNetwork(RandomGenerator random, int copies, int others) {
        this(random, copies, others, CopyRules.ALL);
    }

    CopyNetwork(RandomGenerator random, int copies, int others, CopyRules rules) {
        this.random = random;
        this.rules = rules;
        confirm =
                rules.holds(CopyRule.CONFIRM_WHEN_COMMITTED)
                        ? CopySettings.Confirm.COMMITTED
                        : CopySettings.Confirm.RECEIVED;
        settings = CopySettings.of(copies, confirm, 1L << 40).giving();
        leaderFile = new SimulatedRecordsFile(random, () -> nowMs);
        leader = leader();
        for (int set = 1; set <= CopySets.LAST; set++) {
            entries.put(set, new BitSet());
        }
        for (int i = 0; i < others; i++) {
            followers.put(LEADER + 1 + i, new Follower(LEADER + 1 + i));
        }
    }

    private LeaderCopies leader() {
        CopyRecords records = new CopyRecords(LEADER, leaderFile, rules);
        records.claims()
                .attach(
                        new LedSlots() {
                            @Override
                            public BitSet of(int server) {
                                return (BitSet) led.clone();
                            }

                            @Override
                            public BitSet unsettled() {
                                return unswitched;
                            }
                        });
        records.attach(mail::add);
        quorum = records.quorum();
        quorum.members(members);
        quorum.attach(ended::contains);
        LeaderCopies made = new LeaderCopies(LEADER, settings, rules, records);
        made.attach(leaderStart, new LeaderStore(), mail::add, () -> {});
        return made;
    }

    void begin() {
        leader.begin(true);
        followers.values().forEach(this::link);
    }

    /** The leader's process dies: what it has written is on its disk. */
    void crashLeader() {
        followers.values().forEach(Follower::dropLink);
        mail.clear();
        reads.clear();
        turn = new DigestTurn();
        isVerifying = false;
        verdict = null;
        leaderFile.crash();
        isLeaderUp = false;
        isLeaderStopped = false;
    }

    /** Has nodes take so long at most to save their records. */
    void slowFiles(int slowestMs) {
        leaderFile.slowestMs = slowestMs;
        followers.values().forEach(each -> each.file.slowestMs = slowestMs);
    }

    void restartLeader() {
        isLeaderUp = true;
        leaderStart++;
        leader = leader();
        leader.begin(true);
        followers.values().stream().filter(each -> !each.isAway).forEach(this::link);
    }

    /** The leader's process dies, and starts with another number of copies. */
    void restartLeader(int copies) {
        crashLeader();
        settings = CopySettings.of(copies, confirm, 1L << 40).giving();
        restartLeader();
    }

    boolean isLeaderRunning() {
        return isLeaderUp && !isLeaderStopped;
    }

    /** Writes an entry. Returns the position of the journal up to which it is written. */
    long write(int set) {
        int entry = nextEntry++;
        entries(set).set(entry);
        return ship(set, new ByteWriter(8).u8(set).u8(ADD).varint(entry));
    }

    /** Removes an entry at the leader, if the copy set has any. */
    void remove(int set) {
        BitSet of = entries(set);
        int entry = of.isEmpty() ? -1 : of.nextSetBit(random.nextInt(of.length()));
        if (entry >= 0) {
            of.clear(entry);
            if (of.isEmpty()) {
                ship(set, new ByteWriter(16).raw(range(set, of, 0, END))); // The queue ends.
            } else {
                ship(set, new ByteWriter(8).u8(set).u8(REMOVE).varint(entry));
            }
        }
    }

    private long ship(int set, ByteWriter body) {
        position++;
        if (leader.wants(set)) {
            leader.onPart(position, set, body.toBytes());
            leader.onCommit(position);
        }
        return position;
    }

    int lastEntry() {
        return nextEntry - 1;
    }

    /** Replaces what a copy has in [from, to). */
    private static byte[] range(int set, BitSet of, int from, int to) {
        List<Integer> named =
                of.stream().filter(each -> each >= from && each < to).boxed().toList();
        ByteWriter body = new ByteWriter(16).u8(set).u8(RANGE).varint(from).varint(to);
        body.varint(named.size());
        named.forEach(body::varint);
        return body.toBytes();
    }

    private static void apply(byte[] body, BitSet to) {
        ByteReader in = new ByteReader(body);
        switch (in.u8()) {
            case ADD -> to.set((int) in.varint());
            case REMOVE -> to.clear((int) in.varint());
            default -> {
                to.clear((int) in.varint(), (int) in.varint());
                for (int left = in.size(); left > 0; left--) {
                    to.set((int) in.varint());
                }
            }
        }
    }

    void link(Follower to) {
        to.isAway = false;
        ended.remove(to.server);
        if (to.there == null && isLeaderUp) {
            long number = ++linkNumbers;
            Wire there = new Wire(new NodeStart(to.server, to.start), number);
            Wire back = new Wire(new NodeStart(LEADER, leaderStart), number);
            there.other = back;
            back.other = there;
            to.there = there;
            mail.add(() -> {
                quorum.onUp(there);
                leader.onUp(there);
            });
        }
    }

    void cut(Follower from) {
        from.isAway = true;
        Wire there = from.there;
        if (there != null) {
            from.dropLink();
            mail.add(() -> {
                quorum.onDown(there);
                leader.onDown(there);
            });
        }
    }

    /** Does one thing that is due, if there is any. */
    boolean step() {
        List<Runnable> can = new ArrayList<>();
        if (!mail.isEmpty() && !isLeaderStopped) {
            can.add(() -> mail.remove().run());
        }
        if (!reads.isEmpty() && !isLeaderStopped) {
            can.add(() -> reads.remove().run());
        }
        if (leaderFile.isDue() && !isLeaderStopped) {
            can.add(leaderFile::finish);
        }
        for (Follower each : followers.values()) {
            Wire there = each.there;
            Wire back = there == null ? null : there.other;
            if (there != null && back != null && !there.sent.isEmpty() && !each.isStopped) {
                can.add(() -> each.receive(back, there.sent.remove()));
            }
            if (there != null && back != null && !back.sent.isEmpty() && !isLeaderStopped) {
                can.add(() -> said(there, back.sent.remove()));
            }
            if (!each.reads.isEmpty()
                    && !each.isStopped
                    && !each.isDiskStopped
                    && !each.readsWait) {
                can.add(() -> {
                    each.reads.remove().run();
                    each.shard.onTurnEnd();
                });
            }
            if (!each.store.closed.isEmpty() && !each.isStopped && !each.isDiskStopped) {
                can.add(each::commit);
            }
            if (each.file.isDue() && !each.isStopped && !each.isDiskStopped) {
                can.add(each.file::finish);
            }
        }
        if (can.isEmpty()) {
            return false;
        }
        can.get(random.nextInt(can.size())).run();
        return true;
    }

    void settle() {
        while (step()) {}
    }

    /** Time passes, and everything happens that can. */
    void pass(long ms) {
        for (long gone = 0; gone < ms; gone += 100) {
            advance();
            settle();
        }
    }

    /** Time passes, and some of what can happen does. */
    void passSome() {
        advance();
        for (int i = random.nextInt(40); i > 0 && step(); i--) {}
    }

    private void advance() {
        nowMs += 100;
        if (isLeaderRunning()) {
            long now = nowMs;
            mail.add(() -> {
                tellThatTheyCount();
                quorum.tick(now);
                leader.tick(now, !isAlarm);
            });
            followers.values().forEach(each -> each.passed(100));
        }
    }

    /** Followers that have started say that they count when the leader hears most of them. */
    private void tellThatTheyCount() {
        long away = followers.values().stream().filter(each -> each.there == null).count();
        if (2 * away <= followers.size()) {
            for (Follower each : followers.values()) {
                if (each.there != null) {
                    quorum.onCounts(each.there);
                }
            }
        }
    }

    private void said(Wire at, byte[] message) {
        ByteReader in = new ByteReader(message);
        int code = in.u8() + 100;
        if (code == VerifyMessages.DESCRIBED.code()) {
            VerifyMessages.Described answer = VerifyMessages.Described.read(in);
            mail.add(() -> leader.onDescribed(at, answer));
            return;
        }
        long start = in.varint();
        if (code == CopyMessages.SHOWN.code()) {
            mail.add(() -> leader.onShown(at, start));
            return;
        }
        if (code == CopyMessages.SHOW_REFUSED.code()) {
            List<CopyRecord> higher = CopyRecord.readAll(in);
            mail.add(() -> leader.onShowRefused(at, start, higher));
            return;
        }
        if (code == CopyMessages.REFUSED.code()) {
            mail.add(() -> leader.onRefused(at, start));
            return;
        }
        if (code == CopyMessages.HAS.code()) {
            CopyMessages.Has told = CopyMessages.Has.read(start, in);
            Follower teller = followers.get(at.peer().server());
            if (teller != null) {
                teller.told.add(told.queueIds());
            }
            mail.add(() -> leader.onHas(at, told));
            return;
        }
        long opened = in.varint();
        long received = in.varint();
        long confirmed = in.varint();
        int flags = in.u8();
        mail.add(() -> leader.onAt(at, start, opened, received, confirmed, flags));
    }

    /** Followers of which the disk has an entry. */
    Set<Integer> having(int set, int entry) {
        Set<Integer> all = new TreeSet<>();
        for (Follower each : followers.values()) {
            if (each.durable.getOrDefault(set, new BitSet()).get(entry)) {
                all.add(each.server);
            }
        }
        return all;
    }

    /**
     * Says what is wrong with what live members know: a node that a record on the disk of one of
     * them calls whole has to have everything that was acknowledged.
     *
     * @param acknowledged entries of the copy set
     * @return empty when nothing is
     */
    String wrongRecords(int set, BitSet acknowledged) {
        BitSet needed = (BitSet) acknowledged.clone();
        needed.and(entries(set));
        StringBuilder wrong = new StringBuilder();
        look(set, "the leader", leaderFile, needed, wrong);
        for (Follower each : followers.values()) {
            if (each.isTold()) {
                look(set, "node " + each.server, each.file, needed, wrong);
            }
        }
        return wrong.toString();
    }

    private void look(
            int set, String who, SimulatedRecordsFile file, BitSet needed, StringBuilder wrong) {
        for (CopyRecord record : file.records()) {
            for (int server : record.copySet() == set ? record.whole() : List.<Integer>of()) {
                Follower whole = Objects.requireNonNull(followers.get(server));
                BitSet missing = (BitSet) needed.clone();
                missing.andNot(whole.durable.getOrDefault(set, new BitSet()));
                if (!missing.isEmpty() && !whole.wasWiped(record)) {
                    wrong.append(
                            "%s knows %s, and node %d lacks %s; "
                                    .formatted(who, record, server, missing));
                }
            }
        }
    }

    BitSet entries(int set) {
        return Objects.requireNonNull(entries.get(set));
    }

    /** The end of a link at one node. */
    final class Wire extends TestLink {
        final Deque<byte[]> sent = new ArrayDeque<>();
        private final NodeStart peer;
        private final long number;
        @Nullable Wire other;
        boolean isDown;
        boolean isSilent;

        /** The last change that was shown, or that was answered for, by this end. */
        private long change;

        /** The change that the node has to have seen before it is live again: it was silent. */
        private long isOwed = 1;

        Wire(NodeStart peer, long number) {
            this.peer = peer;
            this.number = number;
        }

        @Override
        public NodeStart peer() {
            return peer;
        }

        @Override
        public long number() {
            return number;
        }

        @Override
        public LinkState state() {
            return isDown ? LinkState.DOWN : isSilent ? LinkState.SILENT : LinkState.UP;
        }

        @Override
        public boolean hasRoom(TrafficClass traffic) {
            return sent.size() < 50;
        }

        @Override
        public boolean offer(Outgoing message) {
            if (!isDown) {
                switch (message) {
                    case CopyMessages.Show show -> change = show.change();
                    case CopyMessages.Shown shown -> change = shown.change();
                    default -> {}
                }
                ByteWriter to = new ByteWriter(64).u8(message.type().code() - 100);
                message.write(to, 1);
                sent.add(to.toBytes());
            }
            return !isDown;
        }
    }

    /** A node that follows. */
    final class Follower {
        final int server;
        long start = 1;
        boolean isStopped;
        boolean isDiskStopped;

        /** Slots of which it has sessions that are no copies of the leader's yet. */
        final BitSet served = new BitSet();

        /** Whether it has yet to hear of a take-over: it gives no answer to records. */
        boolean lacksTakeovers;

        /** Its store begins no description. */
        boolean readsWait;

        /** Its store can't describe its copies. */
        boolean describeFails;

        /** It has no disk. */
        boolean refuses;

        /** Holds the queue ids of its messages that told of its copies. */
        final List<long[]> told = new ArrayList<>();

        /** It has no link, and gets none when the leader comes. */
        boolean isAway;

        @Nullable Wire there;

        private long silentMs;

        /** By copy set: whether it was wiped, and stands in the leader's record all the same. */
        private final BitSet wiped = new BitSet();

        /** By copy set: the leader's first record after it was wiped. */
        private final Map<Integer, CopyRecord> afterWipe = new TreeMap<>();

        final SimulatedRecordsFile file = new SimulatedRecordsFile(random, () -> nowMs);
        private CopyRecords records;

        /** Holds the entries on its disk by copy set. */
        final Map<Integer, BitSet> durable = new TreeMap<>();

        private long streamStart;
        private long streamPosition;
        FollowerStore store = new FollowerStore(this);

        /** Descriptions that are under way. */
        Deque<Runnable> reads = new ArrayDeque<>();

        /** Is taken while this node describes its queues. */
        DigestTurn turn = new DigestTurn();

        LoneShard shard = shard();
        FollowerCopies copies = copies();

        Follower(int server) {
            this.server = server;
            records = records();
        }

        private CopyRecords records() {
            CopyRecords made = new CopyRecords(server, file, rules);
            made.attach(Runnable::run);
            return made;
        }

        private void dropLink() {
            Wire end = there;
            if (end != null) {
                end.isDown = true;
                if (end.other != null) {
                    end.other.isDown = true;
                }
            }
            there = null;
        }

        /**
         * The leader has run for so long: a node that is stopped falls silent, and is heard again.
         */
        private void passed(long ms) {
            silentMs = isStopped ? silentMs + ms : 0;
            Wire end = there;
            if (end != null) {
                boolean isSilent = silentMs >= PEER_TIMEOUT_MS;
                if (end.isSilent && !isSilent) {
                    end.isOwed = Math.max(1, end.change);
                }
                end.isSilent = isSilent;
            }
            if (!wiped.isEmpty()) {
                for (CopyRecord each : leader.records()) {
                    if (wiped.get(each.copySet()) && !each.whole().contains(server)) {
                        wiped.clear(each.copySet());
                        afterWipe.put(each.copySet(), each);
                    }
                }
            }
        }

        /**
         * Whether the leader has a link to it that is up, and it has on its disk what it was shown
         * when that came up.
         */
        boolean isTold() {
            Wire end = there;
            return end != null
                    && end.other != null
                    && end.state() == LinkState.UP
                    && end.change > 0
                    && end.other.change >= end.isOwed;
        }

        /**
         * Whether it was wiped after it came into a record: a new disk makes another node of it.
         */
        boolean wasWiped(CopyRecord record) {
            CopyRecord after = afterWipe.get(record.copySet());
            return wiped.get(record.copySet()) || after != null && after.isAbove(record);
        }

        private FollowerCopies copies() {
            return new FollowerCopies(shard, copyStore(), Runnable::run, confirm, rules, turn);
        }

        private CopyStore copyStore() {
            return (CopyStore)
                    Proxy.newProxyInstance(
                            CopyStore.class.getClassLoader(),
                            new Class<?>[] {CopyStore.class},
                            (proxy, method, arguments) -> {
                                if (method.getName().equals("describeAll")) {
                                    describe(
                                            durable,
                                            LEADER,
                                            () -> describeFails,
                                            (DigestReader) arguments[0],
                                            reads);
                                    return null;
                                }
                                if (method.getName().equals("describeCopies")) {
                                    @SuppressWarnings("unchecked")
                                    Consumer<List<Digest>> described =
                                            (Consumer<List<Digest>>) arguments[1];
                                    describeCopies((long[]) arguments[0], described);
                                    return null;
                                }
                                @SuppressWarnings("unchecked")
                                Consumer<long[]> then = (Consumer<long[]>) arguments[1];
                                then.accept(
                                        durable.entrySet().stream()
                                                .filter(each -> !each.getValue().isEmpty())
                                                .mapToLong(Map.Entry::getKey)
                                                .toArray());
                                return null;
                            });
        }

        /** Reads what is on the disk some time later, and tells it later still. */
        private void describeCopies(long[] queueIds, Consumer<List<Digest>> then) {
            reads.add(() -> {
                List<Digest> digests =
                        LongStream.of(queueIds)
                                .mapToObj(set ->
                                        digest(durable.getOrDefault((int) set, new BitSet())))
                                .toList();
                reads.add(() -> then.accept(digests));
            });
        }

        private LoneShard shard() {
            Store all =
                    (Store)
                            Proxy.newProxyInstance(
                                    Store.class.getClassLoader(),
                                    new Class<?>[] {Store.class},
                                    (proxy, method, arguments) -> store.part);
            return new LoneShard(all);
        }

        void receive(Wire from, byte[] message) {
            ByteReader in = new ByteReader(message);
            int code = in.u8() + 100;
            if (code == CopyMessages.COUNTS.code()) {
                return; // Followers take nobody's sets over here.
            }
            long of = in.varint();
            if (code == CopyMessages.SHOW.code()) {
                BitSet claim = CopyMessages.readClaim(in);
                if (!lacksTakeovers) {
                    records.onShow(from, of, claim, CopyRecord.readAll(in));
                }
                return;
            }
            if (refuses) {
                from.offer(new CopyMessages.Refused(of));
                return;
            }
            if (code == CopyMessages.OPEN.code()) {
                long number = in.varint();
                boolean asksForHas = in.u8() != 0;
                BitSet claim = CopyMessages.readClaim(in);
                if (!claim.intersects(served)) {
                    copies.onOpen(from, of, number, asksForHas, claim);
                }
            } else {
                long at = in.varint();
                if (code == VerifyMessages.MARK.code()) {
                    copies.onMark(from, of, at, VerifyMessages.Mark.read(in));
                    shard.onTurnEnd();
                    return;
                }
                in.u8();
                copies.onPart(from, of, at, in.rest(), message.length);
                shard.onTurnEnd();
            }
        }

        /** Asks it of which queues it has copies. */
        void ask() {
            Wire back = Objects.requireNonNull(there).other;
            copies.onOpen(Objects.requireNonNull(back), streamStart, 0, true, new BitSet());
            shard.onTurnEnd();
        }

        /** It has forgotten the leader, or knows it again. */
        void forget(boolean isForgotten) {
            records.forgotten(isForgotten ? Set.of(LEADER) : Set.of());
        }

        void commit() {
            store.commit();
            shard.onMail();
        }

        /** Its process dies: what is not on its disk is lost. */
        void crash() {
            cut(this);
            start++;
            isStopped = false;
            file.crash();
            records = records();
            store = new FollowerStore(this);
            reads = new ArrayDeque<>();
            turn = new DigestTurn();
            shard = shard();
            copies = copies();
            if (streamStart > 0) {
                copies.applied(LEADER, streamStart, streamPosition);
            }
        }

        /** Its disk is lost. */
        void wipe() {
            durable.clear();
            streamStart = 0;
            afterWipe.clear();
            wiped.set(1, CopySets.LAST + 1);
            file.wipe();
            crash();
        }
    }

    /** Applies parts to a follower's disk when it commits. */
    static final class FollowerStore {
        /** A commit that is closed and not on the disk yet. */
        private record Closed(long commit, List<Runnable> parts) {}

        private final Follower of;
        final ShardStore part;
        final Deque<Closed> closed = new ArrayDeque<>();
        private List<Runnable> open = new ArrayList<>();
        private long commit = 1;

        FollowerStore(Follower of) {
            this.of = of;
            part =
                    (ShardStore)
                            Proxy.newProxyInstance(
                                    ShardStore.class.getClassLoader(),
                                    new Class<?>[] {ShardStore.class},
                                    (proxy, method, arguments) ->
                                            answer(method.getName(), arguments));
        }

        @SuppressWarnings("NullAway") // as a proxy answers
        private Object answer(String method, Object[] arguments) {
            switch (method) {
                case "apply" ->
                        apply((long) arguments[1], (long) arguments[2], (byte[]) arguments[3]);
                case "openCommit" -> {
                    return commit;
                }
                case "isDirty" -> {
                    return !open.isEmpty();
                }
                case "commit" -> {
                    closed.add(new Closed(commit++, open));
                    open = new ArrayList<>();
                }
                default -> throw new AssertionError(method);
            }
            return null;
        }

        private void apply(long start, long position, byte[] body) {
            open.add(() -> {
                of.streamStart = start;
                of.streamPosition = position;
                if (Arrays.equals(body, PartEncoder.nothing(LEADER))) {
                    return;
                }
                ByteReader in = new ByteReader(body);
                int set = in.u8();
                CopyNetwork.apply(in.rest(), of.durable.computeIfAbsent(set, any -> new BitSet()));
            });
        }

        private void commit() {
            Closed first = closed.remove();
            first.parts.forEach(Runnable::run);
            of.shard.onCommitted(first.commit, 0);
        }
    }

    /** The leader's store: a piece is read at a moment, and comes later. */
    private final class LeaderStore implements CopyStore {
        @Override
        public void readFill(FillAsk ask, FillReader to) {
            reads.add(() -> {
                to.onMoment();
                int set = (int) ask.queueIds()[0];
                boolean isFirst = ask.above().equals(HybridId.NONE);
                int half = isFirst ? entries(set).length() / 2 : (int) ask.above().clock();
                List<byte[]> pages = new ArrayList<>();
                FillAsk rest = null;
                int leftOut = 0;
                if (ask.queueIds().length > 1) { // These have ended.
                    for (long each : ask.queueIds()) {
                        pages.add(range((int) each, entries((int) each), 0, END));
                    }
                } else if (isFirst
                        && !entries(set).isEmpty()
                        && ask.copied().isSame(set, digest(entries(set)))) {
                    leftOut = 1;
                } else if (isFirst) {
                    pages.add(range(set, entries(set), 0, half));
                    rest = ask.rest(ask.queueIds(), new HybridId(half, 1));
                } else {
                    pages.add(range(set, entries(set), half, END));
                }
                FillAsk left = rest;
                int equal = leftOut;
                if (random.nextInt(10) == 0) {
                    reads.add(() -> to.onFailed(new IllegalStateException("a bad moment")));
                } else {
                    reads.add(() -> to.onRead(pages, equal, left));
                }
            });
        }

        @Override
        public void queuesOf(int copySet, Consumer<long[]> then) {
            reads.add(() ->
                    then.accept(entries(copySet).isEmpty() ? new long[0] : new long[] {copySet}));
        }

        @Override
        public void adoptedOf(int copySet, Consumer<List<byte[]>> then) {
            reads.add(() -> then.accept(List.of()));
        }

        @Override
        public void copiesOf(int of, Consumer<long[]> then) {
            throw new IllegalStateException("follows nobody");
        }

        @Override
        public void notLedOf(long[] queueIds, Consumer<long[]> then) {
            reads.add(() ->
                    then.accept(
                            LongStream.of(queueIds)
                                    .filter(each -> entries((int) each).isEmpty())
                                    .toArray()));
        }

        @Override
        public void countQueues(Consumer<int[]> then) {
            reads.add(() -> then.accept(new int[CopySets.LAST + 1]));
        }

        @Override
        public void describeAll(DigestReader to) {
            describe(entries, QueueDigest.THIS_NODE, () -> describeFails, to, reads);
        }
    }
}
