package io.godwit.cluster.broker;

import io.godwit.cluster.leadership.AssignmentsFile;
import io.godwit.cluster.leadership.Epoch;
import io.godwit.cluster.membership.Nodes;
import io.godwit.cluster.publish.HeardNodes;
import io.godwit.cluster.publish.LeaderAway;
import io.godwit.cluster.publish.ShardStreams;
import io.godwit.cluster.publish.SwitchOvers;
import io.godwit.cluster.publish.WaitingPublishers;
import io.godwit.cluster.question.Answerer;
import io.godwit.cluster.question.QuestionKinds;
import io.godwit.cluster.question.Questions;
import io.godwit.cluster.question.Reply;
import io.godwit.cluster.remote.Buffers;
import io.godwit.cluster.remote.ChannelCounters;
import io.godwit.cluster.replication.ClusterVerdict;
import io.godwit.cluster.replication.CopiesAside;
import io.godwit.cluster.replication.CopyRecordsFile;
import io.godwit.cluster.replication.CopySettings;
import io.godwit.cluster.replication.CopyStatus;
import io.godwit.cluster.replication.NodeCopies;
import io.godwit.cluster.replication.SuccessionTimes;
import io.godwit.cluster.retained.RetainedSync;
import io.godwit.cluster.routes.NodeRoutes;
import io.godwit.cluster.stream.ArrivingNames;
import io.godwit.cluster.stream.OutStream;
import io.godwit.cluster.stream.SecurityDigests;
import io.godwit.cluster.stream.StreamMessage;
import io.godwit.cluster.stream.StreamMessages;
import io.godwit.cluster.stream.StreamName;
import io.godwit.cluster.stream.StreamRecord;
import io.godwit.cluster.stream.StreamRule;
import io.godwit.cluster.stream.StreamRules;
import io.godwit.cluster.transport.Handlers;
import io.godwit.cluster.transport.LinkSettings;
import io.godwit.cluster.transport.LinkState;
import io.godwit.cluster.transport.MessageHandler;
import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.PeerListener;
import io.godwit.cluster.transport.Resumed;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.cluster.transport.Unconfirmed;
import io.godwit.core.ack.EveryNode;
import io.godwit.core.ack.Receipt;
import io.godwit.core.ack.Takers;
import io.godwit.core.connection.Placement;
import io.godwit.core.group.HandOverAnswer;
import io.godwit.core.id.IngressId;
import io.godwit.core.index.FilterSpread;
import io.godwit.core.message.CameBefore;
import io.godwit.core.node.Broker;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.node.Cluster;
import io.godwit.core.node.NodeCounts;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.publish.NodeSender;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.session.Goodbye;
import io.godwit.core.shard.PauseWatch;
import io.godwit.core.store.Confirmations;
import io.godwit.core.store.CopySets;
import io.godwit.core.store.Receiver;
import io.godwit.core.time.Timer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Wires one broker's part in its cluster: leaders of slots, remote connections, routes, publishes
 * and retained messages between nodes.
 *
 * <p>Links call on threads of their own; everything here happens on the shards, by mail. The shard
 * that owns the topic index decides who is away and when the node knows enough to serve. A method
 * for each thing that links, shards and the node's start and end have to tell: hence its length.
 */
public final class BrokerCluster implements Cluster, MessageHandler, PeerListener {
    /** How often the filters of members out of reach are asked for. */
    private static final long ASK_MS = 1_000;

    /**
     * Limits how often it is asked who has taken over the queues of a forgotten node's groups, once
     * others lead its slots and while all members are heard: after that they count as lost.
     */
    private static final int GROUPS_ASKED = 10;

    private final ClusterTimes times;
    private final StreamRules rules;
    private final NodeRoutes routes;
    private final PauseWatch pauses;
    private final int serverId;
    private final Buffers buffers;
    private long ownStart;
    private final List<ShardStreams> streams = new ArrayList<>();
    private final ShardStreams.Maker maker;
    private final ArrivingNames names = new ArrivingNames();
    private final ForgottenNodes forgotten;

    /**
     * Counts, by server id of a forgotten node that leads nothing, how often no member knew who has
     * taken over its groups' queues; on the shard that owns the topic index.
     */
    private final Map<Integer, Integer> groupsUnknown = new HashMap<>(0);

    /**
     * Holds the server ids of the members of the cluster; on the shard that owns the topic index.
     */
    private Set<Integer> members = Set.of();

    private final HeardNodes heard = new HeardNodes();
    private final NodeCopies copies;

    private @Nullable Broker broker;
    private @Nullable RetainedSync retained;
    private @Nullable AfterPause afterPause;
    private @Nullable AwayTimers awayTimers;
    private @Nullable Readiness readiness;
    private @Nullable ClearWays clearWays;
    private @Nullable SlotLeadership slots;
    private @Nullable SwitchOvers switchOvers;
    private @Nullable TakeOvers takeOvers;
    private @Nullable Transfers transfers;
    private @Nullable GivingPause givingPause;
    private @Nullable MissedTakeOvers missed;

    /** Server ids of former leaders whose answers do not count here. */
    private Set<Integer> answersHeldOf = Set.of();

    private final List<ShardPlacement> placements = new ArrayList<>();
    private @Nullable NodeClients clients;
    private @Nullable Questions questions;
    private final QuestionKinds answerers = new QuestionKinds();
    private @Nullable HandOverPages handOvers;

    /** Once the node leaves. */
    private volatile @Nullable PassedOnGroups groups;

    private volatile Set<Integer> unknownMembers = Set.of();

    private volatile LongSupplier observedClock = () -> 0;

    /** Knows which nodes have ended, by server id. */
    private volatile IntPredicate ended = server -> false;

    // What follows belongs to the shard that owns the topic index.
    private final Map<Integer, PeerLink> links = new HashMap<>();
    private final CountsOfNodes counts = new CountsOfNodes();
    private final SecurityFiles securityFiles =
            new SecurityFiles(server -> streams.get(TopicIndex.OWNER).shared(server));

    /** Whether publishers wait, since sessions were taken over or are given. */
    private boolean isHolding;

    /**
     * @param serverId of this node
     * @param copyRecords keeps which nodes have copies of which leader's queues
     */
    public BrokerCluster(
            int serverId,
            ClusterTimes times,
            LeaderAway leaderAway,
            CopySettings copies,
            CopyRecordsFile copyRecords,
            StreamRules rules) {
        this(serverId, times, leaderAway, copies, copyRecords, rules, Buffers.POOLED);
    }

    /**
     * @param buffers that connections of clients at other nodes encode into
     */
    BrokerCluster(
            int serverId,
            ClusterTimes times,
            LeaderAway leaderAway,
            CopySettings copies,
            CopyRecordsFile copyRecords,
            StreamRules rules,
            Buffers buffers) {
        this.buffers = buffers;
        this.copies = new NodeCopies(serverId, copies, copyRecords);
        this.serverId = serverId;
        this.rules = rules;
        this.pauses = new PauseWatch(TopicIndex.OWNER, times.peerTimeoutMs() / 2);
        this.times = times;
        this.routes = new NodeRoutes(rules, pauses);
        this.forgotten =
                new ForgottenNodes(
                        this::onEachShard,
                        task -> owner().execute(task),
                        this::isOver,
                        this::forget,
                        this::drop);
        this.maker =
                new ShardStreams.Maker(serverId, rules, leaderAway, this::onShared, pauses, heard);
    }

    // ---------------------------------------------------------------- wiring

    @Override
    public FilterSpread filters() {
        return routes;
    }

    @Override
    public PauseWatch pauses() {
        return pauses;
    }

    @Override
    public Confirmations confirmations() {
        return copies.confirmations();
    }

    @Override
    public void applied(int server, long start, long position) {
        copies.applied(server, start, position);
    }

    @Override
    public NodeSender sender(BrokerShard shard) {
        ShardStreams made = maker.next(shard);
        streams.add(made);
        return made.sender();
    }

    @Override
    public Placement placement(BrokerShard shard) {
        ShardPlacement made = new ShardPlacement();
        placements.add(made);
        return made;
    }

    @Override
    public void mayBeSentAgain(Set<IngressId> publishes) {
        publishes.forEach(streams.get(TopicIndex.OWNER)::mayBeSentAgain);
    }

    @Override
    public EveryNode others() {
        return streams.get(TopicIndex.OWNER).everyNode();
    }

    @Override
    public void remembered(IngressId publish, Takers by) {
        streams.get(TopicIndex.OWNER).remembered(publish, by);
    }

    @Override
    public void adopted(int leader, Set<IngressId> publishes, Map<IngressId, Takers> remembered) {
        streams.get(TopicIndex.OWNER).adopted(leader, publishes, remembered);
    }

    @Override
    public boolean actsFor(int slot) {
        return slots().leaders().acts(slot);
    }

    @Override
    public void askLeader(
            TopicFilter group, Receiver to, IngressId id, Consumer<HandOverAnswer> taker) {
        Objects.requireNonNull(handOvers).ask(group, to, id, taker);
    }

    @Override
    public List<NodeCounts> counts() {
        return counts.others();
    }

    @Override
    public void addCame(CameBefore.Builder to, long nowMs) {
        for (ShardStreams each : streams) {
            each.addTo(to, nowMs);
        }
    }

    @Override
    public boolean mayComeAgain(CameBefore before, long nowMs) {
        for (int i = 0; i < before.size(); i++) {
            if (mayComeAgain(before, i, nowMs)) {
                return true;
            }
        }
        return false;
    }

    private boolean mayComeAgain(CameBefore before, int of, long nowMs) {
        int shard = StreamName.arrivesAt(before.number(of), streams.size());
        return streams.get(shard).mayComeAgain(before, of, nowMs);
    }

    @Override
    public io.godwit.core.id.@Nullable Epoch newerLeader(int slot) {
        Epoch epoch = slots().newerLeader(slot);
        return epoch == null ? null : new io.godwit.core.id.Epoch(epoch.changes(), epoch.server());
    }

    /** Which messages come here; called after {@link #attach}. */
    public Handlers register(Handlers handlers) {
        return copies.register(clients().register(handlers))
                .with(this, StreamMessages.types())
                .with(this, CountsOfNodes.messages())
                .with(this, Questions.messages());
    }

    /** Notes who belongs to the cluster and who is live; any thread, in the order of changes. */
    public void onNodes(Nodes nodes) {
        slots().onNodes(nodes);
        if (takesOver()) {
            Set<Integer> servers = new HashSet<>();
            nodes.members().forEach(each -> servers.add(each.server()));
            owner().execute(() -> {
                members = servers;
                copies.members(servers);
            });
        }
    }

    /**
     * Takes who knows which nodes have ended, before the shards run.
     *
     * @param known by server id
     */
    public void observeEnded(IntPredicate known) {
        copies.hasEnded(known);
        ended = known;
    }

    /** Takes the clock that links lift to what other nodes have sent; any thread reads it. */
    public void observe(LongSupplier clock) {
        observedClock = clock;
    }

    /**
     * Called once, with the broker that was made with this, before it recovers what it has kept.
     *
     * @param assignments keeps which node leads which slot
     */
    public void attach(Broker made, AssignmentsFile assignments) {
        broker = made;
        copies.attach(made);
        clearWays = new ClearWays(serverId, made, streams);
        maker.connect(clearWays::whenAllClear);
        ownStart = made.context().startNumber();
        BrokerShard owner = made.shard(TopicIndex.OWNER);
        ShardStreams shared = streams.get(TopicIndex.OWNER);
        routes.attach(
                shared,
                made.index(),
                () -> owner.atTurnEnd(routes::tellChanges),
                owner::slice,
                owner.load()::sessionBytes);
        RetainedSync sync = new RetainedSync(shared, owner.indexOwner());
        retained = sync;
        readiness =
                new Readiness(
                        routes::isComplete,
                        sync::isComplete,
                        () -> routes.knowsMembers() && slots().isSettled(),
                        () -> onEachShard(ShardStreams::allKnown),
                        () -> onEachShard(ShardStreams::ready));
        afterPause =
                new AfterPause(
                        pauses,
                        times,
                        rules,
                        routes,
                        owner,
                        shared,
                        () -> awayTimers().again(),
                        () -> onEachShard(ShardStreams::goOn));
        awayTimers =
                new AwayTimers(
                        owner,
                        times.peerTimeoutMs(),
                        () -> afterPause().isDue(),
                        server -> {
                            onEachShard(of -> of.onAway(server));
                            retained().onAway(server);
                        });
        counts.attach(made);
        Questions asking = new Questions(owner::execute, owner::nowMs);
        asking.answerer(answerers);
        questions = asking;
        NodeStart self = new NodeStart(serverId, ownStart);
        NodeClients clients =
                new NodeClients(
                        made,
                        self,
                        times,
                        buffers,
                        placements,
                        rows -> slots().merge(rows),
                        () -> observedClock.getAsLong(),
                        server -> ended.test(server));
        this.clients = clients;
        SlotLeadership slots = new SlotLeadership(self, times, owner, shared, clients, assignments);
        slots.addListener(clients::onLeaders);
        this.slots = slots;
        HandOverPages pages = new HandOverPages(made, asking, slots::leaders);
        answerers.answerer(QuestionKinds.Kind.HAND_OVERS, pages);
        handOvers = pages;
        SwitchOvers overs =
                new SwitchOvers(
                        serverId,
                        streams,
                        routes,
                        rules,
                        (server, loadedBy) -> slots.leaders().leadsNothing(server, loadedBy));
        switchOvers = overs;
        missed = new MissedTakeOvers(serverId, overs, links::containsKey);
        slots.addListener(now -> {
            for (int slot = 0; slot < now.size(); slot++) {
                Epoch epoch = now.epoch(slot);
                if (epoch != null && epoch.from() == 0) {
                    overs.onLeader(slot, epoch.server(), epoch.changes());
                }
                if (epoch != null && epoch.server() != serverId) {
                    takeOvers().onOtherLeader(slot);
                }
            }
            forgotten.look(); // First: what is dropped is counted.
            overs.look();
        });
        slots.addListener(now -> holdPublishers());
        TakeOvers takeOvers = new TakeOvers(made, self, streams, copies, overs);
        this.takeOvers = takeOvers;
        clients.attach(takeOvers);
        BitSet takenOver = new BitSet();
        slots.takenOver().values().forEach(takenOver::or);
        if (!takenOver.isEmpty()) {
            takeOvers.closeAtStart(takenOver);
        }
        Transfers transfers =
                new Transfers(serverId, times.rebalanceAfterMs(), slots, new GivenCopies());
        this.transfers = transfers;
        givingPause = new GivingPause(new PausedNode(), copies::written, copies::hasAll);
        if (takesOver()) {
            slots.addListener(now -> copies.onLeaders());
            copies.succeed(
                    new SuccessionTimes(times.failoverTimeoutMs()),
                    slots,
                    slots::knowsTables,
                    (leader, copySets) -> {
                        takeOvers.expect(leader, copySets);
                        transfers.took(leader, copySets);
                        slots.takeOver(leader, CopySets.slots(copySets));
                        if (copySets.get(CopySets.GROUPS)) {
                            takeOvers.takeOverGroups(leader);
                        }
                    });
        }
    }

    /** Whether nodes take over from each other: without that a leader needs no majority. */
    private boolean takesOver() {
        return times.failoverTimeoutMs() > 0;
    }

    private SwitchOvers switchOvers() {
        return Objects.requireNonNull(switchOvers);
    }

    private NodeClients clients() {
        return Objects.requireNonNull(clients);
    }

    /** Adds up what all shards count of remote connections; any thread. */
    public long sumOfChannels(ToLongFunction<ChannelCounters> count) {
        return clients().sum(count);
    }

    /** Returns how the copies of this node's queues stand; any thread. */
    public CopyStatus copies() {
        return copies.status();
    }

    /**
     * Returns copy sets by their leader, which is out of reach: they wait for it, since too many
     * live nodes have not heard it since they started. Any thread.
     */
    public Map<Integer, BitSet> unheardLeaders() {
        return copies.unheardLeaders();
    }

    /**
     * Finds the copy sets that are lost if a node never comes back, since no other one takes them
     * over. Any thread.
     *
     * @param server id of that node
     * @param then told on the shard that owns the topic index
     */
    public void lostWith(int server, Consumer<BitSet> then) {
        owner().execute(() -> then.accept(takesOver() ? copies.lostWith(server) : all(server)));
    }

    /** Returns the copy sets of all that a node leads, with that of its groups. */
    private BitSet all(int server) {
        BitSet copySets = CopySets.ofSlots(slots().of(server));
        copySets.set(CopySets.GROUPS);
        return copySets;
    }

    /** Returns what is set aside of this node's copies of other nodes' queues; any thread. */
    public CopiesAside copiesAside() {
        return copies.aside();
    }

    /**
     * Has all members compare the copies of their queues with what they have; any thread.
     *
     * @param others server ids of the members, but for this node
     * @param then told once, on the shard that owns the topic index
     */
    public void verifyCopies(Collection<Integer> others, Consumer<ClusterVerdict> then) {
        copies.verify(others, then);
    }

    /** Counts the comparisons in which a copy of this node's queues differed; any thread. */
    public long copiesDiffering() {
        return copies.differing();
    }

    /** Returns how many bytes copies of this node's queues were filled with; any thread. */
    public long copiesFilledBytes() {
        return copies.filledBytes();
    }

    /** Returns how many queues fills have left out, since the copies had them; any thread. */
    public long copiesLeftOut() {
        return copies.leftOut();
    }

    /** Returns who leads which slot. */
    public SlotLeadership slots() {
        return Objects.requireNonNull(slots);
    }

    /**
     * The broker's shards run.
     *
     * @param others servers of the nodes that are here, but for this one: the listeners open when
     *     it knows the filters of each, or has waited long enough
     * @param members servers of all nodes that belong to the cluster, but for this one: nothing is
     *     published before it knows the filters of each
     * @param whenReady called once on the shard that owns the topic index: the listeners may open
     */
    public void start(Set<Integer> others, Set<Integer> members, Runnable whenReady) {
        BrokerShard owner = owner();
        owner.execute(() -> {
            afterPause().begin();
            new LinkAccount(
                            owner,
                            links.values(),
                            names,
                            () -> copies.bytes() + questions().bytes())
                    .begin();
            slots().takenOver().forEach(this::loadAgain);
            copies.groupsToAdopt().forEach(takeOvers()::takeOverGroups);
            copies.begin(!members.isEmpty());
            arm(times.startWaitMs(), now -> readiness().open());
            arm(times.digestMs(), this::onDigestTimer);
            if (takesOver()) {
                giveGroups();
            }
            clearWays().begin(members);
            routes.expect(members);
            clients().begin();
            lookAtQuestions();
            slots().begin();
            readiness().begin(others, whenReady);
            askForUnknown();
            letPublish();
            if (takesOver()) {
                lookAtTransfers(owner.nowMs());
            }
        });
    }

    private void lookAtQuestions() {
        questions().onTick();
        arm(LinkSettings.TICK_MS, now -> lookAtQuestions());
    }

    /** Looks until publishers may go on. */
    private void letPublish() {
        readiness().look();
        if (!readiness().isServing()) {
            arm(LinkSettings.TICK_MS, now -> letPublish());
        }
    }

    /**
     * Has publishers wait while sessions here were taken over by another node, until they are its
     * copies, while copy sets are given, and while this node has missed a take-over.
     */
    private void holdPublishers() {
        GivingPause pause = givingPause;
        MissedTakeOvers missedHere = Objects.requireNonNull(missed);
        boolean isBehind = missedHere.look(slots().leaders());
        Set<Integer> sources = missedHere.sources();
        if (!sources.equals(answersHeldOf)) {
            answersHeldOf = sources;
            onEachShard(of -> of.holdAnswersOf(sources));
        }
        boolean holds = isBehind || slots().hasOlder() || pause != null && pause.isOn();
        if (holds != isHolding) {
            isHolding = holds;
            onEachShard(of -> of.hold(holds));
            if (holds) {
                holdOn(0);
            }
        }
    }

    private void holdOn(long nowMs) {
        holdPublishers();
        if (isHolding) {
            arm(LinkSettings.TICK_MS, this::holdOn);
        }
    }

    /** Calls nobody whole where queues may still be copies, until they are sessions. */
    private void loadAgain(int from, BitSet slots) {
        BitSet copySets = CopySets.ofSlots(slots);
        copies.tookOver(from, copySets);
        copies.demote(copySets, () -> {});
        takeOvers().expect(from, copySets);
    }

    TakeOvers takeOvers() {
        return Objects.requireNonNull(takeOvers);
    }

    /**
     * Asks for the filters of members that are out of reach until they are known: the nodes that
     * can tell them may come later.
     */
    private void askForUnknown() {
        showUnknown();
        if (!routes.knowsMembers()) {
            routes.askForUnknown();
            arm(ASK_MS, now -> askForUnknown());
        }
    }

    private void showUnknown() {
        unknownMembers = routes.unknown();
    }

    /**
     * Returns the server ids of members whose filters are not known since this start, so that
     * nothing is published at this node; any thread.
     */
    public Set<Integer> unknownMembers() {
        return unknownMembers;
    }

    /**
     * Tells clients here that other nodes serve that this node stops, and ends their connections;
     * any thread.
     */
    public void endRemoteClients(Goodbye goodbye) {
        clients().endRemote(goodbye);
    }

    /**
     * Tells other nodes that this one stops, and has copies of their sessions no more; any thread.
     */
    public void stopFollowing() {
        copies.leave();
    }

    private void lookAtTransfers(long nowMs) {
        Objects.requireNonNull(transfers).tick(nowMs);
        Objects.requireNonNull(givingPause).passed(Transfers.LOOK_MS, copies.isGiving());
        arm(Transfers.LOOK_MS, this::lookAtTransfers);
    }

    /** Takes the digests of the files that say who comes in at this node. Any thread. */
    public void securityFiles(SecurityDigests own) {
        owner().execute(() -> securityFiles.changed(own));
    }

    /** Returns those of this node. Any thread. */
    public SecurityDigests securityFiles() {
        return securityFiles.own();
    }

    /** Returns those of a node that is heard; NONE if it has told none. Any thread. */
    public SecurityDigests securityFilesOf(int server) {
        return securityFiles.of(server);
    }

    /** Whether sessions of this node can be given to others: they have copies there. */
    public boolean mayGive() {
        return takesOver() && copies.hasCopies();
    }

    /** Whether this node can give all its sessions, if need be after it has copied them. */
    public boolean mayDrain() {
        return takesOver() && copies.mayGive();
    }

    /**
     * Gives the sessions of this node to other nodes that have whole copies, and has it lead
     * nothing until its next start; or lets it lead again. Where there are no copies they are made
     * first. Any thread.
     */
    public void drain(boolean isDraining) {
        owner().execute(() -> {
            copies.giveAll(isDraining);
            slots().drain(isDraining);
        });
    }

    /**
     * Returns the copy sets in which this node still leads sessions while it drains; null while it
     * does not. Any thread.
     */
    public @Nullable BitSet drainLeft() {
        Transfers there = transfers;
        return there == null ? null : there.left();
    }

    /** This node, as a pause of its publishers sees it. */
    private final class PausedNode implements GivingPause.Node {
        @Override
        public void onChange() {
            holdPublishers();
        }

        @Override
        public void afterCommits(Runnable then) {
            int[] missing = {streams.size()};
            for (int i = 0; i < streams.size(); i++) {
                BrokerShard shard = Objects.requireNonNull(broker).shard(i);
                shard.execute(() -> {
                    shard.enter();
                    shard.afterCommitHere(isKept ->
                            owner().execute(() -> {
                                if (--missing[0] == 0) {
                                    then.run();
                                }
                            }));
                });
            }
        }

        @Override
        public void after(long ms, Runnable task) {
            arm(ms, nowMs -> task.run());
        }
    }

    /** The copies of this node's queues, as transfers see them. */
    private final class GivenCopies implements Transfers.Copies {
        @Override
        public boolean areWhole() {
            return copies.status().isWhole();
        }

        @Override
        public boolean isGiving() {
            return copies.isGiving();
        }

        @Override
        public BitSet give(BitSet copySets, IntPredicate mayLead) {
            GivingPause pause = Objects.requireNonNull(givingPause);
            if (copies.givable(copySets, mayLead).isEmpty()) {
                return new BitSet();
            }
            if (!pause.isQuiet()) {
                pause.begin();
                return new BitSet();
            }
            return copies.give(copySets, mayLead);
        }

        @Override
        public void copyFirst(Transfers.@Nullable Move next) {
            if (next == null) {
                copies.copyNone();
            } else {
                copies.copyFirst(next.copySet(), next.receiver());
            }
        }
    }

    /**
     * Passes on to other nodes what waits in shared groups that they have members of: the node
     * leaves, and its clients were told so.
     *
     * @param whenOver told once, on the shard that owns the topic index, when nothing more can be
     *     done; that may be never
     */
    public void leave(Runnable whenOver) {
        PassedOnGroups waiting = new PassedOnGroups(Objects.requireNonNull(broker), whenOver);
        groups = waiting;
        waiting.look();
    }

    /** Messages of shared groups that others are still to have; 0 while nobody has looked. */
    public long groupMessagesLeft() {
        PassedOnGroups waiting = groups;
        return waiting == null ? 0 : waiting.left();
    }

    /** Takes what answers the questions of other nodes; any thread. */
    public void answerer(Answerer of) {
        owner().execute(() -> answerers.answerer(QuestionKinds.Kind.EXTENSION, of));
    }

    /**
     * Asks another node about its sessions, or to do something with them; any thread.
     *
     * @param reply told once, on the shard that owns the topic index
     */
    public void ask(int server, byte[] question, Reply reply) {
        byte[] asked = QuestionKinds.question(QuestionKinds.Kind.EXTENSION, question);
        owner().execute(() -> questions().ask(server, asked, reply));
    }

    /**
     * Finds the other node where a client is connected whose session is transient, and whose slot
     * is led here; any thread.
     *
     * @param then told once, on some shard; null: none is known
     */
    public void findEdge(ClientId clientId, Consumer<@Nullable NodeStart> then) {
        clients().findEdge(clientId, then);
    }

    private Questions questions() {
        return Objects.requireNonNull(questions);
    }

    private BrokerShard owner() {
        return Objects.requireNonNull(broker).shard(TopicIndex.OWNER);
    }

    private RetainedSync retained() {
        return Objects.requireNonNull(retained);
    }

    private AfterPause afterPause() {
        return Objects.requireNonNull(afterPause);
    }

    private AwayTimers awayTimers() {
        return Objects.requireNonNull(awayTimers);
    }

    private ClearWays clearWays() {
        return Objects.requireNonNull(clearWays);
    }

    private Readiness readiness() {
        return Objects.requireNonNull(readiness);
    }

    private void arm(long delayMs, Consumer<Long> task) {
        owner().timers().arm(Timer.of(task::accept), owner().nowMs() + delayMs);
    }

    private void giveGroups() {
        switchOvers().giveGroups();
        askForGroups();
        forgotten.look();
        arm(ASK_MS, now -> giveGroups());
    }

    private void onDigestTimer(long nowMs) {
        routes.tellDigest();
        arm(times.digestMs(), this::onDigestTimer);
    }

    /**
     * Whether nothing need wait any more for a node that is forgotten: others lead all that it led,
     * and its groups' queues were taken over, or will not be.
     */
    private boolean isOver(int server) {
        return switchOvers().leadsNothing(server)
                && (!mayGive()
                        || switchOvers().hasGivenGroups(server)
                        || groupsUnknown.getOrDefault(server, 0) >= GROUPS_ASKED);
    }

    /**
     * Counts only while all members are heard, and this process runs: one of them may have taken
     * the queues over, and not have told it here.
     */
    private void askForGroups() {
        if (members.stream().allMatch(each -> each == serverId || heard.hears(each))) {
            forgotten.forEachAwaited(server -> {
                if (switchOvers().leadsNothing(server)) {
                    groupsUnknown.merge(server, 1, Integer::sum);
                }
            });
        }
    }

    /** On every shard, in this order of calls. */
    private void onEachShard(Consumer<ShardStreams> task) {
        for (int i = 0; i < streams.size(); i++) {
            ShardStreams of = streams.get(i);
            Objects.requireNonNull(broker).shard(i).execute(() -> task.accept(of));
        }
    }

    // ---------------------------------------------------------------- links

    @Override
    public void onUp(PeerLink link, Resumed resumed) {
        heard.heard(link);
        for (int i = 0; i < streams.size(); i++) {
            if (i != TopicIndex.OWNER) {
                ShardStreams of = streams.get(i);
                Objects.requireNonNull(broker).shard(i).execute(() -> of.onUp(link));
            }
        }
        owner().execute(() -> up(link));
        clients().onUp(link, resumed);
        copies.onUp(link);
    }

    /**
     * Counts the publishers that wait for nodes out of reach; any thread asks.
     *
     * @param then told once, on the shard that owns the topic index, how many there are by server
     *     id
     */
    public void countWaitingPublishers(Consumer<Map<Integer, Integer>> then) {
        findWaiting(0, new WaitingPublishers(), then);
    }

    private void findWaiting(
            int shard, WaitingPublishers found, Consumer<Map<Integer, Integer>> then) {
        if (shard == streams.size()) {
            owner().execute(() -> then.accept(found.counts()));
            return;
        }
        ShardStreams of = streams.get(shard);
        Runnable next = () -> findWaiting(shard + 1, found, then);
        Objects.requireNonNull(broker).shard(shard).execute(() -> of.findWaiting(found, next));
    }

    /** Nodes that do not belong to the cluster any more. */
    public ForgottenNodes forgotten() {
        return forgotten;
    }

    private void up(PeerLink link) {
        int server = link.peer().server();
        links.put(server, link);
        awayTimers().end(server);
        boolean isNew = streams.get(TopicIndex.OWNER).onUp(link);
        if (isNew) {
            routes.onNewStart(server);
            switchOvers().onNewStart(server);
            clearWays().onNewStart(server);
        }
        switchOvers().onUp(server);
        routes.onHeard(server);
        retained().onUp(server, isNew);
        counts.onUp(link);
        questions().onUp(link);
        slots().onUp(link);
        securityFiles.onUp(server);
        holdPublishers();
        OutStream shared = streams.get(TopicIndex.OWNER).shared(server);
        Runnable follow = () -> onEachShard(of -> of.onRouted(link));
        if (rules.holds(StreamRule.ROUTES_BEFORE_PUBLISHES)) {
            shared.whenAnsweredAlone(shared.last(), follow); // A digest, which nobody is to have.
        } else {
            follow.run();
        }
    }

    @Override
    public void onSilent(PeerLink link) {
        heard.lost(link);
        owner().execute(() -> {
            onEachShard(of -> of.onAway(link.peer().server()));
            retained().onAway(link.peer().server());
            counts.onSilent(link, true);
            questions().onSilent(link);
        });
        clients().onSilent(link);
    }

    @Override
    public void onHeard(PeerLink link) {
        heard.heard(link);
        owner().execute(() -> heardAgain(link));
        clients().onHeard(link);
    }

    /** Publishes follow what the shared stream holds, as they do at a new link. */
    private void heardAgain(PeerLink link) {
        int server = link.peer().server();
        streams.get(TopicIndex.OWNER).onSharedHeard(server);
        switchOvers().onHeard(server);
        routes.onHeard(server);
        retained().onUp(server, false);
        counts.onSilent(link, false);
        questions().onHeard(link);
        OutStream shared = streams.get(TopicIndex.OWNER).shared(server);
        shared.whenAnsweredAlone(
                shared.last(),
                () -> {
                    if (link.state() == LinkState.UP) {
                        onEachShard(of -> of.onHeard(server));
                    }
                });
    }

    @Override
    public void onDown(PeerLink link, List<Unconfirmed> unconfirmed) {
        heard.lost(link);
        names.end(link);
        // What is not answered is kept by the streams.
        onEachShard(of -> of.onDown(link));
        owner().execute(() -> {
            counts.onDown(link);
            questions().onDown(link);
            if (links.remove(link.peer().server(), link)) {
                awayTimers().begin(link.peer().server());
                slots().onDown(link);
                securityFiles.onDown(link.peer().server());
                switchOvers().look();
            }
        });
        clients().onDown(link, unconfirmed);
        copies.onDown(link);
    }

    @Override
    public void onRoom(PeerLink link, TrafficClass traffic) {
        onEachShard(of -> of.onRoom(link));
        clients().onRoom(link, traffic);
        copies.onRoom(link, traffic);
    }

    private void forget(Set<Integer> servers) {
        for (int each : servers) {
            retained().forget(each);
            clients().forget(each);
        }
        copies.forgotten(servers);
        readiness().forget(servers);
        afterPause().forget(servers);
    }

    /** Ends what there is with nodes that are forgotten and lead nothing any more. */
    private void drop(Set<Integer> servers) {
        for (int each : servers) {
            awayTimers().end(each);
            groupsUnknown.remove(each);
            routes.forget(each);
            clearWays().forget(each);
        }
        showUnknown();
    }

    // ---------------------------------------------------------------- messages

    @Override
    public boolean onMessage(PeerLink from, MessageType type, ByteReader body, int length) {
        if (CountsOfNodes.handles(type)) {
            counts.onMessage(from, type, body);
            return true;
        }
        if (Questions.handles(type)) {
            questions().onMessage(from, type, body);
            return true;
        }
        StreamMessage message = names.read(from, type, body, streams.size());
        int shard =
                message.isAnswer()
                        ? StreamName.comesFrom(message.stream())
                        : StreamName.arrivesAt(message.stream(), streams.size());
        if (shard >= streams.size()) {
            throw new IndexOutOfBoundsException("no stream " + message.stream());
        }
        ShardStreams of = streams.get(shard);
        Objects.requireNonNull(broker)
                .shard(shard)
                .execute(() -> of.onMessage(message, from, length));
        return message.isAnswer();
    }

    private void onShared(NodeStart from, StreamRecord record, Receipt answer) {
        switch (record) {
            case StreamRecord.RetainedDigest any -> retained().onRecord(from.server(), record);
            case StreamRecord.RetainedWanted any -> retained().onRecord(from.server(), record);
            case StreamRecord.RetainedCopy any -> retained().onRecord(from.server(), record);
            case StreamRecord.RetainedEnd any -> retained().onRecord(from.server(), record);
            case StreamRecord.WaysAsked asked -> clearWays().asked(from.server(), asked);
            case StreamRecord.WaysTold told -> clearWays().told(from.server(), told.question());
            case StreamRecord.Leads any -> slots().onRecord(from, record);
            case StreamRecord.Holds any -> slots().onRecord(from, record);
            case StreamRecord.Kept any -> slots().onRecord(from, record);
            case StreamRecord.Loaded some when some.isOfGroups() -> {
                copies.onGroupsTaken(some.from(), from.server());
                PeerLink former = links.get(some.from());
                if (former == null || former.state() != LinkState.UP) {
                    switchOvers().groupsTaken(some.from(), from.server());
                }
            }
            case StreamRecord.Draining any -> slots().onRecord(from, record);
            case StreamRecord.SecurityFiles(SecurityDigests digests) ->
                    securityFiles.onRecord(from.server(), digests);
            case StreamRecord.Loaded some -> {
                // The former leader hears of it when all have switched over.
                answer.await();
                switchOvers()
                        .loaded(
                                from,
                                some,
                                () -> {
                                    answer.targetDone(true);
                                    owner().execute(forgotten::look);
                                });
            }
            case StreamRecord.FiltersTold told -> afterPause().told(from.server(), told.question());
            case StreamRecord.AwayFiltersEnd told -> {
                boolean isNews = routes.isUnknown(told.member());
                routes.onRecord(from.server(), record);
                if (isNews && !links.containsKey(told.member())) {
                    onEachShard(of -> of.onAway(told.member()));
                }
            }
            case StreamRecord.FilterChanges any -> {
                routes.onRecord(from.server(), record);
                if (switchOvers().isSwitchingTo(from.server())) {
                    // A SUBACK waits for it: each shard has to send to sessions of the slots first.
                    answer.await();
                    switchOvers().whenSwitchedTo(from.server(), () -> answer.targetDone(true));
                }
            }
            default -> routes.onRecord(from.server(), record);
        }
        if (!unknownMembers.isEmpty()) {
            showUnknown();
        }
        readiness().look();
    }
}
