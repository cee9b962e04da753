package io.godwit.cluster.registration;

/**
 * How long registrations wait.
 *
 * @param peerTimeoutMs for a node: {@code cluster.peer-timeout}
 * @param claimWaitMs a CONNECT, for its slot's leader: {@code cluster.claim-wait}
 * @param goneMs a node that is out of reach for so long does not keep Wills of its connections from
 *     being published, though it may run: {@code cluster.failover-timeout}; 0: it does
 */
public record RegistrationTimes(long peerTimeoutMs, long claimWaitMs, long goneMs) {
    /**
     * Returns the age from which a CONNECT is not served: its node has given it up, since a leader
     * was out of reach, or a link was, for longer than it waits.
     */
    long connectAgeMaxMs() {
        return 2 * (claimWaitMs + peerTimeoutMs);
    }

    /** After this time a leader is asked again that says it is none, when nothing has changed. */
    static final long ASK_AGAIN_MS = 100;

    /** A timer that fires later than this after its deadline has slept with the process. */
    static final long PAUSE_MS = 1000;
}
