package io.godwit.server.reload;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reloads what was registered, on one thread of its own: all of it when somebody asks, and each
 * watched part at its interval. A request that comes while another one waits for the thread shares
 * its report.
 */
public final class ReloadService implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ReloadService.class);
    private static final long STOP_MS = 2_000;

    private final List<Reloadable> parts = new CopyOnWriteArrayList<>();
    private final ScheduledThreadPoolExecutor thread =
            new ScheduledThreadPoolExecutor(
                    1, Thread.ofPlatform().daemon().name("reload").factory());
    private final AtomicReference<CompletableFuture<ReloadReport>> waiting =
            new AtomicReference<>();

    private volatile Runnable onChange = () -> {};

    /** The mistake of each watched part that was logged last; only on the thread. */
    private final Map<Reloadable, String> loggedMistakes = new HashMap<>();

    /** Sets what runs on the thread when parts have changed. */
    public void onChange(Runnable then) {
        onChange = then;
    }

    /** Adds a part that is reloaded when somebody asks for it. */
    public void register(Reloadable part) {
        parts.add(part);
    }

    /**
     * Adds a part that is also reloaded by itself. A mistake is logged once, until it changes.
     *
     * @param everyMs 0 = only when somebody asks for it
     */
    public void watch(Reloadable part, long everyMs) {
        parts.add(part);
        if (everyMs > 0) {
            thread.scheduleWithFixedDelay(
                    () -> look(part), everyMs, everyMs, TimeUnit.MILLISECONDS);
        }
    }

    private void look(Reloadable part) {
        ReloadResult result = reload(part);
        switch (result.kind()) {
            case UNCHANGED -> loggedMistakes.remove(part);
            case CHANGED -> {
                loggedMistakes.remove(part);
                log.info("Reload: {}: {}", part.name(), result);
                onChange.run();
            }
            case FAILED -> {
                if (!result.text().equals(loggedMistakes.put(part, result.text()))) {
                    log.warn("Reload: {}: {}", part.name(), result);
                }
            }
        }
    }

    /**
     * Reloads everything and logs one line about it; returns at once.
     *
     * @return fails when the service is closed, or the JVM has no memory left
     */
    public CompletableFuture<ReloadReport> reloadAll() {
        CompletableFuture<ReloadReport> own = new CompletableFuture<>();
        CompletableFuture<ReloadReport> earlier = waiting.compareAndExchange(null, own);
        if (earlier != null) {
            return earlier;
        }
        try {
            thread.execute(() -> {
                waiting.set(null);
                own.complete(reloadNow());
            });
        } catch (RejectedExecutionException closed) {
            own.completeExceptionally(closed);
        }
        return own;
    }

    private ReloadReport reloadNow() {
        List<ReloadReport.Part> results = new ArrayList<>();
        for (Reloadable part : parts) {
            ReloadResult result = reload(part);
            if (result.kind() == ReloadResult.Kind.FAILED) {
                loggedMistakes.put(part, result.text());
            } else {
                loggedMistakes.remove(part);
            }
            results.add(new ReloadReport.Part(part.name(), result));
        }
        ReloadReport report = new ReloadReport(results);
        if (results.stream().anyMatch(each -> each.result().kind() == ReloadResult.Kind.CHANGED)) {
            onChange.run();
        }
        if (report.isFailed()) {
            log.warn("Reload: {}", report);
        } else {
            log.info("Reload: {}", report);
        }
        return report;
    }

    private static ReloadResult reload(Reloadable part) {
        try {
            return part.reload();
        } catch (RuntimeException e) {
            log.error("Reloading {} failed", part.name(), e);
            return ReloadResult.failed("an internal error of the broker; its log has the details");
        }
    }

    /** Ends the thread after what was asked for; nothing is watched from then on. */
    @Override
    public void close() {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(STOP_MS, TimeUnit.MILLISECONDS)) {
                log.warn("A file that is being reloaded can't be read in time");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
