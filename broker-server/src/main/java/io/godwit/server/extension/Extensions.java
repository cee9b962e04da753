package io.godwit.server.extension;

import io.godwit.extension.ConfigurationException;
import io.godwit.extension.ExtensionInfo;
import io.godwit.server.StartFailed;
import io.godwit.server.config.ExtensionKeys;
import io.godwit.server.config.ExtensionsConfig;
import io.godwit.server.extension.ExtensionStatus.State;
import io.godwit.server.reload.ReloadResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts, replaces and stops the extensions in a folder, on one thread of its own, and tells which
 * of them run. A change in the folder counts when two looks have found the same: files that are
 * being copied are left alone.
 */
public final class Extensions {
    private static final Logger log = LoggerFactory.getLogger(Extensions.class);

    /** More than an extension is given to end its calls and to stop. */
    private static final long UNHURRIED_MS = 3_600_000;

    private static final long IDLE_MS = 500;

    private final LoadedExtension.Surroundings surroundings;
    private final ExtensionsConfig config;
    private final Set<String> named;
    private final RunningExtensions listener;
    private final InstantSource clock;
    private final MethodOwners methods;
    private final LoaderLeaks leaks = new LoaderLeaks();

    /**
     * Ends its thread when it has nothing to do: without extensions there is none most of the time.
     */
    private final ThreadPoolExecutor thread =
            new ThreadPoolExecutor(
                    1,
                    1,
                    IDLE_MS,
                    TimeUnit.MILLISECONDS,
                    new LinkedBlockingQueue<>(),
                    Thread.ofPlatform().daemon().name("extensions").factory());

    /** Whether a look at the folder waits for the thread. */
    private final AtomicBoolean isLookDue = new AtomicBoolean();

    private final Timer timer;

    /** By id; only on the thread. */
    private final SortedMap<String, Slot> slots = new TreeMap<>();

    /** In the order in which they were started; only on the thread. */
    private final List<Slot> started = new ArrayList<>();

    private final Object listenerLock = new Object();

    /** Those whose registrations count; under the lock. */
    private final List<LoadedExtension> active = new ArrayList<>();

    private volatile List<Shown> shown = List.of();

    /**
     * As the configuration was read last; settings of extensions are of this one. On the thread.
     */
    private ExtensionsConfig latest;

    private int loads;
    private String lookFailure = "";

    /** Runs something again and again, until the broker stops. */
    @FunctionalInterface
    public interface Timer {
        /**
         * @param task does not block
         */
        void every(long ms, Runnable task);
    }

    /**
     * @param loaded says how it is doing; null: it does not run
     */
    private record Shown(ExtensionStatus status, @Nullable LoadedExtension loaded) {
        ExtensionStatus now() {
            if (loaded == null) {
                return status;
            }
            ReportedHealth.Report health = loaded.health();
            return new ExtensionStatus(
                    status.id(),
                    status.name(),
                    status.version(),
                    status.state(),
                    status.cause(),
                    health.level().word(),
                    health.why(),
                    status.isRequired(),
                    status.since());
        }
    }

    /**
     * @param named ids that the configuration names elsewhere, such as security.authenticators:
     *     they are required
     * @param methods Authentication Methods of the broker's own
     * @param timer says when to look at the folder
     */
    Extensions(
            LoadedExtension.Surroundings surroundings,
            Set<String> named,
            Set<String> methods,
            RunningExtensions listener,
            Timer timer,
            InstantSource clock) {
        this.surroundings = surroundings;
        config = surroundings.config();
        latest = config;
        this.named = Set.copyOf(named);
        this.methods = new MethodOwners(methods);
        this.listener = listener;
        this.timer = timer;
        thread.allowCoreThreadTimeOut(true);
        this.clock = clock;
    }

    /**
     * Starts all extensions; returns when each of them runs or has failed.
     *
     * @throws StartFailed one that is required does not run; {@link #stop} has to follow
     */
    public void start() throws StartFailed {
        Future<@Nullable Void> begun =
                thread.submit(
                        (Callable<@Nullable Void>)
                                () -> {
                                    startAll();
                                    return null;
                                });
        try {
            begun.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof StartFailed failed) {
                throw failed;
            }
            throw new IllegalStateException("extensions can't be started", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StartFailed("the start was interrupted", e);
        }
    }

    private void startAll() throws StartFailed, InterruptedException {
        JarCopies.delete(surroundings.copies());
        look(true);
        for (Slot each : slots.values()) {
            if (each.isRequired && !each.isRunning()) {
                throw new StartFailed(
                        "the extension "
                                + each.id
                                + ", which is required, does not run: "
                                + each.cause);
            }
        }
        for (String id : requiredIds()) {
            if (!slots.containsKey(id)) {
                throw ConfiguredExtensions.missing(id, config.folder());
            }
        }
        if (config.watchMs() > 0) {
            timer.every(config.watchMs(), this::lookSoon);
        }
    }

    private Set<String> requiredIds() {
        return ConfiguredExtensions.requiredIds(config, named);
    }

    /**
     * Stops all extensions, the one that was started last first; again it does nothing.
     *
     * @param timeoutMs for all of them together
     */
    public void stop(long timeoutMs) {
        if (thread.isShutdown()) {
            return;
        }
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        Future<@Nullable Void> ended =
                thread.submit(
                        (Callable<@Nullable Void>)
                                () -> {
                                    for (Slot each : List.copyOf(started).reversed()) {
                                        stop(each, msUntil(deadline));
                                        each.become(State.DISABLED, "", clock.instant());
                                    }
                                    return null;
                                });
        thread.shutdown();
        try {
            ended.get(timeoutMs, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            log.warn("Extensions were not stopped within {} s", timeoutMs / 1000.0);
        } catch (ExecutionException e) {
            log.error("Extensions can't be stopped", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        thread.shutdownNow();
        JarCopies.delete(surroundings.copies());
    }

    private static long msUntil(long deadline) {
        return Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()));
    }

    /** Returns how all extensions are doing, by id. Any thread. */
    public List<ExtensionStatus> states() {
        return shown.stream().map(Shown::now).toList();
    }

    /** Returns how many class loaders of stopped extensions are known to stay in memory. */
    public int leakedLoaders() {
        return leaks.leaked();
    }

    /** Has an extension run from now on. */
    public CompletableFuture<ExtensionChange> enable(String id) {
        return command(id, this::enable);
    }

    /**
     * Has an extension run no more.
     *
     * @param isForced also one that is required
     */
    public CompletableFuture<ExtensionChange> disable(String id, boolean isForced) {
        return command(id, slot -> disable(slot, isForced));
    }

    /** Loads an extension anew from its folder, and has it take the place of the old one. */
    public CompletableFuture<ExtensionChange> replace(String id) {
        return command(id, this::replaceOrStart);
    }

    /**
     * Has all extensions that listen told of their settings, where these have changed: in their
     * folders, or in the broker's configuration.
     *
     * @param next of which the settings of extensions count; all else is that of the start
     */
    public CompletableFuture<ReloadResult> reconfigure(ExtensionsConfig next) {
        CompletableFuture<ReloadResult> done = new CompletableFuture<>();
        try {
            thread.execute(() -> {
                try {
                    latest = next;
                    done.complete(reconfigureAll());
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    done.complete(ReloadResult.failed("the broker is stopping"));
                } catch (RuntimeException e) {
                    done.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) {
            done.complete(ReloadResult.failed("the broker is stopping"));
        }
        return done;
    }

    private ReloadResult reconfigureAll() throws InterruptedException {
        List<String> changed = new ArrayList<>();
        List<String> mistakes = new ArrayList<>();
        for (Slot each : List.copyOf(started)) {
            ReloadResult result = reconfigure(each);
            switch (result.kind()) {
                case UNCHANGED -> {}
                case CHANGED -> changed.add(each.id);
                case FAILED -> mistakes.add(each.id + ": " + result.text());
            }
        }
        String text = changed.isEmpty() ? "" : String.join(", ", changed) + ": new settings";
        if (!mistakes.isEmpty()) {
            String failed = String.join("; ", mistakes);
            return ReloadResult.failed(text.isEmpty() ? failed : failed + " (" + text + ")");
        }
        return text.isEmpty() ? ReloadResult.unchanged() : ReloadResult.changed(text);
    }

    private ReloadResult reconfigure(Slot slot) throws InterruptedException {
        LoadedExtension loaded = slot.loaded;
        return loaded == null
                ? ReloadResult.unchanged()
                : loaded.reconfigure(latest.of(slot.id).settings());
    }

    /** Tells an extension that listens of a file of settings that two looks have found the same. */
    private void look(Slot slot, String settings) throws InterruptedException {
        boolean isSettled = settings.equals(slot.seenSettings);
        slot.seenSettings = settings;
        if (!isSettled || settings.equals(slot.toldSettings) || !slot.isRunning()) {
            return;
        }
        slot.toldSettings = settings;
        ReloadResult result = reconfigure(slot);
        switch (result.kind()) {
            case UNCHANGED -> {}
            case CHANGED -> log.info("Extension {} has new settings", slot.id);
            case FAILED ->
                    log.warn(
                            "Extension {} goes on with the settings of before: {}",
                            slot.id,
                            result.text());
        }
    }

    private interface Command {
        ExtensionChange execute(Slot slot) throws IOException, InterruptedException;
    }

    private CompletableFuture<ExtensionChange> command(String id, Command command) {
        CompletableFuture<ExtensionChange> done = new CompletableFuture<>();
        try {
            thread.execute(() -> {
                try {
                    done.complete(execute(id, command));
                } catch (RuntimeException e) {
                    done.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) {
            done.complete(ExtensionChange.refused("the broker is stopping"));
        }
        return done;
    }

    private ExtensionChange execute(String id, Command command) {
        try {
            Slot slot = lookAtOne(id);
            return slot == null ? ExtensionChange.unknown(id) : command.execute(slot);
        } catch (IOException e) {
            return ExtensionChange.refused(Throwables.text(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return ExtensionChange.refused("the broker is stopping");
        } finally {
            leaks.check();
            show();
        }
    }

    /** Returns null when it has no folder. */
    private @Nullable Slot lookAtOne(String id) throws IOException {
        Path folder = config.folder().resolve(id);
        if (!ExtensionKeys.isId(id) || !Files.isDirectory(folder)) {
            return null;
        }
        Slot slot = slot(id);
        FolderLook found = FolderLook.at(folder);
        slot.seen = found.files();
        slot.seenSettings = found.settings();
        slot.isDisabled = found.isDisabled();
        return slot;
    }

    private ExtensionChange enable(Slot slot) throws IOException, InterruptedException {
        if (config.of(slot.id).enabled() == ExtensionsConfig.Enabled.FALSE) {
            return ExtensionChange.refused("extensions." + slot.id + ".enabled is false");
        }
        Files.deleteIfExists(disabledFile(slot));
        slot.isDisabled = false;
        if (slot.isRunning()) {
            return ExtensionChange.done(slot.id + " runs already");
        }
        return startAgain(slot);
    }

    private ExtensionChange startAgain(Slot slot) throws InterruptedException {
        startInOrder(List.of(slot));
        return slot.isRunning()
                ? ExtensionChange.done(slot.id + " runs")
                : ExtensionChange.refused(slot.id + " does not run: " + slot.cause);
    }

    private ExtensionChange disable(Slot slot, boolean isForced)
            throws IOException, InterruptedException {
        if (config.of(slot.id).enabled() == ExtensionsConfig.Enabled.TRUE) {
            return ExtensionChange.refused("extensions." + slot.id + ".enabled is true");
        }
        if (slot.isRequired && !isForced) {
            return ExtensionChange.refused(
                    slot.id + " is required: without it the broker is not ready (--force)");
        }
        if (!Files.exists(disabledFile(slot))) {
            Files.createFile(disabledFile(slot));
        }
        slot.isDisabled = true;
        disable(slot);
        return ExtensionChange.done(slot.id + " is disabled");
    }

    private Path disabledFile(Slot slot) {
        return config.folder().resolve(slot.id).resolve(FolderLook.DISABLED);
    }

    private ExtensionChange replaceOrStart(Slot slot) throws InterruptedException {
        if (!isWanted(slot)) {
            return ExtensionChange.refused(slot.id + " is disabled");
        }
        if (!slot.isRunning()) {
            return startAgain(slot);
        }
        replace(slot);
        return slot.cause.isEmpty()
                ? ExtensionChange.done(slot.id + " was replaced, version " + version(slot))
                : ExtensionChange.refused(slot.id + " was not replaced: " + slot.cause);
    }

    private static String version(Slot slot) {
        ExtensionInfo info = slot.info;
        return info == null ? "" : info.version();
    }

    /**
     * Returns how many threads there are for all that: none when there was nothing to do lately.
     */
    int threads() {
        return thread.getPoolSize();
    }

    private void lookSoon() {
        if (!isLookDue.compareAndSet(false, true)) {
            return;
        }
        try {
            thread.execute(() -> {
                isLookDue.set(false);
                lookAgain();
            });
        } catch (RejectedExecutionException stopped) {
            // Nothing changes any more.
        }
    }

    /** Looks at the folder; completes when what came of it is done. */
    Future<?> lookLater() {
        return thread.submit(this::lookAgain);
    }

    private void lookAgain() {
        try {
            look(false);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            log.error("Looking at the folder of extensions failed", e);
        }
    }

    private void look(boolean isFirst) throws InterruptedException {
        SortedMap<String, FolderLook> found;
        try {
            found = FolderLook.atAll(config.folder());
            lookFailure = "";
        } catch (IOException e) {
            String failure = Throwables.text(e);
            if (!failure.equals(lookFailure)) {
                log.warn("The folder of extensions can't be read: {}", failure);
            }
            lookFailure = failure;
            return; // What runs goes on.
        }
        for (Slot each : List.copyOf(slots.values())) {
            if (!found.containsKey(each.id)) {
                notFound(each);
            }
        }
        List<Slot> toStart = new ArrayList<>();
        for (Map.Entry<String, FolderLook> each : found.entrySet()) {
            Slot slot = slot(each.getKey());
            String files = each.getValue().files();
            boolean isSettled = isFirst || files.equals(slot.seen);
            slot.seen = files;
            slot.isDisabled = each.getValue().isDisabled();
            look(slot, each.getValue().settings());
            if (!isWanted(slot)) {
                disable(slot);
            } else if (isSettled && slot.isRunning()) {
                if (!files.equals(slot.tried)) {
                    replace(slot);
                }
            } else if (isSettled && canStart(slot)) {
                toStart.add(slot);
            }
        }
        startInOrder(toStart);
        leaks.check();
        show();
    }

    private boolean canStart(Slot slot) {
        String files = slot.seen;
        boolean isNew = files != null && !files.equals(slot.tried);
        return isNew || !slot.missing.isEmpty() && runningIds().containsAll(slot.missing);
    }

    private void notFound(Slot slot) throws InterruptedException {
        if (slot.seen != null) {
            slot.seen = null; // Perhaps it is being exchanged: the next look decides.
            return;
        }
        if (slot.isRunning()) {
            stop(slot, UNHURRIED_MS);
            log.info("Extension {} was stopped: its folder is gone", slot.id);
        }
        slots.remove(slot.id);
    }

    private Slot slot(String id) {
        return slots.computeIfAbsent(
                id,
                unused -> {
                    Slot slot = new Slot(id, clock.instant());
                    slot.isRequired = requiredIds().contains(id);
                    return slot;
                });
    }

    private boolean isWanted(Slot slot) {
        return config.of(slot.id).runs(slot.isDisabled);
    }

    private void disable(Slot slot) throws InterruptedException {
        if (slot.isRunning()) {
            stop(slot, UNHURRIED_MS);
            log.info("Extension {} was stopped: it is disabled", slot.id);
        }
        slot.tried = null;
        slot.missing = List.of();
        slot.become(
                State.DISABLED,
                slot.isDisabled
                        ? "there is a file DISABLED in its folder"
                        : "extensions." + slot.id + ".enabled is false",
                clock.instant());
    }

    /** Starts those that need nobody of the rest first, by priority and id. */
    private void startInOrder(List<Slot> slotsToStart) throws InterruptedException {
        Map<Slot, Descriptor> waiting = new HashMap<>();
        for (Slot each : slotsToStart) {
            try {
                waiting.put(each, describe(each));
            } catch (NotLoaded e) {
                fail(each, e);
            }
        }
        StartOrder order = new StartOrder(waiting);
        for (Slot next = order.next(runningIds()); next != null; next = order.next(runningIds())) {
            start(next, order.take(next));
        }
        for (Map.Entry<Slot, Descriptor> each : order.blocked().entrySet()) {
            Slot slot = each.getKey();
            slot.missing = each.getValue().needs();
            fail(slot, new NotLoaded(order.whyBlocked(slot, slots, runningIds())));
        }
    }

    private Set<String> runningIds() {
        Set<String> ids = new TreeSet<>();
        for (Slot each : started) {
            ids.add(each.id);
        }
        return ids;
    }

    private Descriptor describe(Slot slot) throws NotLoaded {
        slot.tried = slot.seen;
        slot.toldSettings = slot.seenSettings;
        slot.missing = List.of();
        if (!ExtensionKeys.isId(slot.id)) {
            throw new NotLoaded(
                    "the name of its folder is its id, which has 1 to 64 small letters, digits and"
                            + " hyphens, and is not users, rules or auto");
        }
        Descriptor descriptor = Descriptor.read(config.folder().resolve(slot.id), slot.id);
        slot.isRequired = descriptor.required() || requiredIds().contains(slot.id);
        return descriptor;
    }

    private void start(Slot slot, Descriptor descriptor) throws InterruptedException {
        slot.info = descriptor.info();
        slot.become(State.STARTING, "", clock.instant());
        show();
        try {
            LoadedExtension loaded = loadAndStart(slot, descriptor);
            slot.loaded = loaded;
            started.add(slot);
            slot.become(State.RUNNING, "", clock.instant());
            exchange(null, loaded);
            log.info("Extension {} {} has started", slot.id, loaded.info().version());
        } catch (NotLoaded e) {
            fail(slot, e);
        }
    }

    private LoadedExtension loadAndStart(Slot slot, Descriptor descriptor)
            throws NotLoaded, InterruptedException {
        LoadedExtension loaded = load(slot, descriptor);
        start(loaded);
        return loaded;
    }

    private LoadedExtension load(Slot slot, Descriptor descriptor) throws NotLoaded {
        LoadedExtension loaded = load(descriptor, descriptor.info().folder());
        if (hasChanged(slot)) {
            giveUp(loaded);
            throw new NotLoaded("its files have changed while they were read");
        }
        return loaded;
    }

    private LoadedExtension load(Descriptor descriptor, Path jars) throws NotLoaded {
        return LoadedExtension.load(
                descriptor,
                jars,
                ++loads,
                surroundings,
                latest.of(descriptor.info().id()).settings(),
                methods,
                this::tellRunning);
    }

    private void start(LoadedExtension loaded) throws NotLoaded, InterruptedException {
        boolean runs = false;
        try {
            loaded.start(surroundings.times());
            runs = true;
        } finally {
            if (!runs) {
                giveUp(loaded);
            }
        }
    }

    private void giveUp(LoadedExtension loaded) {
        loaded.discard();
        watch(loaded);
    }

    private boolean hasChanged(Slot slot) {
        try {
            return !FolderLook.at(config.folder().resolve(slot.id)).files().equals(slot.seen);
        } catch (IOException e) {
            return true;
        }
    }

    private void fail(Slot slot, NotLoaded failure) {
        String why = String.valueOf(failure.getMessage());
        if (slot.state != State.FAILED || !slot.cause.equals(why)) {
            log.error("Extension {} does not run: {}", slot.id, why, thrown(failure));
        }
        slot.become(State.FAILED, why, clock.instant());
    }

    /** The stack trace of what the extension's code has thrown; null: it is no news. */
    private static @Nullable Throwable thrown(NotLoaded failure) {
        Throwable cause = failure.getCause();
        boolean isSaid =
                cause instanceof TimeoutException
                        || cause instanceof IOException
                        || cause instanceof ConfigurationException;
        return isSaid ? null : cause;
    }

    private void replace(Slot slot) throws InterruptedException {
        LoadedExtension old = slot.loaded;
        if (old == null) {
            return;
        }
        slot.become(State.REPLACING, "", clock.instant());
        show();
        try {
            Descriptor descriptor = describe(slot);
            if (!runningIds().containsAll(descriptor.needs())) {
                throw new NotLoaded("it needs " + descriptor.needs() + ", which do not all run");
            }
            if (descriptor.isStopFirst() || old.descriptor().isStopFirst()) {
                replaceStopped(slot, old, load(slot, descriptor));
                return;
            }
            LoadedExtension next = loadAndStart(slot, descriptor);
            slot.loaded = next;
            slot.info = next.info();
            exchange(old, next);
            slot.become(State.RUNNING, "", clock.instant());
            log.info(
                    "Extension {} {} has taken the place of {}",
                    slot.id,
                    next.info().version(),
                    old.info().version());
            end(old, UNHURRIED_MS);
        } catch (NotLoaded e) {
            String why = "the one in its folder does not start: " + e.getMessage();
            log.warn("Extension {} goes on: {}", slot.id, why, thrown(e));
            slot.become(State.RUNNING, why, clock.instant());
        }
    }

    /**
     * Stops the old one, then starts the new one. Meanwhile what would be asked of it waits, by the
     * registrations of the old one. If the new one does not start, the old one is started again.
     */
    private void replaceStopped(Slot slot, LoadedExtension old, LoadedExtension next)
            throws InterruptedException {
        JarCopies copies = old.keepCopies();
        old.pause();
        try {
            end(old, UNHURRIED_MS);
            LoadedExtension running = startOneOf(slot, next, old.descriptor(), copies);
            slot.loaded = running;
            slot.info = running.info();
            exchange(old, running);
        } catch (NotLoaded e) {
            slot.loaded = null;
            started.remove(slot);
            fail(slot, e);
            exchange(old, null);
        } finally {
            copies.delete();
        }
    }

    private LoadedExtension startOneOf(
            Slot slot, LoadedExtension next, Descriptor before, JarCopies copies)
            throws NotLoaded, InterruptedException {
        String why;
        try {
            start(next);
            slot.become(State.RUNNING, "", clock.instant());
            log.info(
                    "Extension {} {} was started in the place of {}",
                    slot.id,
                    next.info().version(),
                    before.info().version());
            return next;
        } catch (NotLoaded e) {
            why = "the one in its folder does not start: " + e.getMessage();
            log.warn("Extension {}: {}", slot.id, why, thrown(e));
        }
        try {
            LoadedExtension again = load(before, copies.folder());
            start(again);
            slot.become(State.RUNNING, why, clock.instant());
            log.info("Extension {} {} was started again", slot.id, before.info().version());
            return again;
        } catch (NotLoaded e) {
            throw new NotLoaded(
                    why + "; the one before does not start again: " + e.getMessage(), e.getCause());
        }
    }

    private void stop(Slot slot, long timeoutMs) throws InterruptedException {
        LoadedExtension old = slot.loaded;
        if (old == null) {
            return;
        }
        slot.become(State.STOPPING, "", clock.instant());
        show();
        List<String> others =
                started.stream()
                        .filter(each -> needs(each).contains(slot.id))
                        .map(each -> each.id)
                        .toList();
        if (!others.isEmpty()) {
            log.warn("Extension {} is stopped, which is needed by {}", slot.id, others);
        }
        started.remove(slot);
        slot.loaded = null;
        exchange(old, null);
        end(old, timeoutMs);
    }

    private static List<String> needs(Slot slot) {
        LoadedExtension loaded = slot.loaded;
        return loaded == null ? List.of() : loaded.descriptor().needs();
    }

    private void end(LoadedExtension old, long timeoutMs) throws InterruptedException {
        old.withdraw();
        try {
            old.stop(surroundings.times(), timeoutMs);
        } finally {
            watch(old);
        }
    }

    private void watch(LoadedExtension ended) {
        leaks.watch(ended.loader(), ended.info().id() + " " + ended.info().version());
    }

    private void exchange(@Nullable LoadedExtension old, @Nullable LoadedExtension next) {
        synchronized (listenerLock) {
            if (old != null) {
                active.remove(old);
            }
            if (next != null) {
                active.add(next);
            }
            tellRunning();
        }
    }

    private void tellRunning() {
        synchronized (listenerLock) {
            active.sort(
                    Comparator.comparingInt((LoadedExtension each) -> -each.info().priority())
                            .thenComparing(each -> each.info().id()));
            listener.changed(active.stream().map(LoadedExtension::running).toList());
        }
    }

    private void show() {
        shown = slots.values().stream().map(each -> new Shown(each.status(), each.loaded)).toList();
    }
}
