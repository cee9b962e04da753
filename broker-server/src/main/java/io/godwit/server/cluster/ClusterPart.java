package io.godwit.server.cluster;

import io.godwit.cluster.ClusterSettings;
import io.godwit.cluster.broker.BrokerCluster;
import io.godwit.cluster.broker.ClusterTimes;
import io.godwit.cluster.jgroups.JGroupsTransport;
import io.godwit.cluster.membership.ForgetAnswer;
import io.godwit.cluster.membership.Member;
import io.godwit.cluster.membership.Nodes;
import io.godwit.cluster.membership.NodesListener;
import io.godwit.cluster.membership.Self;
import io.godwit.cluster.node.AssignmentsOnDisk;
import io.godwit.cluster.node.ClusterNode;
import io.godwit.cluster.node.CopyRecordsOnDisk;
import io.godwit.cluster.node.MembersOnDisk;
import io.godwit.cluster.node.ShardLinksThread;
import io.godwit.cluster.publish.LeaderAway;
import io.godwit.cluster.replication.CopySettings;
import io.godwit.cluster.stream.SecurityDigests;
import io.godwit.cluster.stream.StreamRules;
import io.godwit.cluster.transport.Forgotten;
import io.godwit.cluster.transport.Handlers;
import io.godwit.cluster.transport.LinkSettings;
import io.godwit.cluster.transport.LinkState;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.TransportFailure;
import io.godwit.core.node.Broker;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.session.Goodbye;
import io.godwit.core.shard.Shard;
import io.godwit.core.store.CopySets;
import io.godwit.core.time.TimeSource;
import io.godwit.core.time.Timer;
import io.godwit.server.StartFailed;
import io.godwit.server.Version;
import io.godwit.server.admin.ClusterStatus;
import io.godwit.server.admin.ClusterView;
import io.godwit.server.admin.DrainResult;
import io.godwit.server.admin.ForgetResult;
import io.godwit.server.admin.VerifyResult;
import io.godwit.server.config.Config;
import io.godwit.server.config.DurabilityConfig;
import io.godwit.server.data.DataFolder;
import io.godwit.server.service.ServiceNodes;
import io.godwit.server.service.SessionAnswers;
import io.godwit.server.service.Sessions;
import io.micrometer.core.instrument.MeterRegistry;
import java.security.SecureRandom;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What makes a broker one node of a cluster: its identity, the members on its disk, links over
 * JGroups. Links and membership live on the shard that owns the topic index: what changes them is
 * mail, their time is the shard's timers.
 *
 * <p>Order: the shards run, then {@link #join}, then listeners open; at a stop clients are told,
 * then {@link #close}, then the shards end.
 */
public final class ClusterPart implements ClusterView, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterPart.class);
    private static final long POLL_MS = 10;

    /** A node that waits for others says so again after so long. */
    private static final long SAY_AGAIN_MS = 30_000;

    /** Nodes compare their filters so often. */
    private static final long DIGEST_MS = 5_000;

    /** What is on its way to others when the node stops has so long to leave. */
    private static final long FLUSH_MS = 500;

    /** Who refuses, or was refused, tells the others so before it ends. */
    private static final long REFUSAL_MS = 500;

    private final ClusterSettings settings;
    private final long startWaitMs;
    private final int begins;
    private final BrokerCluster routes;
    private final Shard shard;
    private final ClusterNode node;
    private final Departure departure;
    private final ClusterNodes serviceNodes;
    private final LongSupplier certificatesRefused;
    private final LinkRates rates = new LinkRates();
    private final WaitingPublishers waiting;
    private final Consumer<String> onIntruder;
    private volatile @Nullable String intruder;
    private final UnknownSubscriptions unknown;
    private final UnheardLeaders unheard;
    private volatile boolean joined;
    private boolean opened;

    /** What a broker of this cluster is made with. */
    public static BrokerCluster routes(Config config, DataFolder data) {
        return new BrokerCluster(
                data.serverId(),
                new ClusterTimes(
                        config.cluster().peerTimeoutMs(),
                        config.cluster().startWaitMs(),
                        DIGEST_MS,
                        config.cluster().claimWaitMs(),
                        config.cluster().failoverTimeoutMs(),
                        config.cluster().rebalanceAfterMs()),
                switch (config.cluster().leaderAway()) {
                    case WAIT -> LeaderAway.WAIT;
                    case REFUSE -> LeaderAway.REFUSE;
                },
                copies(config),
                new CopyRecordsOnDisk(data.followers()),
                StreamRules.ALL);
    }

    private static CopySettings copies(Config config) {
        CopySettings copies =
                CopySettings.of(
                        config.cluster().copies(),
                        switch (config.cluster().confirm()) {
                            case COMMITTED -> CopySettings.Confirm.COMMITTED;
                            case RECEIVED -> CopySettings.Confirm.RECEIVED;
                        },
                        config.cluster().copyRateBytes());
        boolean takesOver = config.cluster().failoverTimeoutMs() > 0;
        boolean isOnDisk = config.durability().store() == DurabilityConfig.Store.ROCKSDB;
        return takesOver && isOnDisk ? copies.giving() : copies;
    }

    /**
     * To be called before the broker recovers what it has kept.
     *
     * @param data has the list of members
     * @param routes that the broker was made with
     * @param onIntruder told once after the node has joined, in a line for the operator, that this
     *     process can't be in the cluster and has to end
     */
    public ClusterPart(
            Config config,
            DataFolder data,
            BrokerCluster routes,
            Broker broker,
            TimeSource time,
            Consumer<String> onIntruder) {
        settings = ClusterChoice.settings(config.cluster());
        startWaitMs = config.cluster().startWaitMs();
        begins = config.cluster().nodes();
        this.routes = routes;
        waiting =
                new WaitingPublishers(
                        routes::countWaitingPublishers, this::others, WaitingPublishers.log());
        unknown = new UnknownSubscriptions(routes::unknownMembers, this::others);
        unheard = new UnheardLeaders(routes::unheardLeaders, this::others);
        shard = broker.shard(TopicIndex.OWNER);
        routes.attach(broker, new AssignmentsOnDisk(data.assignments(), shard::execute));
        departure = new Departure(config.cluster(), broker, routes);
        this.onIntruder = onIntruder;
        serviceNodes = new ClusterNodes(routes, this::nodes);
        JGroupsTransport transport = new JGroupsTransport(settings, config.node().name());
        certificatesRefused = transport::certificatesRefused;
        Self self =
                new Self(
                        new NodeStart(data.serverId(), broker.context().startNumber()),
                        new SecureRandom().nextLong(),
                        config.node().name(),
                        "",
                        Version.current());
        node =
                new ClusterNode(
                        settings,
                        LinkSettings.DEFAULTS.within(config.overload().memoryBytes()),
                        self,
                        time,
                        new ShardLinksThread(shard),
                        new MembersOnDisk(data.members()),
                        transport,
                        routes.register(new Handlers()),
                        List.of(routes),
                        new Changes());
        routes.observe(node::observedClock);
        routes.observeEnded(node::hasEnded);
    }

    /**
     * Tries what {@link #join} needs from this machine, without a port.
     *
     * @throws StartFailed when this node can't be in a cluster
     */
    public static void check(Config config) throws StartFailed {
        try {
            JGroupsTransport.check(ClusterChoice.settings(config.cluster()));
        } catch (TransportFailure e) {
            throw new StartFailed(String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * Finds the others, opens links to them and learns their filters and retained messages. Waits
     * for members that are not there for cluster.peer-timeout, and for what those have to tell that
     * are there for cluster.start-wait.
     *
     * @param whenWaiting run when the cluster has not as many nodes yet as it begins with
     * @throws StartFailed when this node can't be in the cluster
     */
    public void join(Runnable whenWaiting) throws StartFailed {
        opened = true;
        long beganMs = nowMs();
        routes.forgotten().now(node.membership().nodes().forgotten());
        routes.onNodes(node.membership().nodes());
        try {
            node.start();
        } catch (TransportFailure e) {
            throw new StartFailed(String.valueOf(e.getMessage()), e);
        }
        sampleRates();
        long deadlineMs = nowMs() + settings.peerTimeoutMs();
        while (intruder == null && !isJoined() && nowMs() < deadlineMs) {
            sleep(POLL_MS);
        }
        awaitOthers(whenWaiting);
        boolean knowsAll = intruder == null && learn();
        node.linksThread().execute(node.membership()::serve);
        joined = true;
        String line = intruder;
        if (line != null) {
            sleep(REFUSAL_MS);
            throw new StartFailed(line);
        }
        Nodes nodes = node.membership().nodes();
        List<String> missing = outOfReach();
        LOG.info(
                "In cluster '{}' after {} ms: {} of {} members are here{}{}",
                settings.name(),
                nowMs() - beganMs,
                nodes.live().size(),
                nodes.members().size(),
                missing.isEmpty() ? "" : ", not " + String.join(", ", missing),
                knowsAll
                        ? ""
                        : "; not all of their filters and retained messages arrived within"
                                + " cluster.start-wait");
    }

    /** Waits, however long it takes, until the cluster has as many nodes as it begins with. */
    private void awaitOthers(Runnable whenWaiting) {
        long saidMs = Long.MIN_VALUE;
        while (intruder == null && node.membership().awaitsOthers(begins)) {
            if (saidMs == Long.MIN_VALUE || nowMs() - saidMs >= SAY_AGAIN_MS) {
                whenWaiting.run();
                saidMs = nowMs();
                LOG.info(
                        "Waiting for other nodes: {} of {} are here (cluster.nodes). No clients are"
                                + " let in until they are, or a node is found that serves already",
                        node.membership().nodes().live().size(),
                        begins);
            }
            sleep(POLL_MS);
        }
    }

    /**
     * @return false when not everything came in time
     */
    private boolean learn() {
        Nodes nodes = node.membership().nodes();
        Set<Integer> others = new HashSet<>(nodes.live().keySet());
        others.remove(nodes.self().server());
        long beganMs = nowMs();
        CountDownLatch ready = new CountDownLatch(1);
        Set<Integer> members = new HashSet<>(others().keySet());
        members.addAll(others);
        routes.start(others, members, ready::countDown);
        try {
            // It counts down itself after the time; a shard that is busy may be a little late.
            ready.await(startWaitMs + settings.peerTimeoutMs(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return nowMs() - beganMs < startWaitMs;
    }

    private static long nowMs() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    private boolean isJoined() {
        CompletableFuture<Boolean> settled = new CompletableFuture<>();
        node.linksThread().execute(() -> settled.complete(node.isSettled()));
        return settled.completeOnTimeout(false, settings.peerTimeoutMs(), TimeUnit.MILLISECONDS)
                        .join()
                && outOfReach().isEmpty();
    }

    private static void sleep(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void sampleRates() {
        Timer timer =
                new Timer() {
                    @Override
                    protected void onTimer(long nowMs) {
                        rates.sample(node.figures(), nowMs);
                        waiting.look(nowMs);
                        if (joined) {
                            unknown.look();
                            unheard.look();
                        }
                        shard.timers().arm(this, nowMs + LinkRates.SAMPLE_MS);
                    }
                };
        shard.execute(() -> shard.timers().arm(timer, shard.nowMs()));
    }

    // ---------------------------------------------------------------- it leaves

    /** Whether its clients are to be sent to other nodes, and some are there now. */
    public boolean hasOthers() {
        return opened && departure.isWanted() && node.membership().nodes().live().size() > 1;
    }

    /** Waits for cluster.drain-wait, in which everything goes on. */
    public void awaitBalancers(long mostMs) {
        departure.awaitBalancers(mostMs);
    }

    /** Sends clients, and what waits in shared groups, to other nodes. The listeners are closed. */
    public void leave(long mostMs) {
        departure.leave(mostMs);
    }

    /** Tells clients here that other nodes serve, and those nodes, that the broker stops. */
    public void sayGoodbye() {
        routes.stopFollowing();
        routes.endRemoteClients(Goodbye.SHUTTING_DOWN);
    }

    /** Leaves. The shards still run. */
    @Override
    public void close() {
        if (!opened) {
            return;
        }
        long deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(FLUSH_MS);
        while (hasUnsent() && System.nanoTime() < deadlineNanos) {
            sleep(POLL_MS);
        }
        node.close();
    }

    private boolean hasUnsent() {
        return node.figures().stream()
                .filter(each -> each.state() == LinkState.UP)
                .flatMap(each -> each.classes().stream())
                .anyMatch(each -> each.waitingBytes() > 0);
    }

    // ---------------------------------------------------------------- what operators see

    @Override
    public CompletableFuture<ClusterStatus> status() {
        CompletableFuture<ClusterStatus> status = new CompletableFuture<>();
        StatusReport report =
                new StatusReport(
                        settings,
                        node,
                        routes.slots(),
                        routes.drainLeft(),
                        routes.unheardLeaders(),
                        routes.copies(),
                        routes.copiesAside(),
                        rates,
                        certificatesRefused,
                        routes.securityFiles(),
                        routes::securityFilesOf);
        node.linksThread().execute(() -> status.complete(report.make()));
        return status;
    }

    /** Tells other nodes which files say who comes in at this one. Any thread. */
    public void tellSecurityFiles(SecurityDigests own) {
        routes.securityFiles(own);
    }

    private Nodes nodes() {
        return node.membership().nodes();
    }

    /** Returns what asks the other nodes about their sessions. */
    public ServiceNodes serviceNodes() {
        return serviceNodes;
    }

    /** Takes what answers the questions of other nodes, before {@link #join}. */
    public void answerBy(SessionAnswers answers) {
        routes.answerer((question, answer) ->
                answers.answer(question)
                        .whenComplete((body, failure) -> {
                            if (failure == null) {
                                answer.answered(body);
                            } else {
                                answer.failed(Sessions.reason(failure));
                            }
                        }));
    }

    @Override
    public List<String> otherMembers() {
        return List.copyOf(others().values());
    }

    @Override
    public String memberName(int server) {
        return others().getOrDefault(server, String.valueOf(server));
    }

    /** Names of the other members, by server id. */
    private Map<Integer, String> others() {
        Nodes nodes = node.membership().nodes();
        Map<Integer, String> names = new LinkedHashMap<>();
        for (Member each : nodes.members()) {
            if (each.server() != nodes.self().server()) {
                names.put(each.server(), each.name());
            }
        }
        return names;
    }

    @Override
    public boolean areCopiesWhole() {
        return routes.copies().isWhole();
    }

    @Override
    public List<String> outOfReach() {
        Nodes nodes = node.membership().nodes();
        return nodes.members().stream()
                .filter(each -> !nodes.isLive(each.server()))
                .map(Member::name)
                .toList();
    }

    @Override
    public CompletableFuture<ForgetResult> forget(String member, boolean isEarnest) {
        CompletableFuture<ForgetResult> result = new CompletableFuture<>();
        Consumer<ForgetAnswer> then =
                answer -> {
                    if (isEarnest || answer.refusal() != null) {
                        result.complete(result(answer, new BitSet()));
                    } else {
                        routes.lostWith(
                                answer.server(), lost -> result.complete(result(answer, lost)));
                    }
                };
        node.linksThread().execute(() -> node.membership().forget(member, isEarnest, then));
        return result;
    }

    private static ForgetResult result(ForgetAnswer answer, BitSet lost) {
        List<Integer> sets = lost.stream().filter(each -> each != CopySets.GROUPS).boxed().toList();
        boolean losesGroups = lost.get(CopySets.GROUPS);
        return new ForgetResult(
                answer.server(), answer.name(), sets, losesGroups, answer.refusal());
    }

    @Override
    public CompletableFuture<VerifyResult> verify() {
        Map<Integer, String> others = others();
        VerifyReport report = new VerifyReport(memberNames());
        CompletableFuture<VerifyResult> result = new CompletableFuture<>();
        routes.verifyCopies(
                others.keySet(),
                verdict -> {
                    VerifyResult made = report.make(verdict);
                    VerifyReport.log(made);
                    result.complete(made);
                });
        return result;
    }

    @Override
    public DrainResult drain(String member, boolean isDraining) {
        NodeStart self = node.membership().nodes().self();
        String name = memberNames().getOrDefault(self.server(), "");
        if (!member.equals(name) && !member.equals(String.valueOf(self.server()))) {
            String refusal =
                    "this is node " + name + ": a node drains by its own admin port (--admin)";
            return new DrainResult(name, false, List.of(), refusal);
        }
        if (!routes.mayDrain()) {
            String refusal =
                    "sessions can't be given: they are in memory (durability.store), or nodes do"
                            + " not take over (cluster.failover-timeout: never)";
            return new DrainResult(name, false, List.of(), refusal);
        }
        routes.drain(isDraining);
        BitSet left = routes.drainLeft();
        return new DrainResult(
                name,
                left != null,
                left == null ? List.of() : left.stream().boxed().toList(),
                null);
    }

    private Map<Integer, String> memberNames() {
        Map<Integer, String> names = new HashMap<>();
        node.membership().nodes().members().forEach(each -> names.put(each.server(), each.name()));
        return names;
    }

    @Override
    public long peerTimeoutMs() {
        return settings.peerTimeoutMs();
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        ClusterMetrics.bind(registry, node, routes, certificatesRefused);
        waiting.bind(registry);
    }

    /** Tells the log who comes and goes. */
    private final class Changes implements NodesListener {
        private Map<Integer, NodeStart> live = Map.of();
        private Map<Integer, String> names = Map.of();
        private Forgotten forgotten = Forgotten.NOBODY;

        @Override
        public void onNodes(Nodes nodes) {
            onForgotten(nodes);
            routes.onNodes(nodes);
            for (Member each : nodes.members()) {
                NodeStart before = live.get(each.server());
                NodeStart now = nodes.live().get(each.server());
                boolean isSelf = each.server() == nodes.self().server();
                if (!isSelf && now != null && !now.equals(before)) {
                    say("has come", each, now, nodes);
                } else if (!isSelf && now == null && before != null) {
                    say("is out of reach", each, before, nodes);
                }
            }
            live = nodes.live();
            serviceNodes.changed(nodes, start -> node.membership().card(start));
        }

        private void onForgotten(Nodes nodes) {
            Set<Integer> before = forgotten.servers();
            for (int each : nodes.forgotten().servers()) {
                String name = names.get(each);
                if (!before.contains(each) && name != null) {
                    LOG.warn(
                            "Node {} (server id {}) is forgotten: its sessions and the messages"
                                    + " that waited for it are lost",
                            name,
                            each);
                }
            }
            for (Member each : nodes.members()) {
                if (before.contains(each.server())) {
                    LOG.info("Node {} was forgotten and is a member again", each.name());
                }
            }
            if (!nodes.forgotten().equals(forgotten)) {
                routes.forgotten().now(nodes.forgotten());
            }
            forgotten = nodes.forgotten();
            names = new HashMap<>();
            nodes.members().forEach(each -> names.put(each.server(), each.name()));
        }

        private void say(String what, Member member, NodeStart start, Nodes nodes) {
            LOG.info(
                    "Node {} (server id {}, start {}) {}: {} of {} members are here",
                    member.name(),
                    start.server(),
                    start.start(),
                    what,
                    nodes.live().size(),
                    nodes.members().size());
        }

        @Override
        public void onIntruder(String line) {
            if (intruder == null) {
                intruder = line;
                if (joined) {
                    onIntruder.accept(line);
                }
            }
        }
    }
}
