package io.godwit.cluster.simulation;

import io.godwit.cluster.ClusterRules;
import io.godwit.cluster.membership.Membership;
import io.godwit.cluster.membership.MembershipSettings;
import io.godwit.cluster.membership.Nodes;
import io.godwit.cluster.membership.NodesListener;
import io.godwit.cluster.membership.Self;
import io.godwit.cluster.transport.Endpoint;
import io.godwit.cluster.transport.Handlers;
import io.godwit.cluster.transport.LinkContext;
import io.godwit.cluster.transport.LinkCounters;
import io.godwit.cluster.transport.LinkSettings;
import io.godwit.cluster.transport.LinkThreads;
import io.godwit.cluster.transport.Links;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.PeerListeners;
import io.godwit.cluster.transport.Transport;
import io.godwit.cluster.transport.TransportListener;
import io.godwit.cluster.transport.WallNodeClock;
import io.godwit.core.simulation.Scheduler;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/** One process of a node: the production classes, with the scheduler for threads. */
final class Process implements Transport, LinkThreads, NodesListener {
    private final Scheduler scheduler;
    private final RandomGenerator random;
    private final Network network;
    private final SimulatedEndpoint endpoint;
    private final Self self;
    private final Links links;
    private final Membership membership;
    private final Rooms rooms;
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final LinkCounters counters = new LinkCounters();
    private final List<long[]> pauses = new ArrayList<>();
    private long stoppedAtMs;
    private boolean tasksRun;
    private boolean stopped;
    private boolean dead;
    private boolean intruder;

    Process(
            Scheduler scheduler,
            RandomGenerator random,
            Network network,
            NodeStart start,
            int number,
            LinkSettings settings,
            ClusterRules rules,
            Disk disk,
            Checker checker) {
        this.scheduler = scheduler;
        this.random = random;
        this.network = network;
        endpoint = new SimulatedEndpoint(number, start.server());
        self = new Self(start, 1_000L + number, "n" + start.server(), "", "test");
        membership =
                new Membership(
                        self,
                        new MembershipSettings(
                                "test",
                                5_000,
                                settings.peerTimeoutMs(),
                                0,
                                MembershipSettings.PROTOCOL_MIN,
                                MembershipSettings.PROTOCOL),
                        rules,
                        scheduler,
                        disk,
                        this::execute,
                        this);
        rooms = new Rooms(this, checker, scheduler, random);
        Handlers handlers = new Handlers().with(membership, Membership.messages());
        rooms.register(handlers);
        links =
                new Links(
                        new LinkContext(
                                start,
                                settings,
                                handlers,
                                new WallNodeClock(scheduler, 5_000),
                                counters,
                                rules),
                        this,
                        this,
                        membership,
                        new PeerListeners(List.of(membership, rooms)));
    }

    void start() {
        network.join(this);
        tick();
    }

    private void tick() {
        if (!dead) {
            if (!stopped) {
                execute(() -> {
                    links.tick(scheduler.monotonicMs());
                    membership.tick(scheduler.monotonicMs());
                });
            }
            scheduler.background(LinkSettings.TICK_MS * 1000, this::tick);
        }
    }

    SimulatedEndpoint endpoint() {
        return endpoint;
    }

    NodeStart node() {
        return self.start();
    }

    Links links() {
        return links;
    }

    LinkCounters counters() {
        return counters;
    }

    Membership membership() {
        return membership;
    }

    Rooms rooms() {
        return rooms;
    }

    TransportListener listener() {
        return links;
    }

    boolean isStopped() {
        return stopped || dead;
    }

    boolean isDead() {
        return dead;
    }

    boolean isIntruder() {
        return intruder;
    }

    void stop() {
        stopped = true;
        stoppedAtMs = scheduler.monotonicMs();
    }

    void wake() {
        stopped = false;
        pauses.add(new long[] {stoppedAtMs, scheduler.monotonicMs()});
        // Its threads run in any order: the clock is looked at before what has come is read,
        // perhaps.
        tasks.addFirst(() -> links.tick(scheduler.monotonicMs()));
        runTasks();
        network.woken(this);
        rooms.awake();
        runTasks();
    }

    /** How long this process did not run since then. */
    long pausedMs(long sinceMs) {
        long sum = 0;
        for (long[] each : pauses) {
            sum += Math.max(0, each[1] - Math.max(sinceMs, each[0]));
        }
        return sum;
    }

    void crash() {
        dead = true;
        network.gone(this);
    }

    // ---- threads ----

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
        runTasks();
    }

    private void runTasks() {
        if (!tasksRun && !isStopped() && !tasks.isEmpty()) {
            tasksRun = true;
            scheduler.in(
                    1 + random.nextInt(200),
                    () -> {
                        tasksRun = false;
                        if (!isStopped()) {
                            tasks.remove().run();
                            runTasks();
                        }
                    });
        }
    }

    @Override
    public Sending startSending(Endpoint to, BooleanSupplier step) {
        return new SendingThread(step);
    }

    /** Sends a frame at a time; each may take a while. */
    private final class SendingThread implements Sending {
        private final BooleanSupplier step;
        private boolean isAwake;
        private boolean ended;

        SendingThread(BooleanSupplier step) {
            this.step = step;
        }

        @Override
        public void wake() {
            if (!isAwake && !ended) {
                isAwake = true;
                scheduler.in(1 + random.nextInt(100), this::run);
            }
        }

        private void run() {
            if (ended || dead) {
                return;
            }
            if (stopped) {
                scheduler.in(100_000, this::run);
            } else if (step.getAsBoolean()) {
                scheduler.in(
                        20 + random.nextInt(random.nextInt(50) == 0 ? 20_000 : 300), this::run);
            } else {
                isAwake = false;
            }
        }

        @Override
        public void stop() {
            ended = true;
        }
    }

    // ---- transport ----

    @Override
    public void open(TransportListener listener) {
        throw new UnsupportedOperationException("joins by start()");
    }

    @Override
    public void send(Endpoint to, byte[] frame, int length) {
        network.send(this, to, frame);
    }

    @Override
    public void close() {
        crash();
    }

    // ---- membership ----

    @Override
    public void onNodes(Nodes nodes) {
        rooms.onNodes(nodes);
    }

    @Override
    public void onIntruder(String line) {
        intruder = true;
    }

    @Override
    public String toString() {
        return endpoint + " (" + self.start() + ")";
    }
}
