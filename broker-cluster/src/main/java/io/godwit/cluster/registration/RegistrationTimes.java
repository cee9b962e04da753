package io.godwit.cluster.registration;

/**
 * How long registrations wait.
 *
 * @param peerTimeoutMs for a node: {@code cluster.peer-timeout}
 * @param claimWaitMs a CONNECT, for its slot's leader: {@code cluster.claim-wait}
 */
public record RegistrationTimes(long peerTimeoutMs, long claimWaitMs) {
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
