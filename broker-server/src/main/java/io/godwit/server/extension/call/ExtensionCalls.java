package io.godwit.server.extension.call;

import io.godwit.server.logging.GroupedLog;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls one running extension in threads of its own. A call has an answer or a failure within twice
 * {@code call-time}: it may wait for so long before it begins, and run for so long.
 *
 * <p>A call is submitted by any thread, without blocking. Whoever submits has reserved a place
 * before, and gives it back behind the answer. Answers are taken by the thread that the extension
 * has answered in, or by the one that watches the time; they must not block.
 *
 * <p>The method of a call that has not returned after 30 s makes its thread <em>stuck</em>: it is
 * interrupted once and another one takes its place. When more threads are stuck than the extension
 * has, it has failed: all of its calls fail from then on.
 */
public final class ExtensionCalls implements AutoCloseable {
    static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final Logger log = LoggerFactory.getLogger(ExtensionCalls.class);
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final long TICK_MS = 100;

    /** So long no call must have been under way: one may be submitted by a shard at this moment. */
    private static final long QUIET_MS = 100;

    private static final long LOOK_MS = 20;

    private final String id;
    private final CallSettings settings;
    private final ClassLoader loader;
    private final CallsOwner owner;
    private final LongSupplier nanoTime;
    private final CallWatch watcher;
    private final long callNanos;
    private final CallThreads threads;
    private final TaskExecutor executor;
    private final EventRing events;
    private final CpuShare cpu;
    private boolean isCpuLogged;
    private final Map<CallKind, OfKind> kinds = new EnumMap<>(CallKind.class);

    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicLong waitingBytes = new AtomicLong();

    /** Calls that no thread has taken yet, in order. */
    private final Queue<Call<?, ?>> queue = new ConcurrentLinkedQueue<>();

    private final Set<Runner> runners = ConcurrentHashMap.newKeySet();

    /** Calls whose method has returned, and whose stage was not completed then. */
    private final Queue<Call<?, ?>> begun = new ConcurrentLinkedQueue<>();

    /** Those of them that are watched; only {@link #tick} touches it. */
    private final List<Call<?, ?>> watched = new ArrayList<>();

    private final AtomicInteger stuck = new AtomicInteger();
    private final AtomicBoolean isFailed = new AtomicBoolean();
    private volatile boolean isStopped;
    private @Nullable ScheduledExecutorService watch;

    /** Where what would be asked waits; null: it is asked. */
    private volatile @Nullable Pause pause;

    /** What there is for each kind of call. */
    private static final class OfKind {
        final Breaker breaker;
        final CallCounters counters = new CallCounters();
        final GroupedLog failures = new GroupedLog();

        OfKind(long nowNanos) {
            breaker = new Breaker(nowNanos);
        }
    }

    /** Makes the threads, of which the test has its own. */
    interface ThreadMaker {
        CallThreads make(ExtensionCalls calls);
    }

    ExtensionCalls(
            String id,
            CallSettings settings,
            ClassLoader loader,
            CallsOwner owner,
            LongSupplier nanoTime,
            CpuShare.Clock cpuClock,
            ThreadMaker threads) {
        this(id, settings, loader, owner, nanoTime, cpuClock, CallWatch.NONE, threads);
    }

    private ExtensionCalls(
            String id,
            CallSettings settings,
            ClassLoader loader,
            CallsOwner owner,
            LongSupplier nanoTime,
            CpuShare.Clock cpuClock,
            CallWatch watcher,
            ThreadMaker threads) {
        this.id = id;
        this.watcher = watcher;
        this.settings = settings;
        this.loader = loader;
        this.owner = owner;
        this.nanoTime = nanoTime;
        this.callNanos = settings.callTime().toNanos();
        for (CallKind each : CallKind.values()) {
            kinds.put(each, new OfKind(nanoTime.getAsLong()));
        }
        this.cpu = new CpuShare(settings.cpu(), cpuClock);
        this.threads = threads.make(this);
        this.executor = new TaskExecutor(id, settings, loader, cpu);
        this.events = new EventRing(this);
    }

    /**
     * Begins to serve an extension.
     *
     * @param id of the extension, for threads, metrics and the log
     * @param loader the extension's, which is the context class loader of its threads
     */
    public static ExtensionCalls start(
            String id, CallSettings settings, ClassLoader loader, CallsOwner owner) {
        return start(id, settings, loader, owner, CallWatch.NONE);
    }

    /**
     * Begins to serve an extension whose calls are watched.
     *
     * @param watcher says what time it is, too
     */
    public static ExtensionCalls start(
            String id,
            CallSettings settings,
            ClassLoader loader,
            CallsOwner owner,
            CallWatch watcher) {
        ExtensionCalls calls =
                new ExtensionCalls(
                        id,
                        settings,
                        loader,
                        owner,
                        watcher::nanoTime,
                        thread -> THREADS.getThreadCpuTime(thread.threadId()),
                        watcher,
                        made ->
                                settings.isVirtual()
                                        ? new VirtualThreads(made, id)
                                        : new PlatformThreads(made, id, settings.threads()));
        if (calls.threads instanceof PlatformThreads platform) {
            platform.start();
        }
        calls.watchTime();
        return calls;
    }

    private void watchTime() {
        ScheduledThreadPoolExecutor made =
                new ScheduledThreadPoolExecutor(
                        1,
                        Thread.ofPlatform().daemon().name("extension-" + id + "-watch").factory());
        made.scheduleWithFixedDelay(this::tickSafely, TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
        watch = made;
    }

    public String id() {
        return id;
    }

    /** Runs tasks of the extension itself, until {@link #close}. */
    public ScheduledExecutorService executor() {
        return executor;
    }

    /**
     * Whether three quarters of the places are taken: then publishers are not read, and the rest is
     * for what was read already.
     */
    boolean isNearlyFull() {
        return 4L * waitingCalls() >= 3L * settings.waitingMax()
                || 4 * waitingBytes() >= 3 * settings.waitingBytesMax();
    }

    private int waitingCalls() {
        Pause held = pause;
        return waiting.get() + (held == null ? 0 : held.count());
    }

    /** Returns the bytes of calls that have no answer. */
    public long waitingBytes() {
        Pause held = pause;
        return waitingBytes.get() + (held == null ? 0 : held.bytes());
    }

    /** Has further questions wait, before the extension is stopped to be replaced. */
    void pause() {
        pause = new Pause(settings);
    }

    /** Returns where questions wait; null: they don't. */
    @Nullable Pause paused() {
        return pause;
    }

    /**
     * Has what waits asked of others, if it was paused. It was closed before.
     *
     * @param hooks who is asked now; null: the extension does not run any more, so what is asked of
     *     it fails
     */
    public void resume(@Nullable ExtensionHooks hooks) {
        Pause held = pause;
        if (held != null) {
            held.end(hooks);
            endWatch();
        }
    }

    /** Says how the calls are doing. */
    public CallsState state() {
        List<CallsState.OfKind> states = new ArrayList<>();
        kinds.forEach((kind, of) -> states.add(of.counters.state(kind, of.breaker.isOpen())));
        return new CallsState(
                id,
                waitingCalls(),
                waitingBytes(),
                stuck.get(),
                events.dropped(),
                isFailed.get(),
                states,
                settings.isVirtual() ? CallsState.NOT_MEASURED : cpu.seconds());
    }

    EventRing events() {
        return events;
    }

    ClassLoader loader() {
        return loader;
    }

    long now() {
        return nanoTime.getAsLong();
    }

    // ---------------------------------------------------------------- submitting

    /** Reserves the place of a call; returns false if there is none. */
    boolean reserve(long bytes) {
        if (waiting.incrementAndGet() > settings.waitingMax()) {
            waiting.decrementAndGet();
            return false;
        }
        if (waitingBytes.addAndGet(bytes) > settings.waitingBytesMax()) {
            release(bytes);
            return false;
        }
        return true;
    }

    /** Gives a place back. */
    void release(long bytes) {
        waitingBytes.addAndGet(-bytes);
        waiting.decrementAndGet();
    }

    /** Submits a call, which may fail at once. */
    void submit(Call<?, ?> call) {
        long now = now();
        call.sinceNanos = now;
        if (isOver()) {
            fail(call, CallFailure.STOPPED, null);
            return;
        }
        call.admission = of(call.kind).breaker.admit(now);
        if (call.admission == Breaker.Admission.REFUSED) {
            fail(call, CallFailure.BREAKER, null);
            return;
        }
        Runner own = threads.own();
        if (own == null || cpu.isExceeded() || !own.offerNext(call)) {
            waitAgain(call);
        }
    }

    /** Puts a call behind those that wait. */
    void waitAgain(Call<?, ?> call) {
        queue.add(call);
        if (isOver() && queue.remove(call)) {
            fail(call, CallFailure.STOPPED, null);
            return;
        }
        threads.wake();
    }

    /** Fails a call for which there was no place. */
    void failFull(Call<?, ?> call) {
        fail(call, CallFailure.FULL, null);
    }

    /** Counts a failed call that is passed over. */
    void passOver(CallKind kind) {
        of(kind).counters.passed();
    }

    private OfKind of(CallKind kind) {
        OfKind of = kinds.get(kind);
        if (of == null) {
            throw new IllegalStateException("nothing for " + kind);
        }
        return of;
    }

    // ---------------------------------------------------------------- running

    /** Whether no call begins any more. */
    private boolean isOver() {
        return isStopped || isFailed.get();
    }

    /** Asked by a runner that has named the call: whoever ends the calls sees that one, or here. */
    boolean mayBegin(Call<?, ?> call) {
        if (isOver()) {
            fail(call, CallFailure.STOPPED, null);
            return false;
        }
        return true;
    }

    void onStart(Runner runner) {
        runners.add(runner);
    }

    void onEnd(Runner runner) {
        runners.remove(runner);
        if (runner.isGivenUp()) {
            stuck.decrementAndGet();
        }
    }

    /** Takes the call that has waited longest; null: none waits, or none may begin now. */
    @Nullable Call<?, ?> poll() {
        return cpu.isExceeded() && !isOver() ? null : queue.poll();
    }

    /** Counts the CPU time of a thread. */
    void measure(Thread thread) {
        cpu.add(thread);
    }

    /** Takes what a call's method has returned or thrown. */
    <A, R> void onReturn(
            Call<A, R> call, @Nullable CompletionStage<A> stage, @Nullable Throwable thrown) {
        if (thrown != null || stage == null) {
            complete(call, null, thrown);
            return;
        }
        if (stage.getClass() == CompletableFuture.class) {
            CompletableFuture<A> future = stage.toCompletableFuture();
            if (future.isDone() && !future.isCompletedExceptionally()) {
                complete(call, future.getNow(null), null);
                return;
            }
        }
        begun.add(call);
        if (isOver()) {
            fail(call, CallFailure.STOPPED, null);
            return;
        }
        try {
            stage.whenComplete((answer, failure) -> complete(call, answer, failure));
        } catch (Throwable failure) { // The stage may be of the extension's own making.
            complete(call, null, failure);
        }
    }

    private <A, R> void complete(Call<A, R> call, @Nullable A answer, @Nullable Throwable failure) {
        if (failure != null) {
            tellFault(failure);
        }
        if (call.hasEnded()) {
            of(call.kind).counters.late();
        } else if (failure != null) {
            fail(call, CallFailure.EXCEPTION, unwrapped(failure));
        } else if (answer == null) {
            fail(call, CallFailure.NULL, null);
        } else {
            convert(call, answer);
        }
    }

    private <A, R> void convert(Call<A, R> call, A answer) {
        R result;
        try {
            result = call.convert(answer);
        } catch (BadAnswer | RuntimeException | Error bad) {
            tellFault(bad);
            fail(call, CallFailure.INVALID, bad);
            return;
        }
        succeed(call, result);
    }

    private void onInternalError(Throwable fault) {
        log.error("Internal error behind a call of the extension {}", id, fault);
        tellFault(fault);
    }

    private void tellFault(Throwable failure) {
        if (failure instanceof VirtualMachineError fault
                && !(failure instanceof StackOverflowError)) {
            owner.onFault(fault);
        }
    }

    private static Throwable unwrapped(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }

    private <A, R> void succeed(Call<A, R> call, R result) {
        OfKind of = of(call.kind);
        if (!call.end()) {
            of.counters.late();
            return;
        }
        long now = now();
        of.counters.answered(now - call.sinceNanos);
        tellEnd(call, null, now);
        changed(call.kind, of.breaker.count(call.admission, false, now));
        try {
            call.onAnswer(result);
        } catch (RuntimeException | Error fault) {
            onInternalError(fault);
        }
    }

    private void fail(Call<?, ?> call, CallFailure cause, @Nullable Throwable why) {
        OfKind of = of(call.kind);
        if (!call.end()) {
            if (cause != CallFailure.TIMEOUT && cause != CallFailure.STOPPED) {
                of.counters.late();
            }
            return;
        }
        of.counters.failed(cause);
        tellEnd(call, cause, now());
        if (cause.isOfExtension() && call.admission != Breaker.Admission.REFUSED) {
            changed(call.kind, of.breaker.count(call.admission, true, now()));
        }
        try {
            call.onFailure(cause);
        } catch (RuntimeException | Error fault) {
            onInternalError(fault);
        }
        if (cause.isOfExtension()) {
            logFailure(call.kind, of, cause, why); // The exception may be one of the extension's.
        }
    }

    private void tellEnd(Call<?, ?> call, @Nullable CallFailure failure, long now) {
        if (watcher != CallWatch.NONE) {
            long nanos = failure == CallFailure.FULL ? 0 : now - call.sinceNanos;
            watcher.onEnd(id, call.kind, call.clientId(), failure, nanos);
        }
    }

    private void logFailure(CallKind kind, OfKind of, CallFailure cause, @Nullable Throwable why) {
        long times = of.failures.due();
        if (times == 0) {
            return;
        }
        String text =
                switch (cause) {
                    case TIMEOUT -> "no answer within " + settings.callTime().toMillis() + " ms";
                    case NULL -> "it has answered null";
                    case INVALID -> "its answer is not allowed: " + message(why);
                    default -> "it has thrown";
                };
        Throwable shown = cause == CallFailure.INVALID && why instanceof BadAnswer ? null : why;
        String since =
                times == 1 ? "" : "; " + times + " calls of this kind failed since the last line";
        try {
            log.warn("Extension {}: call {} failed: {}{}", id, kind.tag(), text, since, shown);
        } catch (RuntimeException | Error unreadable) {
            log.warn("Extension {}: call {} failed: {}{}", id, kind.tag(), text, since);
        }
    }

    private static String message(@Nullable Throwable why) {
        return why instanceof BadAnswer ? String.valueOf(why.getMessage()) : "it has thrown";
    }

    private void changed(CallKind kind, Breaker.Change change) {
        switch (change) {
            case NONE -> {}
            case OPENED ->
                    log.warn(
                            "Extension {}: breaker of {} has opened: these calls fail at once, one a"
                                    + " second is tried",
                            id,
                            kind.tag());
            case CLOSED -> log.info("Extension {}: breaker of {} has closed", id, kind.tag());
        }
    }

    // ---------------------------------------------------------------- time

    private void tickSafely() {
        try {
            tick();
        } catch (RuntimeException fault) {
            log.error("Internal error while watching the extension {}", id, fault);
        }
    }

    /** Fails calls whose time is over; all of them when the extension is. One thread. */
    void tick() {
        long now = now();
        Call<?, ?> head = queue.peek();
        while (head != null && isLate(head, now)) {
            if (queue.remove(head)) {
                failLate(head);
            }
            head = queue.peek();
        }
        for (Runner each : runners) {
            Call<?, ?> call = each.running();
            if (call != null) {
                look(each, call, now);
            }
        }
        for (Call<?, ?> call = begun.poll(); call != null; call = begun.poll()) {
            watched.add(call);
        }
        Iterator<Call<?, ?>> calls = watched.iterator();
        while (calls.hasNext()) {
            Call<?, ?> call = calls.next();
            if (!call.hasEnded() && isLate(call, now)) {
                failLate(call);
            }
            if (call.hasEnded()) {
                calls.remove();
            }
        }
        boolean wasExceeded = cpu.isExceeded();
        cpu.look(now);
        logCpu();
        if (!queue.isEmpty()) {
            threads.wake();
            for (int i = 1; wasExceeded && i < settings.threads(); i++) {
                threads.wake();
            }
        }
        Pause held = pause;
        if (held != null) {
            held.tick(now);
        }
    }

    private void logCpu() {
        if (cpu.isExceeded() == isCpuLogged) {
            return;
        }
        isCpuLogged = cpu.isExceeded();
        if (isCpuLogged) {
            log.warn(
                    "Extension {} has used more than {} processors for a second: its calls wait",
                    id,
                    cpu.share());
        } else {
            log.info("Extension {}: its calls go on", id);
        }
    }

    private boolean isLate(Call<?, ?> call, long nowNanos) {
        return isOver() || nowNanos - call.sinceNanos >= callNanos;
    }

    private void failLate(Call<?, ?> call) {
        fail(call, isOver() ? CallFailure.STOPPED : CallFailure.TIMEOUT, null);
    }

    private void look(Runner runner, Call<?, ?> call, long now) {
        if (isLate(call, now)) {
            failLate(call);
        }
        long age = now - call.sinceNanos;
        if (age < STUCK_NANOS || !runner.giveUp(call)) {
            return;
        }
        int count = stuck.incrementAndGet();
        log.warn(
                "Extension {}: a call {} has not returned for {} s; its thread is interrupted, {} of"
                        + " its threads are stuck",
                id,
                call.kind.tag(),
                TimeUnit.NANOSECONDS.toSeconds(age),
                count);
        if (threads.areAllStuck(count)) {
            kinds.forEach((kind, of) -> changed(kind, of.breaker.trip(now)));
        }
        if (!threads.replace(count) && isFailed.compareAndSet(false, true)) {
            String why = count + " threads are stuck in calls that do not return";
            log.error("Extension {} has failed: {}; all of its calls fail", id, why);
            owner.onFailed(why);
        }
    }

    // ---------------------------------------------------------------- the end

    /**
     * Waits until no call is under way, and lets none begin after that. Who calls it has seen to it
     * that nobody submits further ones.
     *
     * @return false: some are, and the time is over; they fail
     */
    public boolean awaitCalls(long timeoutMs) throws InterruptedException {
        long quietMs = 0;
        for (long ms = 0; quietMs < QUIET_MS && ms < timeoutMs; ms += LOOK_MS) {
            quietMs = isQuiet() ? quietMs + LOOK_MS : 0;
            TimeUnit.MILLISECONDS.sleep(LOOK_MS);
        }
        isStopped = true;
        return isQuiet();
    }

    /** Whether no call is under way, and no event waits. */
    public boolean isQuiet() {
        return waiting.get() == 0 && events.isEmpty();
    }

    private void endWatch() {
        ScheduledExecutorService watching = watch;
        if (watching != null) {
            watching.shutdown();
            try {
                watching.awaitTermination(1, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Ends the threads, those of the executor too; what is under way fails. */
    @Override
    public void close() {
        isStopped = true;
        if (pause == null) {
            endWatch(); // Otherwise it looks at what waits, up to the end of the pause.
            tick();
        }
        for (Runner each : runners) {
            Call<?, ?> call = each.running();
            if (call != null && each.giveUp(call)) {
                stuck.incrementAndGet();
            }
        }
        threads.close();
        executor.shutdownNow();
    }
}
