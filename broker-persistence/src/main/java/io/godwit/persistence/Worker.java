package io.godwit.persistence;

/**
 * One thread of the store: tasks run one after the other. In production a thread of its own, in the
 * simulator a line in its schedule.
 */
public interface Worker {
    /** Runs a task soon; from any thread. */
    void execute(Runnable task);

    /** Runs a task once, not before so many nanoseconds have passed; from any thread. */
    void schedule(Runnable task, long delayNanos);
}
