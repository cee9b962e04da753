package io.godwit.persistence;

import io.godwit.core.time.TimeSource;
import io.godwit.persistence.work.Worker;
import io.godwit.persistence.work.Workers;
import java.util.List;
import java.util.PriorityQueue;

/**
 * All workers in one thread: tasks run in the order of their times when the test lets time pass.
 */
final class StepWorkers implements TimeSource {
    private record Task(long atNanos, long order, Runnable run) implements Comparable<Task> {
        @Override
        public int compareTo(Task other) {
            int byTime = Long.compare(atNanos, other.atNanos);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    static final long START_MS = 1_700_000_000_000L;

    private final PriorityQueue<Task> tasks = new PriorityQueue<>();
    private long nowNanos = 1_000_000_000L;

    /** How far the wall clock is wrong. */
    long aheadMs;

    private long order;

    final Worker worker =
            new Worker() {
                @Override
                public void execute(Runnable task) {
                    schedule(task, 0);
                }

                @Override
                public void schedule(Runnable task, long delayNanos) {
                    tasks.add(new Task(nowNanos + delayNanos, order++, task));
                }
            };

    final Workers workers = new Workers(worker, worker, List.of(worker, worker), worker, worker);

    /** Runs what is due within so many milliseconds. */
    void pass(long ms) {
        long end = nowNanos + ms * 1_000_000;
        while (!tasks.isEmpty() && tasks.peek().atNanos <= end) {
            step();
        }
        nowNanos = end;
    }

    /** Runs the next task, whenever it is due; false when there is none. */
    boolean step() {
        Task next = tasks.poll();
        if (next == null) {
            return false;
        }
        nowNanos = Math.max(nowNanos, next.atNanos);
        next.run.run();
        return true;
    }

    /** What was to be done is never done. */
    void halt() {
        tasks.clear();
    }

    @Override
    public long monotonicMs() {
        return nowNanos / 1_000_000;
    }

    @Override
    public long nanos() {
        return nowNanos;
    }

    @Override
    public long wallMs() {
        return START_MS + aheadMs + nowNanos / 1_000_000;
    }
}
