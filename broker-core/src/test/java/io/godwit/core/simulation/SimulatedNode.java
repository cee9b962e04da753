package io.godwit.core.simulation;

import io.godwit.core.codec.PacketDecoder;
import io.godwit.core.codec.Role;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.settings.Rules;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * One node of a run: its broker of one to four shards, its store, its clients, and who checks them.
 * Nodes share the schedule and its clock; those of a cluster also who checks them.
 */
public final class SimulatedNode {
    static final int SERVER_ID = 7;

    /** Clients of a node of a cluster are numbered from a multiple of this. */
    private static final int CLIENTS = 100;

    /** Clients act so much longer in a run in which nodes do not run for a while. */
    private static final long PAUSES_MICROS = 4_000_000;

    private final Simulation run;
    private final int number;
    private final SplittableRandom random;
    private final Scheduler scheduler;
    private final Profile profile;
    private final Storage storage;
    private final Watch watch = new Watch(this);
    private final PacketDecoder clientDecoder = new PacketDecoder(Role.CLIENT, 16);
    private final Checker checker;
    private final Invariants invariants;
    private final List<SimulatedClient> clients = new ArrayList<>();
    private final SimulatedClient observer;
    private final Impostors impostors = new Impostors(this);
    private final BrokerCounts counts;
    private final Trouble trouble;
    private final Healing healing;
    private final Incarnations incarnations;

    private Workload workload;

    /**
     * @param number 0 for the first
     * @param seed of this node alone
     */
    SimulatedNode(Simulation run, int number, long seed, Rules rules, Storage.Maker storages) {
        this.run = run;
        this.number = number;
        scheduler = run.scheduler();
        checker = run.checker();
        // Seeds that follow one another shall not begin alike.
        random = new SplittableRandom(seed * 0x9E37_79B9_7F4A_7C15L);
        // One of three, chosen without a draw: seeds that have found a bug go on finding it.
        profile = new Profile(random, Math.floorMod(seed, 3) == 1, Shortage.of(seed));
        storage = storages.make(this);
        incarnations = new Incarnations(run, this, number, seed, random, rules, storage, watch);
        invariants = new Invariants(this);
        counts = new BrokerCounts(run, this);
        trouble = new Trouble(this, storage);
        observer = new SimulatedClient(this, firstClient() + 99, ProtocolVersion.MQTT_5, 600, -1);
        for (int i = 0; i < profile.clients; i++) {
            ProtocolVersion version = ProtocolVersion.values()[random.nextInt(3)];
            long expiry =
                    version.isV5()
                            ? Profile.pick(random, 0, 1, 3, 600, 600)
                            : random.nextInt(3) == 0 ? 0 : profile.mqtt.sessionExpiry3x();
            int shard = profile.sameShard ? random.nextInt(profile.shards) : -1;
            clients.add(new SimulatedClient(this, firstClient() + i, version, expiry, shard));
        }
        healing = new Healing(this, storage, invariants, observer);
    }

    boolean isOneOfCluster() {
        return run.cluster() != null;
    }

    /**
     * Whether this run is about groups with members at several nodes: one of four is, chosen
     * without a draw.
     */
    boolean sharesOverNodes() {
        return run.cluster() != null && Math.floorMod(run.seed(), 4) == 1;
    }

    /**
     * Whether in this run nodes do not run for a while now and then: one of five is such, chosen
     * without a draw.
     */
    boolean isAboutPauses() {
        return run.cluster() != null && Math.floorMod(run.seed(), 5) == 2;
    }

    /** The number of this node's first client. */
    private int firstClient() {
        return run.cluster() == null ? 0 : number * CLIENTS;
    }

    /** A client of this node or, in a cluster, of any: its number. */
    int anyClient(RandomGenerator of) {
        int client = of.nextInt(profile.clients);
        return run.cluster() == null ? client : of.nextInt(run.nodeCount()) * CLIENTS + client;
    }

    // ---------------------------------------------------------------- the phases of a run

    /** Starts the broker; the observer connects. */
    void open() {
        incarnations.measureHeld();
        incarnations.start();
        observer.healing = true;
        observer.heal();
    }

    void observeWills() {
        observer.subscribing.observe("w/#");
    }

    /**
     * The clients begin.
     *
     * @return when they may stop, in microseconds
     */
    long begin() {
        storage.trouble();
        workload = new Workload(this, random.split());
        clients.forEach(workload::start);
        long end = scheduler.micros() + profile.actMicros + (isAboutPauses() ? PAUSES_MICROS : 0);
        trouble.next();
        if (isAboutPauses()) {
            pauseSoon(new SplittableRandom(run.seed() ^ number), end);
        }
        return end;
    }

    /** The node does not run for a while now and then, while the clients act. */
    private void pauseSoon(RandomGenerator of, long end) {
        scheduler.background(
                of.nextInt(3_000_000),
                () -> {
                    if (scheduler.micros() < end) {
                        incarnations.pause(500_000 + of.nextInt(4_500_000));
                        pauseSoon(of, end);
                    }
                });
    }

    /** After each step while the clients act. */
    void maybeTrouble() {
        trouble.maybe();
    }

    /** The clients begin nothing more, and the broker is left in peace. */
    void end() {
        workload.stop();
        leaveInPeace();
    }

    void leaveInPeace() {
        trouble.end();
    }

    /** Whether the node runs, and goes on running. */
    boolean isUp() {
        return incarnations.isUp();
    }

    /** The broker dies now; it starts again after a while. */
    public void crash() {
        incarnations.crash();
    }

    /** The broker stops in order; it starts again after a while. */
    void stop() {
        incarnations.stop();
    }

    void onBrokerGone() {
        checker.onBrokerGone(this);
        clients.forEach(SimulatedClient::onBrokerGone);
        observer.onBrokerGone();
    }

    void heal() {
        healing.heal();
    }

    /** Everyone is connected and has everything. */
    void checkHealed() {
        healing.check(workload);
    }

    void leave() {
        healing.leave();
    }

    void checkRetained() {
        new RetainedCheck(this, checker).check(observer.view, healing.droppedWhileReading());
    }

    /** Everyone has left. */
    void checkLeft() {
        invariants.atEnd();
        if (!run.isSharedMemoryUncertain()) {
            invariants.atEnd(incarnations.heldBefore());
        }
    }

    /** Everyone has left, the broker was started once more, and some seconds have passed. */
    void checkRest() {
        checker.check(storage.rest().isEmpty(), "LEAK in the store: %s", storage.rest());
        counts.gather(broker());
    }

    void afterStep() {
        if (broker() != null) {
            invariants.afterStep();
        }
    }

    /** The power has gone in the middle of a write. */
    void powerCut() {
        count(Happening.POWER_CUT_IN_A_WRITE);
        crash();
    }

    boolean isStorage(Storage other) {
        return storage == other;
    }

    /** An alarm may wait for the store's window, which ends once a second. */
    boolean isAlarm() {
        return broker() != null && broker().broker.context().load().memory().isAlarm();
    }

    // ---------------------------------------------------------------- what the parts ask

    /** Returns an id for a client whose sessions are here. */
    ClientId clientId(String client) {
        SimulatedCluster cluster = run.cluster();
        return cluster == null ? ClientId.of(client) : cluster.clientId(number, client);
    }

    /** Whether the session is still the one that its client id has. */
    boolean isThere(SessionView view) {
        return broker() != null && invariants.generationOf(clientOf(view)) == view.generation;
    }

    /** The counts of all brokers that this node has had. */
    BrokerCounts counts() {
        return counts;
    }

    Impostors impostors() {
        return impostors;
    }

    SimulatedClient clientOf(SessionView view) {
        return view.client == observer.index ? observer : clients.get(view.client - firstClient());
    }

    /** Whether it is the client that sees all Wills, and what is retained at the end. */
    boolean isObserver(SimulatedClient client) {
        return client == observer;
    }

    public void count(Happening happening) {
        run.count(happening, 1);
    }

    public void note(String format, Object... of) {
        run.note(number, format, of);
    }

    /** The next moment: every observation has its own. */
    long moment() {
        return run.nextMoment();
    }

    public Scheduler scheduler() {
        return scheduler;
    }

    /** Returns the server id of this node. */
    public int serverId() {
        return SERVER_ID + number;
    }

    public RandomGenerator random() {
        return random;
    }

    /** What there is too little of. */
    public Shortage shortage() {
        return profile.shortage;
    }

    Profile profile() {
        return profile;
    }

    /** Null while there is none. */
    Incarnation broker() {
        return incarnations.broker();
    }

    BrokerShard shard(int shard) {
        return broker().broker.shard(shard);
    }

    int shards() {
        return broker().broker.shards();
    }

    /** How often it was started since a moment. */
    int startsSince(long micros) {
        return incarnations.startsSince(micros);
    }

    /**
     * How often it may have given again, after a start, what waits for a node that is away: those
     * that have had it are not remembered.
     */
    int startsWhileAnotherWasAway(long sinceMicros) {
        return isOneOfCluster() && run.wasAnotherAway(this, sinceMicros)
                ? startsSince(sinceMicros)
                : 0;
    }

    /** How often the broker was started so far. */
    public int starts() {
        return incarnations.starts();
    }

    /** How often it has died so far. */
    int crashes() {
        return incarnations.crashes();
    }

    PacketDecoder clientDecoder() {
        return clientDecoder;
    }

    Checker checker() {
        return checker;
    }

    Watch watch() {
        return watch;
    }

    List<SimulatedClient> clients() {
        return clients;
    }
}
