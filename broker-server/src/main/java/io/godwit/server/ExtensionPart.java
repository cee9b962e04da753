package io.godwit.server;

import io.godwit.core.auth.Security;
import io.godwit.core.node.Broker;
import io.godwit.core.node.LocalPublisher;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.review.ReviewedPublish;
import io.godwit.core.review.Reviews;
import io.godwit.extension.ExtensionInfo;
import io.godwit.extension.HealthReport;
import io.godwit.server.config.Config;
import io.godwit.server.config.SecurityConfig;
import io.godwit.server.extension.ConfiguredExtensions;
import io.godwit.server.extension.ExtensionRuntime;
import io.godwit.server.extension.ExtensionThreads;
import io.godwit.server.extension.Extensions;
import io.godwit.server.extension.RunningExtension;
import io.godwit.server.extension.SessionServices;
import io.godwit.server.extension.call.CallSettings;
import io.godwit.server.extension.call.CallWatch;
import io.godwit.server.extension.call.CallsOwner;
import io.godwit.server.extension.call.CallsRuntime;
import io.godwit.server.extension.call.CallsState;
import io.godwit.server.extension.call.ExtensionCalls;
import io.godwit.server.extension.call.ExtensionHooks;
import io.godwit.server.extension.call.ExtensionPublishes;
import io.godwit.server.extension.call.ExtensionRetained;
import io.godwit.server.extension.call.OwnMeters;
import io.godwit.server.extension.call.ReviewOrder;
import io.godwit.server.extension.call.SetUpClients;
import io.godwit.server.service.ExtensionClients;
import io.godwit.server.service.ExtensionCluster;
import io.godwit.server.service.ExtensionQueues;
import io.godwit.server.service.ExtensionSubscriptions;
import io.godwit.server.service.ServiceCalls;
import io.godwit.server.service.Sessions;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The extensions of a broker: has them loaded, and has what they registered asked and told. */
final class ExtensionPart {
    /** Bytes of calls that may wait for one extension. */
    private static final long WAITING_BYTES = 16L << 20;

    private final Config config;
    private final Security security;
    private final AuthenticatorChains chains;
    private final Broker broker;
    private final Reviews reviews;
    private final Faults faults;
    private final Sessions sessions;
    private final CallWatch watcher;

    private final @Nullable Extensions extensions;

    /** Keeps the order of each client's packets, also when extensions change. */
    private final ReviewOrder order = new ReviewOrder();

    private final SetUpClients clients = new SetUpClients();

    /** Holds the hooks of the extensions that run; null before the first one runs. */
    private volatile @Nullable ExtensionHooks hooks;

    private volatile List<OwnMeters> meters = List.of();
    private volatile List<ExtensionHooks.Running> running = List.of();
    private volatile Set<String> authenticating = Set.of();
    private volatile Set<String> authorizing = Set.of();

    /**
     * @param timer says when to look at the folder
     * @throws StartFailed an extension that is needed is not there
     */
    ExtensionPart(
            Config config,
            Security security,
            AuthenticatorChains chains,
            Broker broker,
            Reviews reviews,
            Faults faults,
            Extensions.Timer timer,
            Sessions sessions,
            ForKit kit)
            throws StartFailed {
        this.config = config;
        this.security = security;
        this.chains = chains;
        this.broker = broker;
        this.reviews = reviews;
        this.faults = faults;
        this.sessions = sessions;
        this.watcher = kit.calls();
        broker.context().load().memory().extensions(clients::attributeBytes);
        extensions =
                ConfiguredExtensions.of(
                        config,
                        ConfiguredExtensions.named(config),
                        chains.methods(),
                        kit.mainClasses(),
                        this::run,
                        timer,
                        this::changed);
    }

    /** Returns what loads them; null: there are none. */
    @Nullable Extensions extensions() {
        return extensions;
    }

    /** Says how the calls of those that run are doing. */
    List<CallsState> states() {
        return running.stream().map(each -> each.calls().state()).toList();
    }

    /** Returns those that run, in any order. */
    List<ExtensionHooks.Running> running() {
        return running;
    }

    /** Returns the meters of those that run. */
    List<OwnMeters> meters() {
        return meters;
    }

    /**
     * Starts all of them; returns when each runs or has failed.
     *
     * @throws StartFailed one that is needed does not run, or does not do what it is needed for
     */
    void start() throws StartFailed {
        if (extensions == null) {
            return;
        }
        extensions.start();
        checkRegistered(
                ConfiguredExtensions.authenticators(config), authenticating, "an authenticator");
        checkRegistered(ConfiguredExtensions.authorizers(config), authorizing, "an authorizer");
    }

    private static void checkRegistered(Set<String> named, Set<String> registered, String what)
            throws StartFailed {
        for (String each : named) {
            if (!registered.contains(each)) {
                throw new StartFailed(
                        "the extension "
                                + each
                                + " is named as "
                                + what
                                + ", and has registered none");
            }
        }
    }

    void stop(long timeoutMs) {
        if (extensions != null) {
            extensions.stop(timeoutMs);
        }
    }

    private ExtensionRuntime run(
            ExtensionInfo info,
            ExtensionThreads threads,
            ClassLoader loader,
            long callMs,
            int waiting,
            HealthReport health) {
        CallsOwner owner =
                new CallsOwner() {
                    @Override
                    public void onFailed(String why) {
                        health.failed(why);
                    }

                    @Override
                    public void onFault(VirtualMachineError fault) {
                        faults.onExtension(info.id(), fault);
                    }
                };
        int pool = threads.isVirtual() ? CallSettings.VIRTUAL : threads.platform();
        ExtensionCalls made =
                ExtensionCalls.start(
                        info.id(),
                        new CallSettings(
                                pool,
                                Duration.ofMillis(callMs),
                                waiting,
                                WAITING_BYTES,
                                threads.cpu()),
                        loader,
                        owner,
                        watcher);
        int bytesMax = config.mqtt().maximumPacketSize();
        ExtensionPublishes publishes =
                new ExtensionPublishes(
                        info.id(),
                        publisher(broker.localPublisher()),
                        () -> hooks,
                        made.executor(),
                        bytesMax);
        ServiceCalls asked = new ServiceCalls(made.executor(), waiting);
        ExtensionCluster cluster = new ExtensionCluster(info.id(), sessions, made.executor());
        return new CallsRuntime(
                made,
                publishes,
                new ExtensionRetained(
                        new RetainedReader(broker.retained()), publishes, made.executor()),
                new SessionServices(
                        new ExtensionClients(asked, sessions),
                        new ExtensionSubscriptions(asked, sessions),
                        new ExtensionQueues(asked, sessions),
                        cluster,
                        cluster::close),
                clients);
    }

    private static ExtensionPublishes.Publisher publisher(LocalPublisher local) {
        return new ExtensionPublishes.Publisher() {
            @Override
            public void publish(ReviewedPublish message, Consumer<@Nullable ReasonCode> done) {
                local.publish(message, done);
            }

            @Override
            public void dropped() {
                local.dropped();
            }
        };
    }

    /** Has those asked and told that run now. */
    private void changed(List<RunningExtension> now) {
        List<ExtensionHooks.Running> some =
                now.stream()
                        .map(each ->
                                new ExtensionHooks.Running(
                                        each.registered(), ((CallsRuntime) each.runtime()).calls()))
                        .toList();
        List<ExtensionHooks.Running> before = running;
        ExtensionHooks made =
                new ExtensionHooks(
                        some,
                        order,
                        config.mqtt().maximumPacketSize(),
                        config.security().authorizers());
        hooks = made;
        meters = now.stream().map(each -> ((CallsRuntime) each.runtime()).ownMeters()).toList();
        running = some;
        authenticating = Set.copyOf(made.authenticators().keySet());
        authorizing = made.authorizing();
        security.authenticators(chains.with(made.authenticators(), made.methods()));
        if (!made.authenticators().isEmpty() || !made.methods().isEmpty()) {
            authenticates();
        }
        reviews.reviewer(made.reviewer());
        reviews.events(made.events());
        reviews.deliveries(made.deliveries());
        reviews.sessionEvents(made.sessionEvents());
        reviews.connects(made.connects());
        reviews.packets(made.packets());
        // Behind the tables: what clients have of their own is made of these from then on.
        boolean wereSetUp = reviews.setups() != null;
        boolean areSetUp = clients.running(some);
        reviews.setups(areSetUp ? clients : null);
        if (areSetUp && !wereSetUp) {
            broker.reviewClients();
        }
        before.forEach(each -> resume(each.calls(), some, made));
    }

    /** Lets go on what waits for an extension that was stopped to be replaced. */
    private static void resume(
            ExtensionCalls before, List<ExtensionHooks.Running> now, ExtensionHooks hooks) {
        if (now.stream().noneMatch(each -> each.calls() == before)) {
            boolean isReplaced =
                    now.stream().anyMatch(each -> each.calls().id().equals(before.id()));
            before.resume(isReplaced ? hooks : null);
        }
    }

    /**
     * Closes what is open only as long as nothing authenticates. It stays closed: an extension that
     * fails opens nothing.
     */
    private void authenticates() {
        SecurityConfig.Auto auto = config.security().auto();
        if (auto.anonymous()) {
            security.anonymous(ConfiguredParts.anonymousAccess(SecurityConfig.Anonymous.NOBODY));
        }
        if (auto.owner()) {
            security.sessionOwner(Security.SessionOwner.USER);
        }
    }

    /** Whether extensions authenticate clients. */
    boolean isAuthenticating() {
        return !authenticating.isEmpty();
    }
}
