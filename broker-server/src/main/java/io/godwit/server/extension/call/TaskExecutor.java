package io.godwit.server.extension.call;

import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks of an extension in threads beside those of its calls; there is none before the first
 * task. What a task throws is logged. A bounded number of tasks waits.
 */
final class TaskExecutor extends ScheduledThreadPoolExecutor {
    /** Tasks that run at once where they have virtual threads. */
    static final int VIRTUAL_MAX = 256;

    private static final Logger log = LoggerFactory.getLogger(TaskExecutor.class);

    private final String id;
    private final int tasksMax;

    /**
     * @param cpu counts the CPU time of platform threads
     */
    TaskExecutor(String id, CallSettings settings, ClassLoader loader, CpuShare cpu) {
        super(
                settings.isVirtual() ? VIRTUAL_MAX : settings.threads(),
                threads("extension-" + id + "-task-", settings.isVirtual(), loader, cpu));
        this.id = id;
        this.tasksMax = settings.waitingMax();
        setRemoveOnCancelPolicy(true);
        setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    private static ThreadFactory threads(
            String prefix, boolean areVirtual, ClassLoader loader, CpuShare cpu) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Runnable inside =
                    () -> {
                        Thread.currentThread().setContextClassLoader(loader);
                        task.run();
                    };
            String name = prefix + number.incrementAndGet();
            if (areVirtual) {
                return Thread.ofVirtual()
                        .name(name)
                        .inheritInheritableThreadLocals(false)
                        .unstarted(inside);
            }
            Thread made =
                    Thread.ofPlatform()
                            .daemon()
                            .name(name)
                            .inheritInheritableThreadLocals(false)
                            .unstarted(inside);
            cpu.add(made);
            return made;
        };
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
        admit();
        return super.schedule(task, delay, unit);
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
        admit();
        return super.schedule(task, delay, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(
            Runnable task, long initialDelay, long period, TimeUnit unit) {
        admit();
        return super.scheduleAtFixedRate(task, initialDelay, period, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(
            Runnable task, long initialDelay, long delay, TimeUnit unit) {
        admit();
        return super.scheduleWithFixedDelay(task, initialDelay, delay, unit);
    }

    private void admit() {
        if (getQueue().size() >= tasksMax) {
            throw new RejectedExecutionException(
                    tasksMax + " tasks of the extension " + id + " wait; no more are taken");
        }
    }

    @Override
    protected void afterExecute(Runnable task, @Nullable Throwable thrown) {
        Throwable failure = thrown;
        if (failure == null && task instanceof Future<?> future && future.isDone()) {
            try {
                future.get();
            } catch (CancellationException cancelled) {
                return;
            } catch (ExecutionException failed) {
                failure = failed.getCause();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        }
        if (failure != null) {
            log.warn("Extension {}: a task of its executor has failed", id, failure);
        }
    }
}
