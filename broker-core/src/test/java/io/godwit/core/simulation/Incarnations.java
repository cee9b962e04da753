package io.godwit.core.simulation;

import io.godwit.core.auth.AccessControl;
import io.godwit.core.auth.AnonymousAccess;
import io.godwit.core.auth.Authenticator;
import io.godwit.core.auth.Authenticators;
import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.auth.Security;
import io.godwit.core.auth.Verdict;
import io.godwit.core.node.Broker;
import io.godwit.core.node.Cluster;
import io.godwit.core.node.NodeContext;
import io.godwit.core.packet.KeyedHash;
import io.godwit.core.packet.Packet;
import io.godwit.core.settings.Rules;
import io.godwit.core.store.Store;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * The starts of one node's broker and how each ends: in order, by a crash, or by a store that
 * fails. The next start follows by itself.
 */
final class Incarnations {
    private final Simulation run;
    private final SimulatedNode node;
    private final int number;
    private final long seed;
    private final SplittableRandom random;
    private final Rules rules;
    private final Storage storage;
    private final Watch watch;
    private final Scheduler scheduler;

    /** The broker of now; null while there is none. */
    private Incarnation broker;

    private int starts;
    private final List<Long> startedMicros = new ArrayList<>();
    private int crashes;
    private long heldBefore;

    /**
     * @param number of the node, 0 for the first
     * @param seed of this node alone
     * @param random that of the node, which its other parts draw from, too
     */
    Incarnations(
            Simulation run,
            SimulatedNode node,
            int number,
            long seed,
            SplittableRandom random,
            Rules rules,
            Storage storage,
            Watch watch) {
        this.run = run;
        this.node = node;
        this.number = number;
        this.seed = seed;
        this.random = random;
        this.rules = rules;
        this.storage = storage;
        this.watch = watch;
        scheduler = run.scheduler();
    }

    /** Null while there is none. */
    Incarnation broker() {
        return broker;
    }

    /** Whether the broker runs, and goes on running. */
    boolean isUp() {
        return broker != null
                && broker.ready
                && !broker.stopping
                && !broker.storeFailed
                && !broker.isPaused(scheduler.micros());
    }

    /** How often it was started so far. */
    int starts() {
        return starts;
    }

    /** How often it was started since a moment. */
    int startsSince(long micros) {
        return (int) startedMicros.stream().filter(each -> each > micros).count();
    }

    /** How often it has died so far. */
    int crashes() {
        return crashes;
    }

    /** Bytes of memory that were held by others than the broker of now. */
    long heldBefore() {
        return heldBefore;
    }

    /** Notes how much memory is held without a broker. */
    void measureHeld() {
        heldBefore = UnpooledByteBufAllocator.DEFAULT.metric().usedHeapMemory();
    }

    void start() {
        if (broker != null) {
            return;
        }
        int shards =
                starts == 0 || random.nextInt(3) > 0
                        ? node.profile().shards
                        : 1 + random.nextInt(4);
        Store store = new WatchedStore(storage.open(), watch);
        SimulatedCluster cluster = run.cluster();
        NodeContext context =
                new NodeContext(
                        node.profile().mqtt,
                        node.profile().limits,
                        node.profile().queues,
                        node.profile().overload,
                        SimulatedNode.SERVER_ID + number,
                        shards,
                        store,
                        scheduler,
                        new Security(
                                new Authenticators(
                                        List.of(new SometimesSlow()), Map.of(), Map.of()),
                                Map.of(),
                                new AnonymousAccess(AnonymousAccess.Policy.NOBODY, () -> {}),
                                AccessControl.OPEN,
                                Security.SessionOwner.ANYONE,
                                Security.AUTHENTICATE_MS),
                        () -> 0,
                        new KeyedHash(new SplittableRandom(seed)),
                        rules.packetIdsFrom(node.profile().firstPacketId),
                        cluster == null ? Cluster.NONE : cluster.begin(number));
        SimulatedLoop[] loops = new SimulatedLoop[shards];
        ArrayDeque<SimulatedLoop> running = new ArrayDeque<>();
        for (int i = 0; i < loops.length; i++) {
            loops[i] = new SimulatedLoop(scheduler, random.split(), running);
        }
        Incarnation made =
                new Incarnation(
                        ++starts,
                        scheduler.micros(),
                        new Broker(context, loops, random.split()),
                        loops,
                        store);
        node.note("---- start %s, %s shards", starts, shards);
        startedMicros.add(scheduler.micros());
        context.onStoreFailed(cause -> onStoreFailed(made, cause));
        if (cluster != null) {
            cluster.made(number, made.broker);
        }
        made.broker.recover();
        broker = made;
        if (cluster != null) {
            made.ready = false;
            cluster.started(number, () -> made.ready = true);
        }
    }

    /** The broker's process is stopped for a while, if it runs. */
    void pause(long micros) {
        if (isUp()) {
            node.note("---- does not run for %s ms", micros / 1000);
            node.count(Happening.NODE_PAUSED);
            long until = scheduler.micros() + micros;
            broker.pause(until);
            run.cluster().paused(number, until);
        }
    }

    /** The process ends, but not at once. */
    private void onStoreFailed(Incarnation of, Throwable cause) {
        node.note("---- the store has failed: %s", cause);
        node.count(Happening.STORE_FAILURE);
        of.storeFailed = true;
        scheduler.in(
                random.nextInt(20_000),
                () -> {
                    if (broker == of) {
                        crash();
                    }
                });
    }

    /** The broker dies now; it starts again after a while. */
    void crash() {
        node.note("---- crash");
        node.count(Happening.CRASH);
        crashes++;
        if (storage.crash()) {
            node.count(Happening.CRASH_WITH_UNSYNCED);
        }
        watch.crashed();
        down();
    }

    private void down() {
        Incarnation gone = broker;
        broker = null;
        if (gone != null) {
            if (run.cluster() != null) {
                run.cluster().gone(number);
            }
            gone.end();
            node.counts().gone(gone);
        }
        measureHeld();
        node.onBrokerGone();
        boolean stays = random.nextInt(3) == 0;
        scheduler.in(random.nextInt(stays ? 3_000_000 : 50_000), this::start);
    }

    /** The broker stops in order; it starts again after a while. */
    void stop() {
        node.note("---- the broker stops");
        Incarnation stopped = broker;
        stopped.stopping = true;
        stopped.broker.stop(() -> scheduler.in(random.nextInt(300_000), () -> stopped(stopped)));
    }

    private void stopped(Incarnation stopped) {
        if (broker == stopped && stopped.storeFailed) {
            crash();
        } else if (broker == stopped) {
            stopped.drain();
            stopped.store.close();
            watch.stopped();
            node.note("---- stopped");
            down();
        }
    }

    /** Lets all clients in; one in four waits for its answer. */
    private final class SometimesSlow implements Authenticator {
        private static final Verdict YES = new Verdict.Granted(Identity.ANONYMOUS);

        @Override
        public String name() {
            return "sometimes-slow";
        }

        @Override
        public void authenticate(Packet.Connect connect, Peer peer, Consumer<Verdict> verdict) {
            if (random.nextInt(4) == 0) {
                scheduler.in(random.nextInt(5_000), () -> verdict.accept(YES));
            } else {
                verdict.accept(YES);
            }
        }
    }
}
