package io.godwit.cluster.replication;

/**
 * How long a follower waits before it takes over.
 *
 * @param failoverMs for a leader of which no other node says that it is away: {@code
 *     cluster.failover-timeout}
 */
public record SuccessionTimes(long failoverMs) {
    /** Members are asked again after so long. */
    static final long AGAIN_MS = 1_000;

    /** A copy set that its leader gives is taken over within this time, or not at all. */
    static final long GIVEN_MS = 10_000;

    /** This node did not run for so long: what it was told before counts no more. */
    static final long PAUSE_MS = 1_000;

    /**
     * A leader that has ended has to be away for so long, and one whose connection is open and that
     * others do not hear either.
     */
    long awayMs() {
        return failoverMs / 6;
    }

    /**
     * A leader whose connection was closed, and that is not known to have ended, has to be away for
     * so long: others do not count it any more when it ends soon after that.
     */
    long closedMs() {
        return Math.max(failoverMs, CopyQuorum.ENDED_WITHIN_MS + AGAIN_MS);
    }
}
