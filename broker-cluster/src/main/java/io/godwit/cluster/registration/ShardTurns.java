package io.godwit.cluster.registration;

import io.godwit.core.time.Timer;

/** The thread of one shard: its time, its timers and the ends of its turns. */
public interface ShardTurns {
    /** Monotonic milliseconds. */
    long nowMs();

    void arm(Timer timer, long deadlineMs);

    void cancel(Timer timer);

    /** Runs a task at the end of this turn; also when the turn's end has begun. */
    void atTurnEnd(Runnable task);
}
