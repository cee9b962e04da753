package io.godwit.cluster.replication;

import io.godwit.cluster.replication.VerifyMessages.Described;
import io.godwit.cluster.transport.Handlers;
import io.godwit.cluster.transport.LinkSettings;
import io.godwit.cluster.transport.MessageHandler;
import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.core.load.NodeLoad;
import io.godwit.core.node.Broker;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.store.Confirmations;
import io.godwit.core.store.CopySets;
import io.godwit.core.store.Store;
import io.godwit.core.store.StoreMetric;
import io.godwit.core.time.Timer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Connects copies to a broker: those of its own queues on the shard that owns the topic index,
 * those of other nodes' queues on one shard for each of these nodes. Every node may follow others,
 * whatever {@code cluster.copies} says here.
 */
public final class NodeCopies implements MessageHandler {
    private final int serverId;
    private final CopySettings settings;
    private final CopyRecords records;
    private final LeaderCopies leader;

    /** Whether it leads copies, or has done so: other nodes know records of it then. */
    private final boolean isLeading;

    private final List<FollowerCopies> followers = new ArrayList<>();
    private final DigestTurn turn = new DigestTurn();
    private final ClusterVerification verification;
    private @Nullable Broker broker;
    private boolean isFull;

    /** Decides whose sessions this node takes over; null: nobody's. */
    private @Nullable Succession succession;

    /**
     * @param serverId of this node
     * @param file keeps which nodes have copies
     */
    public NodeCopies(int serverId, CopySettings settings, CopyRecordsFile file) {
        this.serverId = serverId;
        this.settings = settings;
        records = new CopyRecords(serverId, file, CopyRules.ALL);
        leader = new LeaderCopies(serverId, settings, CopyRules.ALL, records);
        isLeading = settings.mayGive() || !records.of(serverId).isEmpty();
        verification = new ClusterVerification(serverId, this::verify);
    }

    /**
     * Notes that this node has taken copy sets over in an earlier start.
     *
     * @param from server id of the former leader
     */
    public void tookOver(int from, BitSet copySets) {
        if (succession != null) {
            succession.tookOver(from, copySets);
        }
    }

    /** Tells shards what followers have confirmed. */
    public Confirmations confirmations() {
        return isLeading ? leader : Confirmations.NONE;
    }

    /** Connects it to its broker, before that recovers what it has kept. */
    public void attach(Broker made) {
        broker = made;
        Store store = made.context().store();
        for (int i = 0; i < made.shards(); i++) {
            BrokerShard shard = made.shard(i);
            followers.add(
                    new FollowerCopies(
                            shard, store, shard::execute, settings.confirm(), CopyRules.ALL, turn));
        }
        records.attach(owner()::execute);
        leader.onGroupsTaken(made::giveUpGroups);
        if (isLeading) {
            leader.attach(made.context().startNumber(), store, owner()::execute, this::onConfirmed);
        }
        if (settings.mayGive() || isLeading && store.keeps()) {
            store.ship(leader);
        }
    }

    /**
     * Has this node take over the sessions of leaders that are gone; before {@link #begin}.
     *
     * @param slots the table of this node, which also says of which take-overs a leader has to know
     *     before anything of it is applied
     * @param knowsTables whether this node has heard of all live members who leads which slots
     */
    public void succeed(
            SuccessionTimes times,
            LedSlots slots,
            BooleanSupplier knowsTables,
            Successor successor) {
        records.claims().attach(slots);
        Succession.OwnSets own =
                new Succession.OwnSets() {
                    @Override
                    public void demote(BitSet copySets, Runnable whenShown) {
                        NodeCopies.this.demote(copySets, whenShown);
                    }

                    @Override
                    public void refill(BitSet copySets) {
                        NodeCopies.this.refill(copySets);
                    }
                };
        succession =
                new Succession(
                        serverId, times, CopyRules.ALL, records, knowsTables, own, successor);
    }

    /**
     * Calls no follower of this node whole any more in some copy sets, which have to be refilled
     * once for it; on the shard that owns the topic index. To be called for the sets of slots that
     * this node has taken over, and has to load again, before {@link #begin}.
     *
     * @param whenShown run when the disks of this node and of each live one say so
     */
    public void demote(BitSet copySets, Runnable whenShown) {
        if (isLeading) {
            leader.demote(copySets, whenShown);
        } else {
            whenShown.run();
        }
    }

    /**
     * Fills some copy sets anew: this node has the queues that it takes over; on the shard that
     * owns the topic index.
     */
    public void refill(BitSet copySets) {
        if (isLeading) {
            leader.refill(copySets);
        }
    }

    /**
     * Gives copy sets of this node to their first followers, which take them over; on the shard
     * that owns the topic index.
     *
     * @param mayLead by server id of a follower
     * @return the sets that are given now
     */
    public BitSet give(BitSet copySets, IntPredicate mayLead) {
        Succession there = succession;
        if (there == null || !isLeading) {
            return new BitSet();
        }
        BitSet given = leader.give(copySets, mayLead);
        there.onLeaders(); // It notes which slots are given.
        return given;
    }

    /** Returns those of some copy sets that {@link #give} would give now; on the same shard. */
    public BitSet givable(BitSet copySets, IntPredicate mayLead) {
        return succession == null || !isLeading ? new BitSet() : leader.givable(copySets, mayLead);
    }

    /** Returns the highest position of the journal with something for followers; any thread. */
    public long written() {
        return leader.written();
    }

    /** Whether followers have confirmed everything up to a position of the journal; any thread. */
    public boolean hasAll(long position) {
        return leader.hasAll(position);
    }

    /** Notes that the table of this node has changed; on the shard that owns the topic index. */
    public void onLeaders() {
        if (isLeading) {
            leader.onLeaders();
        }
        if (succession != null) {
            succession.onLeaders();
        }
    }

    /** Whether queues of this node have copies at others; any thread. */
    public boolean hasCopies() {
        return settings.hasCopies();
    }

    /** Whether this node may give what it leads, if need be after it was copied; any thread. */
    public boolean mayGive() {
        return settings.mayGive();
    }

    /**
     * Has this node make copies of all that it leads, if it has none, since it is to give all of
     * it; on the shard that owns the topic index.
     *
     * @param givesAll false: they are needed no more
     */
    public void giveAll(boolean givesAll) {
        if (isLeading) {
            leader.giveAll(givesAll);
        }
    }

    /**
     * Copies a set to a node that is to get it, if sets have no copies: until it is given, and
     * another one is named; on the same shard.
     *
     * @param receiver its server id
     */
    public void copyFirst(int copySet, int receiver) {
        if (isLeading && !settings.hasCopies()) {
            leader.copyFirst(copySet, receiver);
        }
    }

    /** Copies no set to a node that is to get it; on the same shard. */
    public void copyNone() {
        leader.copyFirst(0, 0);
    }

    /** Whether copy sets were given that no follower has taken over yet; on the same shard. */
    public boolean isGiving() {
        return isLeading && leader.isGiving();
    }

    /**
     * Applies and confirms nothing more of a leader's stream, until that leader knows of the
     * take-over, which stands in the table of this node already. Any thread.
     *
     * @param from server id of the leader
     * @param slots that are taken over; not to be changed
     * @param then run on the shard that owns the topic index when everything that was applied is
     *     committed on this disk
     */
    public void fence(int from, BitSet slots, Runnable then) {
        int at = shardOf(from);
        broker().shard(at)
                .execute(() -> followers.get(at).fence(from, slots, () -> owner().execute(then)));
    }

    /**
     * Applies and confirms nothing more of a leader's stream until that leader has given up the
     * queues of its groups. Any thread.
     *
     * @param from server id of the leader
     * @param then run on the shard that owns the topic index when everything that was applied is
     *     committed on this disk
     */
    public void fenceForGroups(int from, Runnable then) {
        int at = shardOf(from);
        broker().shard(at)
                .execute(() -> followers.get(at).fence(from, () -> owner().execute(then)));
    }

    /**
     * Returns the leaders whose queues of groups this node has taken over, perhaps not to the end;
     * on the shard that owns the topic index, before {@link #begin}.
     */
    public List<Integer> groupsToAdopt() {
        return records.groupsToAdopt();
    }

    /** Notes that this node has adopted the queues of a leader's groups; on the same shard. */
    public void groupsAdopted(int leader) {
        records.adopted(leader);
    }

    /** Notes that a node has adopted the queues of a leader's groups; on the same shard. */
    public void onGroupsTaken(int leader, int taker) {
        records.onGroupsTaken(leader, taker);
    }

    private void onSuccession(Consumer<Succession> task) {
        Succession there = succession;
        if (there != null) {
            owner().execute(() -> task.accept(there));
        }
    }

    private void onConfirmed() {
        Broker there = broker();
        for (int i = 0; i < there.shards(); i++) {
            there.shard(i).onConfirmed();
        }
    }

    private Broker broker() {
        return Objects.requireNonNull(broker);
    }

    private BrokerShard owner() {
        return broker().shard(TopicIndex.OWNER);
    }

    /** Takes the position up to which another node's stream was applied before this start. */
    public void applied(int server, long start, long position) {
        followers.get(shardOf(server)).applied(server, start, position);
    }

    private int shardOf(int server) {
        return server % followers.size();
    }

    /**
     * Begins to choose followers; on the shard that owns the topic index.
     *
     * @param hasMembers whether other nodes belong to the cluster
     */
    public void begin(boolean hasMembers) {
        if (isLeading) {
            leader.begin(hasMembers);
        }
        BrokerShard owner = owner();
        Timer timer =
                new Timer() {
                    @Override
                    protected void onTimer(long nowMs) {
                        tick(nowMs);
                        owner.timers().arm(this, nowMs + LinkSettings.TICK_MS);
                    }
                };
        owner.timers().arm(timer, owner.nowMs());
    }

    /**
     * Whether slots of a forgotten leader may be led without their sessions, since nobody takes
     * them over; any thread.
     */
    public boolean isLost(int server, int slot) {
        return succession == null || succession.isLost(server, CopySets.ofSlot(slot));
    }

    /**
     * Notes which nodes do not belong to the cluster any more; on the shard that owns the topic
     * index.
     *
     * @param servers all of them, by server id
     */
    public void forgotten(Set<Integer> servers) {
        records.forgotten(servers);
        if (succession != null) {
            succession.forgotten(servers);
        }
    }

    /**
     * Notes which nodes belong to the cluster, this one too; on the shard that owns the topic
     * index.
     */
    public void members(Set<Integer> servers) {
        records.quorum().members(servers);
    }

    /**
     * Takes who knows which nodes have ended; before {@link #begin}.
     *
     * @param known by server id
     */
    public void hasEnded(IntPredicate known) {
        records.quorum().attach(known);
    }

    private void tick(long nowMs) {
        records.quorum().tick(nowMs);
        NodeLoad load = broker().context().load();
        boolean fullNow = load.isDiskAlarm() || load.memory().isAlarm();
        if (fullNow != isFull) {
            isFull = fullNow;
            onEachFollower(copies -> copies.full(fullNow));
        }
        if (isLeading) {
            leader.tick(nowMs, !load.isAlarm());
            load.copiesFull(leader.isFollowerFull());
        }
        if (succession != null) {
            succession.tick(nowMs);
        }
    }

    /** Tells leaders that this node stops: they choose other followers at once. Any thread. */
    public void leave() {
        onEachFollower(FollowerCopies::leave);
    }

    private void onEachFollower(Consumer<FollowerCopies> task) {
        for (int i = 0; i < followers.size(); i++) {
            FollowerCopies copies = followers.get(i);
            broker().shard(i).execute(() -> task.accept(copies));
        }
    }

    /** Returns how the copies of this node's queues stand; any thread. */
    public CopyStatus status() {
        return leader.status();
    }

    /**
     * Returns copy sets by their leader, which is out of reach: they wait for it, since too many
     * live nodes have not heard it since they started. Any thread.
     */
    public Map<Integer, BitSet> unheardLeaders() {
        return succession == null ? Map.of() : succession.unheard();
    }

    /**
     * Returns the copy sets that are lost if a node never comes back, as far as this one knows; on
     * the shard that owns the topic index.
     *
     * @param server id of that node
     */
    public BitSet lostWith(int server) {
        return Objects.requireNonNull(succession).lostWith(server);
    }

    /** Returns what is set aside of this node's copies; any thread. */
    public CopiesAside aside() {
        Store store = broker().context().store();
        return new CopiesAside(
                store.value(StoreMetric.ASIDE_QUEUES),
                store.value(StoreMetric.ASIDE_ENTRIES),
                store.value(StoreMetric.ASIDE_BYTES));
    }

    /** Bytes that are kept for followers; on the shard that owns the topic index. */
    public long bytes() {
        return leader.bytes();
    }

    // ---------------------------------------------------------------- comparing

    /**
     * Has all members compare their copies. Any thread.
     *
     * @param others server ids of the members, but for this node
     * @param then told once, on the shard that owns the topic index
     */
    public void verify(Collection<Integer> others, Consumer<ClusterVerdict> then) {
        BrokerShard owner = owner();
        owner.execute(() -> {
            boolean isTicking = verification.isAsking();
            verification.verify(others, owner.nowMs(), then);
            if (!isTicking) {
                tickVerification(owner);
            }
        });
    }

    private void tickVerification(BrokerShard owner) {
        if (verification.isAsking()) {
            Timer timer =
                    Timer.of(nowMs -> {
                        verification.tick(nowMs);
                        tickVerification(owner);
                    });
            owner.timers().arm(timer, owner.nowMs() + LinkSettings.TICK_MS);
        }
    }

    private void verify(long limitMs, Consumer<LeaderVerdict> then) {
        if (settings.hasCopies()) {
            leader.verify(turn, limitMs, then);
        } else {
            then.accept(LeaderVerdict.none());
        }
    }

    /** Counts the comparisons in which a copy of this node's queues differed; any thread. */
    public long differing() {
        return leader.differing();
    }

    /** Returns how many bytes copies of this node's queues were filled with; any thread. */
    public long filledBytes() {
        return leader.filledBytes();
    }

    /** Returns how many queues fills have left out, since the copies had them; any thread. */
    public long leftOut() {
        return leader.leftOut();
    }

    // ---------------------------------------------------------------- links and messages

    /** Any thread. */
    public void onUp(PeerLink link) {
        owner().execute(() -> {
            records.quorum().onUp(link);
            verification.onUp(link);
        });
        onLeader(() -> leader.onUp(link));
        onSuccession(of -> of.onUp(link));
    }

    /** Any thread. */
    public void onDown(PeerLink link) {
        owner().execute(() -> {
            records.quorum().onDown(link);
            verification.onDown(link);
        });
        onLeader(() -> leader.onDown(link));
        onSuccession(of -> of.onDown(link));
        onFollower(link, copies -> copies.onDown(link));
    }

    /** Any thread. */
    public void onRoom(PeerLink link, TrafficClass traffic) {
        if (traffic == TrafficClass.APPENDS) {
            onLeader(() -> leader.onRoom(link));
            onFollower(link, copies -> copies.tellMore(link));
        }
    }

    private void onAt(
            PeerLink from, long start, long opened, long received, long confirmed, int flags) {
        leader.onAt(from, start, opened, received, confirmed, flags);
        broker().context().load().copiesFull(leader.isFollowerFull());
    }

    private void onFollower(PeerLink leader, Consumer<FollowerCopies> task) {
        int at = shardOf(leader.peer().server());
        FollowerCopies copies = followers.get(at);
        broker().shard(at).execute(() -> task.accept(copies));
    }

    private void onLeader(Runnable task) {
        if (isLeading) {
            owner().execute(task);
        }
    }

    /** Has messages about copies handled here. */
    public Handlers register(Handlers handlers) {
        return handlers.with(
                        this,
                        CopyMessages.OPEN,
                        CopyMessages.PART,
                        CopyMessages.AT,
                        CopyMessages.HAS,
                        CopyMessages.REFUSED,
                        VerifyMessages.MARK,
                        VerifyMessages.DESCRIBED,
                        VerifyMessages.VERIFY,
                        VerifyMessages.VERIFIED)
                .with(
                        this::onRecords,
                        CopyMessages.SHOW,
                        CopyMessages.SHOWN,
                        CopyMessages.SHOW_REFUSED)
                .with(
                        (from, type, body, length) -> {
                            owner().execute(() -> records.quorum().onCounts(from));
                            return true;
                        },
                        CopyMessages.COUNTS)
                .with(this::onQuestion, CopyMessages.ASK_ABOUT, CopyMessages.ABOUT);
    }

    @Override
    public boolean onMessage(PeerLink from, MessageType type, ByteReader body, int length) {
        if (type.equals(VerifyMessages.DESCRIBED)) {
            Described answer = Described.read(body);
            onLeader(() -> leader.onDescribed(from, answer));
            return true;
        }
        long start = body.varint();
        if (type.equals(VerifyMessages.VERIFY)) {
            long limitMs = body.varint();
            owner().execute(() -> verification.onVerify(from, start, limitMs));
            return true;
        }
        if (type.equals(VerifyMessages.VERIFIED)) {
            LeaderVerdict verdict = LeaderVerdict.read(body);
            owner().execute(() -> verification.onVerified(from, start, verdict));
            return true;
        }
        if (type.equals(CopyMessages.AT)) {
            long opened = body.varint();
            long received = body.varint();
            long confirmed = body.varint();
            int flags = body.u8();
            onLeader(() -> onAt(from, start, opened, received, confirmed, flags));
            return true;
        }
        if (type.equals(CopyMessages.REFUSED)) {
            onLeader(() -> leader.onRefused(from, start));
            return true;
        }
        if (type.equals(CopyMessages.HAS)) {
            CopyMessages.Has told = CopyMessages.Has.read(start, body);
            onLeader(() -> leader.onHas(from, told));
            return true;
        }
        if (!broker().context().store().keeps()) {
            from.offer(new CopyMessages.Refused(start));
            return true;
        }
        int at = shardOf(from.peer().server());
        FollowerCopies copies = followers.get(at);
        if (type.equals(CopyMessages.OPEN)) {
            long number = body.varint();
            boolean asksForHas = body.u8() != 0;
            BitSet claim = CopyMessages.readClaim(body);
            owner().execute(() -> {
                if (records.mayOpen(from.peer().server(), claim)) {
                    broker().shard(at)
                            .execute(() -> copies.onOpen(from, start, number, asksForHas, claim));
                }
            });
            return true;
        }
        long position = body.varint();
        if (type.equals(VerifyMessages.MARK)) {
            VerifyMessages.Mark mark = VerifyMessages.Mark.read(body);
            broker().shard(at).execute(() -> copies.onMark(from, start, position, mark));
            return true;
        }
        body.u8(); // Its copy set: for people who look at the bytes.
        byte[] part = body.rest();
        broker().shard(at).execute(() -> copies.onPart(from, start, position, part, length));
        return false;
    }

    private boolean onRecords(PeerLink from, MessageType type, ByteReader body, int length) {
        long change = body.varint();
        if (type.equals(CopyMessages.SHOWN)) {
            onLeader(() -> leader.onShown(from, change));
            return true;
        }
        if (type.equals(CopyMessages.SHOW)) {
            BitSet claim = CopyMessages.readClaim(body);
            List<CopyRecord> shown = CopyRecord.readAll(body);
            owner().execute(() -> records.onShow(from, change, claim, shown));
        } else {
            List<CopyRecord> higher = CopyRecord.readAll(body);
            onLeader(() -> leader.onShowRefused(from, change, higher));
        }
        return true;
    }

    private boolean onQuestion(PeerLink from, MessageType type, ByteReader body, int length) {
        if (type.equals(CopyMessages.ABOUT)) {
            CopyMessages.About about = CopyMessages.About.read(body);
            onSuccession(of -> of.onAbout(from, about));
        } else {
            CopyMessages.AskAbout asked = CopyMessages.AskAbout.read(body);
            onSuccession(of -> of.onAsk(from, asked));
        }
        return true;
    }
}
