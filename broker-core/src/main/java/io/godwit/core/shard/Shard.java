package io.godwit.core.shard;

import io.godwit.core.metrics.Counters;
import io.godwit.core.metrics.Delays;
import io.godwit.core.settings.Rules;
import io.godwit.core.store.CommitWaiter;
import io.godwit.core.store.ShardStore;
import io.godwit.core.time.TimerWheel;

/**
 * One of the node's shards, as what it owns sees it: the thread that everything of it runs on, with
 * its clock, timers, mail and open commit.
 */
public interface Shard extends ShardClock, Mailer, Commits, Turns {
    /** Milliseconds between two looks at the timers. */
    long TICK_MS = 100;

    /** Which rules of the design hold: all, but in the simulator. */
    Rules rules();

    Counters counters();

    /** How long packets take through this shard. */
    Delays delays();

    TimerWheel timers();

    ShardStore store();

    /**
     * How many messages are under way to this shard, or wait for the end of a hand-over; read by
     * any thread.
     */
    long mailboxDepth();

    /** Counts mail that was handled as under way: it waits for the end of a hand-over. */
    void hold(Mail mail);

    /** Ends what {@link #hold} began: the mail waits no more. */
    void unhold(Mail mail);

    /**
     * @throws IllegalStateException when another thread than the shard's calls: what only one
     *     thread may touch would be touched by two
     */
    void assertInside();

    /** Begins a turn if none runs: everything that enters the shard calls this first. */
    void enter();

    /** Runs a task now when on this shard's thread, else as mail. */
    void run(Runnable task);

    /** Runs a task on the shard's thread, from any thread. */
    void execute(Runnable task);

    /**
     * Calls the waiter as {@link #afterCommit} does; of a commit that is asked for later than it
     * was open, which others may have followed: when it failed, their success does not count.
     */
    void whenCommitted(long commit, CommitWaiter waiter);
}
