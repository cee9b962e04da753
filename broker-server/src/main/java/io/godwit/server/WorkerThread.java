package io.godwit.server;

import io.godwit.persistence.work.Worker;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A thread of the store. What waits for it is bounded by who asks: each task of the store is
 * outstanding once, and pages that are read are as many as the shards' clients.
 */
final class WorkerThread implements Worker, AutoCloseable {
    private static final long STOP_MS = 2_000;

    private final ScheduledThreadPoolExecutor executor;
    private final Consumer<Throwable> faults;

    /**
     * @param faults told what a task throws: a fault of ours, after which nothing may be written
     */
    WorkerThread(String name, Consumer<Throwable> faults) {
        this.faults = faults;
        executor =
                new ScheduledThreadPoolExecutor(
                        1,
                        task -> {
                            Thread thread = new Thread(task, name);
                            thread.setDaemon(true);
                            return thread;
                        });
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        executor.setRemoveOnCancelPolicy(true);
    }

    @Override
    public void execute(Runnable task) {
        schedule(task, 0);
    }

    @Override
    public void schedule(Runnable task, long delayNanos) {
        try {
            executor.schedule(() -> run(task), delayNanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // The store is closed: nobody waits for this any more.
        }
    }

    private void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable fault) {
            faults.accept(fault);
        }
    }

    /** Lets what runs end, within reason, and forgets what waits. */
    @Override
    public void close() {
        executor.shutdown();
        try {
            executor.awaitTermination(STOP_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
