package io.godwit.server.extension;

import io.godwit.extension.ConfigurationException;
import io.godwit.extension.ConfigurationListener;
import io.godwit.extension.Extension;
import io.godwit.extension.ExtensionContext;
import io.godwit.extension.ExtensionInfo;
import io.godwit.extension.HealthReport;
import io.godwit.extension.Registrations;
import io.godwit.extension.ServerInfo;
import io.godwit.extension.service.ClientService;
import io.godwit.extension.service.ClientSetups;
import io.godwit.extension.service.ClusterInfo;
import io.godwit.extension.service.ConnectionAttributes;
import io.godwit.extension.service.PublishService;
import io.godwit.extension.service.QueueService;
import io.godwit.extension.service.RetainedService;
import io.godwit.extension.service.SubscriptionService;
import io.godwit.server.config.Assignment;
import io.godwit.server.config.ExtensionsConfig;
import io.godwit.server.reload.ReloadResult;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One extension whose classes are loaded: its loader, its instance, and all that it was given. It
 * is started once and stopped once, by the thread {@code extensions}; its own code runs in threads
 * of its own.
 */
final class LoadedExtension {
    private static final Logger log = LoggerFactory.getLogger(Extensions.class);

    private final Descriptor descriptor;
    private final ExtensionLoader loader;
    private final JarCopies copies;
    private volatile boolean keepsCopies;

    /** What it had registered when it was paused; null: it was not. */
    private volatile @Nullable RunningExtension paused;

    private final Class<? extends Extension> main;
    private final ExtensionRuntime runtime;
    private final CollectedRegistrations registrations;
    private final ReportedHealth health;
    private final ExtensionsConfig.OfOne config;
    private final ExtensionContext context;
    private volatile boolean isStarted;
    private volatile @Nullable Extension instance;

    /** What the broker's configuration says of its settings, as last taken. */
    private volatile List<Assignment> settings;

    private volatile @Nullable ToldSettings<?> told;

    private LoadedExtension(
            Descriptor descriptor,
            ExtensionLoader loader,
            JarCopies copies,
            Class<? extends Extension> main,
            Surroundings surroundings,
            List<Assignment> settings,
            MethodOwners methods,
            CollectedRegistrations.Changes changes)
            throws NotLoaded {
        this.settings = settings;
        this.descriptor = descriptor;
        this.loader = loader;
        this.copies = copies;
        this.main = main;
        ExtensionInfo info = descriptor.info();
        config = surroundings.config().of(info.id());
        health = new ReportedHealth(info.id());
        runtime =
                surroundings
                        .runtimes()
                        .create(
                                info,
                                ExtensionThreads.of(config, descriptor),
                                loaderOf(main),
                                config.callMs(),
                                config.waiting(),
                                health);
        registrations = new CollectedRegistrations(info, methods, changes);
        context = new Context(surroundings.server());
    }

    /**
     * Says where extensions run.
     *
     * @param copies folder of the copies of JARs
     * @param mainClasses by id, of extensions whose classes are loaded already: their folders have
     *     no JARs
     */
    record Surroundings(
            ExtensionsConfig config,
            ServerInfo server,
            ExtensionRuntime.Factory runtimes,
            Path copies,
            Times times,
            Map<String, Class<? extends Extension>> mainClasses) {}

    /** Says how long the broker waits for {@code start} and {@code stop} of an extension. */
    record Times(long startMs, long stopMs) {
        static final Times USUAL = new Times(60_000, 10_000);
    }

    /**
     * Loads the classes of an extension; its code does not run yet.
     *
     * @param jars folder of its JARs
     * @param number no other loaded extension has it
     * @param settings that the broker's configuration has for it
     * @throws NotLoaded says why not; nothing is left open
     */
    static LoadedExtension load(
            Descriptor descriptor,
            Path jars,
            int number,
            Surroundings surroundings,
            List<Assignment> settings,
            MethodOwners methods,
            CollectedRegistrations.Changes changes)
            throws NotLoaded {
        ExtensionInfo info = descriptor.info();
        Path copiesFolder = surroundings.copies().resolve(info.id() + "-" + number);
        ExtensionLoader loader = null;
        JarCopies copies = null;
        LoadedExtension loaded = null;
        try {
            copies = JarCopies.make(jars, copiesFolder);
            Class<? extends Extension> given = surroundings.mainClasses().get(info.id());
            if (given == null && copies.urls().isEmpty()) {
                throw new NotLoaded("there is no JAR in " + jars);
            }
            loader = new ExtensionLoader(info.id() + " " + info.version(), copies.urls());
            Class<? extends Extension> main = given == null ? MainClass.find(loader) : given;
            loaded =
                    new LoadedExtension(
                            descriptor,
                            loader,
                            copies,
                            main,
                            surroundings,
                            settings,
                            methods,
                            changes);
            return loaded;
        } catch (IOException e) {
            throw new NotLoaded("its JARs can't be read: " + Throwables.text(e), e);
        } finally {
            if (loaded == null) {
                close(loader, info.id());
                JarCopies.delete(copiesFolder);
            }
        }
    }

    /** Returns the loader of its classes, which is the context class loader of its threads. */
    private static ClassLoader loaderOf(Class<? extends Extension> main) {
        ClassLoader loader = main.getClassLoader();
        return loader == null ? ClassLoader.getSystemClassLoader() : loader;
    }

    private static void close(@Nullable ExtensionLoader loader, String id) {
        if (loader == null) {
            return;
        }
        try {
            loader.close();
        } catch (IOException e) {
            log.warn("The class loader of the extension {} can't be closed: {}", id, e.toString());
        }
    }

    Descriptor descriptor() {
        return descriptor;
    }

    ExtensionInfo info() {
        return descriptor.info();
    }

    ReportedHealth.Report health() {
        return health.report();
    }

    ExtensionLoader loader() {
        return loader;
    }

    RunningExtension running() {
        RunningExtension before = paused;
        return before == null ? now() : before;
    }

    /** Has what it would be asked about wait; to be stopped, and replaced after that. */
    void pause() {
        paused = now();
        runtime.pause();
    }

    /** Keeps the copies of its JARs beyond its end; the caller deletes them. */
    JarCopies keepCopies() {
        keepsCopies = true;
        return copies;
    }

    private RunningExtension now() {
        return new RunningExtension(registrations.snapshot(), runtime);
    }

    /**
     * Makes the instance and starts it.
     *
     * @throws NotLoaded says why it does not run; {@link #discard} has to follow
     */
    void start(Times times) throws NotLoaded, InterruptedException {
        FutureTask<@Nullable Void> task =
                guarded(() -> {
                    Extension made = MainClass.instantiate(main);
                    instance = made;
                    made.start(context);
                    return null;
                });
        Thread thread = thread("start", task);
        try {
            task.get(times.startMs(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            thread.interrupt();
            throw new NotLoaded(
                    "start() has not returned within " + times.startMs() / 1000.0 + " s", e);
        } catch (ExecutionException e) {
            Throwable thrown = e.getCause() == null ? e : e.getCause();
            throw notStarted(thrown);
        }
        isStarted = true;
        registrations.open();
    }

    private static NotLoaded notStarted(Throwable thrown) {
        return switch (thrown) {
            case NotLoaded already -> already;
            case ConfigurationException mistakes ->
                    new NotLoaded(String.join("; ", mistakes.mistakes()), mistakes);
            default -> new NotLoaded("start() threw " + Throwables.text(thrown), thrown);
        };
    }

    /** Makes a task that ends the process when the heap is used up, as in any other thread. */
    private static FutureTask<@Nullable Void> guarded(Callable<@Nullable Void> code) {
        return new FutureTask<>(() -> {
            try {
                return code.call();
            } catch (OutOfMemoryError e) {
                Thread thread = Thread.currentThread();
                thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
                throw e;
            }
        });
    }

    private Thread thread(String what, FutureTask<@Nullable Void> task) {
        Thread thread =
                Thread.ofPlatform()
                        .daemon()
                        .name("extension-" + info().id() + "-" + what)
                        .unstarted(task);
        thread.setContextClassLoader(loaderOf(main));
        thread.start();
        return thread;
    }

    /** Settings that a listener is told of, as it has taken them. */
    private final class ToldSettings<C extends Record> {
        private final Class<C> type;
        private final ConfigurationListener<C> listener;
        private volatile C taken;

        ToldSettings(Class<C> type, ConfigurationListener<C> listener, C taken) {
            this.type = type;
            this.listener = listener;
            this.taken = taken;
        }

        /** Returns whether they have changed. */
        boolean tell(List<Assignment> configured) throws Exception {
            C next = reader(configured).read(type);
            if (next.equals(taken)) {
                return false;
            }
            listener.onConfigChanged(next);
            taken = next;
            return true;
        }
    }

    private SettingsReader reader(List<Assignment> configured) {
        return new SettingsReader(info().id(), info().folder(), configured);
    }

    /**
     * Reads its settings again and tells the extension of them if they are others.
     *
     * @param configured what the broker's configuration says of them now
     */
    ReloadResult reconfigure(List<Assignment> configured) throws InterruptedException {
        ToldSettings<?> listening = told;
        if (listening == null) {
            return ReloadResult.unchanged();
        }
        AtomicBoolean hasChanged = new AtomicBoolean();
        FutureTask<@Nullable Void> task =
                guarded(() -> {
                    hasChanged.set(listening.tell(configured));
                    return null;
                });
        Thread thread = thread("config", task);
        try {
            task.get(config.callMs(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            thread.interrupt();
            return ReloadResult.failed(
                    "onConfigChanged() has not returned within " + config.callMs() / 1000.0 + " s");
        } catch (ExecutionException e) {
            Throwable thrown = e.getCause() == null ? e : e.getCause();
            return ReloadResult.failed(
                    thrown instanceof ConfigurationException mistakes
                            ? String.join("; ", mistakes.mistakes())
                            : "onConfigChanged() threw " + Throwables.text(thrown));
        }
        settings = configured;
        return hasChanged.get() ? ReloadResult.changed("new settings") : ReloadResult.unchanged();
    }

    /** Withdraws what it has registered; nothing of it is called any more. */
    void withdraw() {
        registrations.close();
    }

    /**
     * Stops it, after its calls have ended, and gives up what it had. It was withdrawn before.
     *
     * @param timeoutMs that the broker has left for it
     */
    void stop(Times times, long timeoutMs) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        try {
            if (!runtime.awaitCalls(Math.min(config.callMs(), timeoutMs))) {
                log.warn("Extension {} is stopped while calls of it have not ended", info().id());
            }
            Extension started = instance;
            if (isStarted && started != null) {
                long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                callStop(started, Math.clamp(leftMs, 1, times.stopMs()));
            }
        } finally {
            discard();
        }
    }

    private void callStop(Extension started, long timeoutMs) throws InterruptedException {
        FutureTask<@Nullable Void> task =
                guarded(() -> {
                    started.stop();
                    return null;
                });
        Thread thread = thread("stop", task);
        try {
            task.get(timeoutMs, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            thread.interrupt();
            log.warn(
                    "Extension {}: stop() has not returned within {} s; it is given up",
                    info().id(),
                    timeoutMs / 1000.0);
        } catch (ExecutionException e) {
            Throwable thrown = e.getCause() == null ? e : e.getCause();
            log.warn("Extension {}: stop() threw {}", info().id(), Throwables.text(thrown), thrown);
        }
    }

    /** Gives up what it had, without calling it. */
    void discard() {
        registrations.close();
        runtime.close();
        close(loader, info().id());
        if (!keepsCopies) {
            copies.delete();
        }
        instance = null;
        told = null;
    }

    /** What the extension gets. */
    private final class Context implements ExtensionContext {
        private final ServerInfo server;

        Context(ServerInfo server) {
            this.server = server;
        }

        @Override
        public ExtensionInfo info() {
            return descriptor.info();
        }

        @Override
        public ServerInfo server() {
            return server;
        }

        @Override
        public <C extends Record> C configuration(Class<C> type) throws ConfigurationException {
            return reader(settings).read(type);
        }

        @Override
        public <C extends Record> C configuration(Class<C> type, ConfigurationListener<C> listener)
                throws ConfigurationException {
            Objects.requireNonNull(listener, "listener");
            C read = configuration(type);
            synchronized (this) {
                if (told != null) {
                    throw new IllegalStateException("there is a listener already");
                }
                told = new ToldSettings<>(type, listener, read);
            }
            return read;
        }

        @Override
        public Registrations registrations() {
            return registrations;
        }

        @Override
        public ScheduledExecutorService executor() {
            return runtime.executor();
        }

        @Override
        public PublishService publishes() {
            return runtime.publishes();
        }

        @Override
        public HealthReport health() {
            return health;
        }

        @Override
        public MeterRegistry meters() {
            return runtime.meters();
        }

        @Override
        public RetainedService retained() {
            return runtime.retained();
        }

        @Override
        public ClientService clients() {
            return runtime.sessions().clients();
        }

        @Override
        public SubscriptionService subscriptions() {
            return runtime.sessions().subscriptions();
        }

        @Override
        public QueueService queues() {
            return runtime.sessions().queues();
        }

        @Override
        public ClusterInfo cluster() {
            return runtime.sessions().cluster();
        }

        @Override
        public ClientSetups setups() {
            registrations.knowsClients();
            return runtime.setups();
        }

        @Override
        public ConnectionAttributes attributes() {
            registrations.knowsClients();
            return runtime.attributes();
        }
    }
}
