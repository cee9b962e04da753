package io.godwit.persistence.work;

/**
 * One thread of the store: tasks run one after the other. In production a thread of its own, in the
 * simulator a line in its schedule.
 */
public interface Worker {
    /** The worker of a store that is only looked at: what it would do later is not done. */
    Worker NEVER =
            new Worker() {
                @Override
                public void execute(Runnable task) {}

                @Override
                public void schedule(Runnable task, long delayNanos) {}
            };

    /** Runs a task soon; from any thread. */
    void execute(Runnable task);

    /** Runs a task once, not before so many nanoseconds have passed; from any thread. */
    void schedule(Runnable task, long delayNanos);
}
