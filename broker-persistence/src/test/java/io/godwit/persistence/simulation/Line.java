package io.godwit.persistence.simulation;

import io.godwit.core.simulation.Scheduler;
import io.godwit.persistence.work.Worker;
import java.util.ArrayDeque;
import java.util.random.RandomGenerator;

/**
 * A worker that is a line of the simulator's schedule: one task after the other, each some time
 * after it was its turn.
 */
final class Line implements Worker {
    private final Scheduler scheduler;
    private final RandomGenerator random;

    private static final class Task {
        final Runnable action;
        final boolean goesOnForEver;

        Task(Runnable action, boolean goesOnForEver) {
            this.action = action;
            this.goesOnForEver = goesOnForEver;
        }
    }

    private final ArrayDeque<Task> tasks = new ArrayDeque<>();

    /** What is not due yet. */
    private final ArrayDeque<Task> later = new ArrayDeque<>();

    private int delayMicros;
    private boolean isRunning;
    private boolean over;

    /**
     * @param delayMicros the longest that a task waits for its turn
     */
    Line(Scheduler scheduler, RandomGenerator random, int delayMicros) {
        this.scheduler = scheduler;
        this.random = random;
        this.delayMicros = delayMicros;
    }

    @Override
    public void execute(Runnable task) {
        add(new Task(task, false));
    }

    private void add(Task task) {
        tasks.add(task);
        if (tasks.size() == 1) {
            next();
        }
    }

    @Override
    public void schedule(Runnable task, long delayNanos) {
        Task waiting = new Task(task, true);
        later.add(waiting);
        scheduler.background(
                delayNanos / 1_000,
                () -> {
                    if (!over && later.remove(waiting)) {
                        add(waiting);
                    }
                });
    }

    private void next() {
        Task next = tasks.element();
        Runnable turn =
                () -> {
                    if (!over && tasks.peek() == next) {
                        run();
                    }
                };
        long delay = random.nextInt(delayMicros + 1);
        if (next.goesOnForEver) {
            scheduler.background(delay, turn);
        } else {
            scheduler.in(delay, turn);
        }
    }

    /**
     * Runs its next task while another line is in the middle of its own, which takes so long that
     * what is to be done later is due.
     */
    void goOn() {
        if (over || isRunning) {
            return;
        }
        if (tasks.isEmpty() && !later.isEmpty()) {
            tasks.add(later.remove());
        }
        if (!tasks.isEmpty()) {
            run();
        }
    }

    private void run() {
        isRunning = true;
        try {
            tasks.element().action.run();
        } finally {
            isRunning = false;
            tasks.remove();
            if (!tasks.isEmpty()) {
                next();
            }
        }
    }

    /** One of its tasks is under way. */
    boolean isRunning() {
        return isRunning;
    }

    /** Nothing but what comes again and again. */
    boolean isIdle() {
        return tasks.stream().allMatch(task -> task.goesOnForEver);
    }

    void delay(int mostMicros) {
        delayMicros = mostMicros;
    }

    /** Its process is gone. */
    void end() {
        over = true;
    }
}
