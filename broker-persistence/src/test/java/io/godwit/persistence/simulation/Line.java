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

    private record Task(Runnable action, boolean goesOnForEver) {}

    private final ArrayDeque<Task> tasks = new ArrayDeque<>();
    private int delayMicros;
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
        scheduler.background(
                delayNanos / 1_000,
                () -> {
                    if (!over) {
                        add(new Task(task, true));
                    }
                });
    }

    private void next() {
        Runnable turn =
                () -> {
                    if (!over) {
                        run();
                    }
                };
        long delay = random.nextInt(delayMicros + 1);
        if (tasks.element().goesOnForEver) {
            scheduler.background(delay, turn);
        } else {
            scheduler.in(delay, turn);
        }
    }

    private void run() {
        try {
            tasks.element().action.run();
        } finally {
            tasks.remove();
            if (!tasks.isEmpty()) {
                next();
            }
        }
    }

    /** Nothing but what comes again and again. */
    boolean isIdle() {
        return tasks.stream().allMatch(Task::goesOnForEver);
    }

    void delay(int mostMicros) {
        delayMicros = mostMicros;
    }

    /** Its process is gone. */
    void end() {
        over = true;
    }
}
