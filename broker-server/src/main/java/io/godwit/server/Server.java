package io.godwit.server;

import io.godwit.cluster.broker.BrokerCluster;
import io.godwit.core.auth.AccessControl;
import io.godwit.core.auth.EnhancedAuthenticator;
import io.godwit.core.auth.Security;
import io.godwit.core.metrics.Metric;
import io.godwit.core.node.Broker;
import io.godwit.core.node.Cluster;
import io.godwit.core.node.NodeContext;
import io.godwit.core.packet.KeyedHash;
import io.godwit.core.settings.Rules;
import io.godwit.core.store.Store;
import io.godwit.core.time.TimeSource;
import io.godwit.persistence.health.StoreDamaged;
import io.godwit.server.admin.AdminServer;
import io.godwit.server.admin.BackupFolder;
import io.godwit.server.admin.BackupPage;
import io.godwit.server.admin.ClusterPage;
import io.godwit.server.admin.ExtensionsPage;
import io.godwit.server.admin.ReloadPage;
import io.godwit.server.cluster.ClusterPart;
import io.godwit.server.config.BindAddress;
import io.godwit.server.config.Config;
import io.godwit.server.config.ListenerConfig;
import io.godwit.server.data.DataFolder;
import io.godwit.server.extension.ExtensionMeters;
import io.godwit.server.extension.Extensions;
import io.godwit.server.extension.call.CallMeters;
import io.godwit.server.extension.call.OwnMetersPage;
import io.godwit.server.http.OwnNames;
import io.godwit.server.launch.ProcessAge;
import io.godwit.server.listener.Admission;
import io.godwit.server.listener.Inlet;
import io.godwit.server.listener.Listeners;
import io.godwit.server.listener.OutboundBacklogs;
import io.godwit.server.listener.TlsMeters;
import io.godwit.server.logging.Logs;
import io.godwit.server.loop.EventLoops;
import io.godwit.server.reload.FileMemory;
import io.godwit.server.reload.ReloadService;
import io.godwit.server.rules.ActiveRules;
import io.godwit.server.security.users.Users;
import io.godwit.server.security.users.UsersReload;
import io.godwit.server.service.ServiceNodes;
import io.godwit.server.service.SessionAnswers;
import io.godwit.server.service.Sessions;
import io.godwit.server.tls.ListenerTls;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running broker: wires configuration, data folder, store, shards, listeners and admin port
 * together, in this order, and takes them apart in the other.
 */
public final class Server implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Server.class);
    private static final Logger READY = LoggerFactory.getLogger(Logs.READY_LOGGER);
    private static final long CLOCK_CHECK_MS = 1_000;

    /** Ids are reserved a second ahead, at each start. */
    private static final long CLOCK_BEHIND_MS = 10_000;

    private static final long POLL_MS = 5;

    /** A little more than an orderly close takes whose peer does nothing. */
    private static final long GOODBYE_MS = 700;

    /** What is left of stop.timeout when sessions have gone to other nodes, or could not. */
    private static final long AFTER_DRAIN_MS = 1_500;

    private final Config config;
    private final DataFolder data;
    private final Store store;
    private final EventLoops loops;
    private final OutboundBacklogs backlogs;
    private final Broker broker;
    private final Admission admission;
    private final Listeners listeners;
    private final ReloadService reloads = new ReloadService();
    private final @Nullable Users users;
    private final Health health = new Health();
    private final Faults faults;
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final @Nullable ClusterPart cluster;
    private final @Nullable ActiveRules rules;
    private final ExtensionPart extensions;
    private final Sessions sessions;
    private @Nullable AdminServer admin;

    /**
     * What stands behind the core.
     *
     * @param store what it opens is closed with the server
     * @param enhancedAuthenticators by Authentication Method
     * @param wallClock epoch milliseconds; asked about once a second
     */
    record Ports(
            StoreOpener store,
            Map<String, EnhancedAuthenticator> enhancedAuthenticators,
            LongSupplier wallClock,
            ForKit kit) {
        /** Ports without a kit. */
        Ports(
                StoreOpener store,
                Map<String, EnhancedAuthenticator> enhancedAuthenticators,
                LongSupplier wallClock) {
            this(store, enhancedAuthenticators, wallClock, ForKit.NONE);
        }

        /** The usual ports, and a kit. */
        static Ports of(ForKit kit) {
            return new Ports(ConfiguredStore::open, Map.of(), System::currentTimeMillis, kit);
        }

        /** Ports with a store that is open. */
        Ports(
                Store store,
                Map<String, EnhancedAuthenticator> enhancedAuthenticators,
                LongSupplier wallClock) {
            this((config, data, time, serverId) -> store, enhancedAuthenticators, wallClock);
        }

        /** Returns the time that the broker goes by. */
        TimeSource shown(SystemTime time) {
            return kit == ForKit.NONE ? time : new PassedTime(time, kit.passedMs());
        }
    }

    private Server(
            Config config,
            DataFolder data,
            SystemTime time,
            Store store,
            @Nullable Users users,
            FileMemory files,
            Ports ports)
            throws StartFailed {
        this.config = config;
        this.users = users;
        this.data = data;
        this.store = store;
        faults = new Faults(data.path(), health);
        Path rulesFile = config.security().rules();
        rules =
                rulesFile == null
                        ? null
                        : ActiveRules.open(rulesFile, config.listenerNames(), files);
        int shards = config.server().shards();
        loops = new EventLoops(shards, ConfiguredParts.transport(config), faults::onShard);
        backlogs = new OutboundBacklogs(loops, config.overload().outboundBytes());
        loops.get(0)
                .scheduleWithFixedDelay(
                        () -> time.adjust(this::onClockJump),
                        CLOCK_CHECK_MS,
                        CLOCK_CHECK_MS,
                        TimeUnit.MILLISECONDS);
        BrokerCluster routes = config.cluster().enabled() ? ClusterPart.routes(config, data) : null;
        AuthenticatorChains chains =
                new AuthenticatorChains(
                        config,
                        ConfiguredParts.authenticators(users),
                        ConfiguredParts.methods(users, ports.enhancedAuthenticators()));
        Security security =
                ConfiguredParts.security(
                        config,
                        chains.with(Map.of(), Map.of()),
                        rules == null ? AccessControl.OPEN : rules.loaded().list());
        NodeContext context =
                new NodeContext(
                        config.mqtt(),
                        config.limits(),
                        config.queues(),
                        config.overload(),
                        data.serverId(),
                        shards,
                        store,
                        ports.shown(time),
                        security,
                        backlogs::bytes,
                        new KeyedHash(new SecureRandom()),
                        Rules.ALL,
                        routes == null ? Cluster.NONE : routes);
        context.onStoreFailed(faults::onStore);
        context.load().memory().files(files::bytes);
        if (users != null) {
            context.load().memory().hashes(users::memoryBytes);
        }
        long aheadMs = time.startAbove(context.seenMs());
        if (context.seenMs() > 0 && aheadMs > TimeSource.LONG_STOP_MS) {
            log.warn(
                    "The wall clock is {} h ahead of the store's latest time: nothing expires"
                            + " until it has held for {} s. Check the machine's clock, unless the broker was"
                            + " stopped for that long",
                    aheadMs / 3_600_000,
                    config.session().clockHoldMs() / 1000);
        }
        if (-aheadMs > CLOCK_BEHIND_MS) {
            log.warn(
                    "The wall clock is {} s behind the store's latest time: it is ignored until it"
                            + " catches up. Check the machine's clock",
                    -aheadMs / 1000);
        }
        broker =
                new Broker(
                        context, loops.all(), new SplittableRandom(new SecureRandom().nextLong()));
        if (rules != null) {
            log.info("Rules: {}", rules.loaded().summary());
            rules.onChange(list -> {
                security.accessControl(list);
                broker.reviewClients();
            });
        }
        cluster =
                routes == null
                        ? null
                        : new ClusterPart(config, data, routes, broker, time, faults::onIntruder);
        sessions = sessions(config, data, broker, cluster);
        extensions =
                new ExtensionPart(
                        config,
                        security,
                        chains,
                        broker,
                        context.reviews(),
                        faults,
                        (ms, task) ->
                                loops.get(0)
                                        .scheduleWithFixedDelay(
                                                task, ms, ms, TimeUnit.MILLISECONDS),
                        sessions,
                        ports.kit());
        admission = ConfiguredParts.admission(config, shards);
        Inlet[] inlets = new Inlet[shards];
        for (int i = 0; i < shards; i++) {
            inlets[i] = new ShardInlet(broker.shard(i));
        }
        listeners =
                new Listeners(
                        loops,
                        inlets,
                        admission,
                        config.overload(),
                        config.mqtt().maximumPacketSize(),
                        backlogs,
                        new OwnNames(config.node().hostName(), List.of()),
                        files);
    }

    /** Returns what asks the nodes that have sessions, and has their questions answered here. */
    private static Sessions sessions(
            Config config, DataFolder data, Broker broker, @Nullable ClusterPart cluster) {
        ServiceNodes nodes =
                cluster == null
                        ? ServiceNodes.alone(
                                data.serverId(), config.node().name(), Version.current())
                        : cluster.serviceNodes();
        SessionAnswers answers = new SessionAnswers(broker.clients(), nodes);
        if (cluster != null) {
            cluster.answerBy(answers);
        }
        return new Sessions(nodes, answers);
    }

    /**
     * Starts a broker; returns when every listener accepts.
     *
     * @throws StartFailed says what the operator can do; nothing is left open
     */
    public static Server start(Config config) throws StartFailed {
        return start(config, failure -> {});
    }

    /**
     * Starts a broker; returns when every listener accepts.
     *
     * @param onFailure told why it fails, before what was opened is closed: on a full disk that
     *     takes a second
     * @throws StartFailed the same, when nothing is left open
     */
    public static Server start(Config config, Consumer<StartFailed> onFailure) throws StartFailed {
        return start(config, Ports.of(ForKit.NONE), onFailure);
    }

    /** Starts the broker with parts that a test brings along. */
    static Server start(Config config, Ports ports) throws StartFailed {
        return start(config, ports, failure -> {});
    }

    private static Server start(Config config, Ports ports, Consumer<StartFailed> onFailure)
            throws StartFailed {
        if (ports.kit() == ForKit.NONE) {
            Logs.configure(config.log(), config.node().name());
        }
        DataFolder data = null;
        Store store = null;
        Users users = null;
        Server server = null;
        boolean started = false;
        try {
            data = DataFolder.open(config.node().data());
            SystemTime time =
                    new SystemTime(
                            System::nanoTime, ports.wallClock(), config.session().clockHoldMs());
            FileMemory files = new FileMemory(config.security().filesBytesMax());
            users = ConfiguredParts.users(config, files);
            store = ports.store().open(config, data.path(), ports.shown(time), data.serverId());
            server = new Server(config, data, time, store, users, files, ports);
            server.open();
            started = true;
            return server;
        } catch (StartFailed e) {
            onFailure.accept(e);
            throw e;
        } catch (StoreDamaged e) {
            StartFailed failed = new StartFailed(String.valueOf(e.getMessage()), e);
            onFailure.accept(failed);
            throw failed;
        } finally {
            if (!started) {
                if (server != null) {
                    server.close();
                } else {
                    if (store != null) {
                        store.close();
                    }
                    if (users != null) {
                        users.close();
                    }
                    if (data != null) {
                        data.close();
                    }
                }
            }
        }
    }

    private void open() throws StartFailed {
        broker.recover();
        for (int i = 0; i < broker.shards(); i++) {
            loops.get(i).start(broker.shard(i));
        }
        openAdmin();
        extensions.start();
        if (cluster != null) {
            health.joining();
            cluster.join(health::waiting);
        }
        for (ListenerConfig listener : config.listeners()) {
            listeners.bind(listener);
            ListenerTls tls = listeners.tls(listener.name());
            if (tls != null) {
                reloads.watch(tls, config.reload().tlsMs());
            }
        }
        if (users != null) {
            reloads.watch(
                    new UsersReload(users, broker::reviewClients), config.security().reloadMs());
        }
        if (rules != null) {
            reloads.watch(rules, config.security().reloadMs());
        }
        ClusterPart part = cluster;
        if (part != null) {
            Runnable tell =
                    () ->
                            part.tellSecurityFiles(
                                    SecurityFileDigests.of(config, users, rules, listeners));
            reloads.onChange(tell);
            tell.run();
        }
        if (config.sys().intervalMs() > 0) {
            broker.startSysTopics(config.sys().intervalMs(), "godwit version " + Version.current());
        }
        listeners.accept();
        health.ready();
        ConfiguredParts.warnOfOpenDoors(config, extensions.isAuthenticating());
        if (admin != null) {
            admin.warmUp();
        }
    }

    /** First, so that who asks how the start goes is answered. */
    private void openAdmin() throws StartFailed {
        BindAddress adminBind = config.admin().bind();
        if (adminBind != null) {
            admin =
                    AdminServer.start(
                            config.admin(),
                            adminBind,
                            config.node(),
                            broker,
                            store,
                            admission,
                            health,
                            backups(),
                            new ClusterPage(cluster),
                            new ReloadPage(reloads),
                            new ExtensionsPage(extensions.extensions()),
                            meters(),
                            sessions);
        }
    }

    /** Has what may change while the broker runs read again from the configuration. */
    Server reloadFrom(ConfigSource source) {
        reloads.register(new LogLevelReload(source, config.log().level()));
        Extensions loaded = extensions.extensions();
        if (loaded != null) {
            reloads.register(new SettingsReload(source, loaded));
        }
        return this;
    }

    private List<MeterBinder> meters() {
        List<MeterBinder> meters = new ArrayList<>();
        meters.add(new TlsMeters(listeners, encrypted()));
        Extensions loaded = extensions.extensions();
        if (loaded != null) {
            meters.add(new ExtensionMeters(loaded));
            meters.add(new CallMeters(extensions::states));
            meters.add(new OwnMetersPage(extensions::meters));
        }
        if (users != null) {
            meters.add(users::bindTo);
        }
        if (rules != null) {
            meters.add(rules);
        }
        return meters;
    }

    private List<String> encrypted() {
        return config.listeners().stream()
                .filter(each -> each.tls() != null)
                .map(ListenerConfig::name)
                .toList();
    }

    private BackupPage backups() {
        return new BackupPage(
                store instanceof NodeStore node ? node::backup : null,
                new BackupFolder(
                        config.store().backupFolder(),
                        data.path().resolve(ConfiguredStore.FOLDER)));
    }

    private void tellReady() {
        List<String> open = new ArrayList<>(listeners.describe());
        if (admin != null) {
            open.add("admin http " + admin.addressText());
        }
        READY.info(
                "godwit {} is ready after {} ms as node {}: {}; data in {}",
                Version.current(),
                ProcessAge.ms(),
                config.node().name(),
                String.join(", ", open),
                data.path());
    }

    private void onClockJump(long ms) {
        broker.shard(0).counters().increment(Metric.CLOCK_JUMPS); // on its thread
        log.warn(
                "The wall clock jumped by {} s; the new time is used once it has held for {}"
                        + " s",
                ms / 1000,
                config.session().clockHoldMs() / 1000);
    }

    /** The first fault of a shard or of the store; null as long as all is well. */
    public @Nullable Throwable fault() {
        return faults.first();
    }

    /** The real port of a listener. */
    public int port(String listener) {
        return listeners.address(listener).getPort();
    }

    /** The real port of the admin server; 0 without one. */
    public int adminPort() {
        return admin == null ? 0 : admin.port();
    }

    public Path dataFolder() {
        return data.path();
    }

    public Broker broker() {
        return broker;
    }

    ExtensionPart extensions() {
        return extensions;
    }

    EventLoops loops() {
        return loops;
    }

    /** Returns how many bytes wait to be written to sockets. */
    long outboundBytes() {
        return backlogs.bytes();
    }

    /**
     * For a broker that is the whole process, called once: makes the process end orderly on SIGTERM
     * and SIGINT, with exit code 0, and with 1 after a fault, at once and with 3 when the heap is
     * used up, and says that it is ready.
     */
    public void runAsProcess() {
        faults.endWith(() -> new Thread(() -> System.exit(1), "exit").start(), HeapUsedUp::end);
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(
                                () -> {
                                    close();
                                    Logs.stop();
                                    // Otherwise the JVM reports 143 for SIGTERM.
                                    Runtime.getRuntime().halt(faults.first() == null ? 0 : 1);
                                },
                                "stop"));
        ProcessSignals.onReload(reloads::reloadAll);
        tellReady(); // Last: who reads that it is ready may stop it at once.
    }

    /**
     * Stops: nobody new comes in, clients are told, wills published, everything flushed; all within
     * stop.timeout. With cluster.drain clients are sent to other nodes first.
     */
    @Override
    public void close() {
        if (!stopped.compareAndSet(false, true)) {
            return;
        }
        long deadline =
                System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(config.stop().timeoutMs());
        reloads.close();
        boolean wasReady = health.isReady();
        ClusterPart leaves = wasReady && cluster != null && cluster.hasOthers() ? cluster : null;
        if (leaves != null) {
            health.draining();
            leaves.awaitBalancers(msUntil(deadline) / 2);
        } else {
            health.stopping();
        }
        if (wasReady) {
            log.info("Stopping: {} connections", admission.connections());
        }
        listeners.stopAccepting(msUntil(deadline));
        if (leaves != null) {
            leaves.leave(Math.max(msUntil(deadline) / 2, msUntil(deadline) - AFTER_DRAIN_MS));
            health.stopping();
        }
        if (wasReady) {
            sayGoodbye(deadline);
        }
        extensions.stop(msUntil(deadline) / 2);
        if (cluster != null) {
            cluster.close();
        }
        if (users != null) {
            users.close();
        }
        boolean ended = loops.stop(Math.max(100, msUntil(deadline)));
        if (admin != null) {
            admin.close();
        }
        if (ended) {
            listeners.release(); // otherwise a loop may still read into its buffer
        }
        store.close();
        data.close();
        if (wasReady) {
            log.info(ended ? "Stopped" : "Stopped; a shard did not stop in time");
        }
    }

    private void sayGoodbye(long deadline) {
        CountDownLatch told = new CountDownLatch(1);
        if (cluster != null) {
            cluster.sayGoodbye();
        }
        broker.stop(told::countDown);
        try {
            if (!told.await(msUntil(deadline), TimeUnit.MILLISECONDS)) {
                log.warn("Not every client could be notified in time that the broker is stopping");
            }
            // Who reads slowly has until the deadline; who has everything and doesn't close, or
            // never sent CONNECT and so was not told, a moment.
            long moment = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(GOODBYE_MS);
            while (admission.connections() > 0
                    && msUntil(deadline) > 0
                    && (msUntil(moment) > 0 || backlogs.bytes() > 0)) {
                Thread.sleep(POLL_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static long msUntil(long deadline) {
        return Math.max(0, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()));
    }
}
