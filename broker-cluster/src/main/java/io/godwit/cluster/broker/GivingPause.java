package io.godwit.cluster.broker;

import java.util.function.LongPredicate;
import java.util.function.LongSupplier;

/**
 * Has the clients of this node wait with what they publish while copy sets are given to other
 * nodes. What was taken of them before is answered by then: it went into queues of this node
 * without a stream, so it could not be redirected to the new leader.
 *
 * <pre>
 * OFF       a set is to be given             PAUSING: publishers wait
 * PAUSING   all shards have committed, and followers have confirmed that; three times, since
 *           one publish may need several commits             QUIET: sets may be given
 *           not within five seconds                          OFF, for ten seconds at least
 * QUIET     no set is given (any more)                       OFF
 *           a set was not taken over in ten seconds          OFF, for ten seconds at least
 * </pre>
 *
 * <p>On the shard that owns the topic index.
 */
final class GivingPause {
    private static final int ROUNDS = 3;
    private static final long LOOK_MS = 10;
    private static final long LIMIT_MS = 5_000;
    private static final long GIVING_MS = 10_000;

    /** Publishers go on for so long, at least, after a pause that has come to nothing. */
    private static final long REST_MS = 10_000;

    private enum State {
        OFF,
        PAUSING,
        QUIET
    }

    /** Stops publishers and waits for commits, on behalf of a pause. */
    interface Node {
        /** Has publishers wait, or go on, as {@link #isOn} says now. */
        void onChange();

        /** Runs something when every shard has committed what it has begun. */
        void afterCommits(Runnable then);

        /** Runs a task later. */
        void after(long ms, Runnable task);
    }

    private final Node node;
    private final LongSupplier written;
    private final LongPredicate areConfirmed;
    private State state = State.OFF;
    private int rounds;
    private long leftMs;

    /** How long no other pause may begin. */
    private long restMs;

    /** Counts the pauses: a question of an earlier one is not answered. */
    private int pauses;

    /**
     * @param written up to which position of the journal followers are sent parts
     * @param areConfirmed whether followers have confirmed all up to a position
     */
    GivingPause(Node node, LongSupplier written, LongPredicate areConfirmed) {
        this.node = node;
        this.written = written;
        this.areConfirmed = areConfirmed;
    }

    /** Whether publishers wait. */
    boolean isOn() {
        return state != State.OFF;
    }

    /** Whether sets may be given. */
    boolean isQuiet() {
        return state == State.QUIET;
    }

    /** Begins a pause, if there is none, and the last one was not in vain just now. */
    void begin() {
        if (state == State.OFF && restMs <= 0) {
            state = State.PAUSING;
            rounds = 0;
            leftMs = LIMIT_MS;
            pauses++;
            node.onChange();
            round(pauses);
        }
    }

    private void round(int pause) {
        node.afterCommits(() -> look(pause, written.getAsLong()));
    }

    private void look(int pause, long position) {
        if (state != State.PAUSING || pause != pauses) {
            return;
        }
        if (!areConfirmed.test(position)) {
            leftMs -= LOOK_MS;
            if (leftMs <= 0) {
                restMs = REST_MS;
                end();
            } else {
                node.after(LOOK_MS, () -> look(pause, position));
            }
        } else if (++rounds < ROUNDS) {
            round(pause);
        } else {
            state = State.QUIET;
            leftMs = GIVING_MS;
        }
    }

    /**
     * Time has passed: ends a pause in which nothing is given, or that lasts for too long.
     *
     * @param isGiving whether some set was given, and is not taken over yet
     */
    void passed(long ms, boolean isGiving) {
        restMs -= Math.min(ms, restMs);
        if (state == State.QUIET) {
            leftMs -= ms;
            if (!isGiving) {
                end();
            } else if (leftMs <= 0) {
                restMs = REST_MS;
                end();
            }
        }
    }

    private void end() {
        state = State.OFF;
        node.onChange();
    }
}
