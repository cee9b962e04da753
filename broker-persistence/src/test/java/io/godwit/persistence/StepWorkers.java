package io.godwit.persistence;

import io.godwit.core.time.TimeSource;
import io.godwit.persistence.work.Worker;
import io.godwit.persistence.work.Workers;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * All workers in one thread: tasks run in the order of their times when the test lets time pass.
 * While one of the row worker's is under way others of its own wait, and the rest go on.
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
    private final PriorityQueue<Task> rowTasks = new PriorityQueue<>();
    private long nowNanos = 1_000_000_000L;

    /** How far the wall clock is wrong. */
    long aheadMs;

    private long order;

    /** The row worker does nothing. */
    boolean rowsWait;

    private boolean rowsUnderWay;

    final Worker worker = on(tasks);

    private final Worker rowWorker = on(rowTasks);

    final Workers workers = new Workers(worker, rowWorker, List.of(worker, worker), worker, worker);

    private Worker on(PriorityQueue<Task> of) {
        return new Worker() {
            @Override
            public void execute(Runnable task) {
                schedule(task, 0);
            }

            @Override
            public void schedule(Runnable task, long delayNanos) {
                of.add(new Task(nowNanos + delayNanos, order++, task));
            }
        };
    }

    private @Nullable Task next() {
        Task next = tasks.peek();
        Task ofRows = rowsWait || rowsUnderWay ? null : rowTasks.peek();
        return ofRows != null && (next == null || ofRows.compareTo(next) < 0) ? ofRows : next;
    }

    private void run(Task task) {
        nowNanos = Math.max(nowNanos, task.atNanos);
        if (tasks.remove(task)) {
            task.run.run();
        } else {
            rowTasks.remove(task);
            rowsUnderWay = true;
            try {
                task.run.run();
            } finally {
                rowsUnderWay = false;
            }
        }
    }

    /** Runs what is due within so many milliseconds. */
    void pass(long ms) {
        long end = nowNanos + ms * 1_000_000;
        for (Task next = next(); next != null && next.atNanos <= end; next = next()) {
            run(next);
        }
        nowNanos = end;
    }

    /** Runs the next task, whenever it is due; false when there is none. */
    boolean step() {
        Task next = next();
        if (next == null) {
            return false;
        }
        run(next);
        return true;
    }

    /** What was to be done is never done. */
    void halt() {
        tasks.clear();
        rowTasks.clear();
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
