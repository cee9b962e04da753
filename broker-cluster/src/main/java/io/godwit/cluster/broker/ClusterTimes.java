package io.godwit.cluster.broker;

/**
 * How long a node waits for others.
 *
 * @param peerTimeoutMs nobody waits for a node of which nothing was heard for so long: {@code
 *     cluster.peer-timeout}
 * @param startWaitMs a node that starts waits so long for the filters of all members: {@code
 *     cluster.start-wait}
 * @param digestMs how often filters are compared
 * @param claimWaitMs a CONNECT waits so long for the leader of its slot: {@code cluster.claim-wait}
 * @param failoverTimeoutMs a leader that is out of reach for so long is replaced when there is
 *     nobody to ask: {@code cluster.failover-timeout}
 * @param rebalanceAfterMs a node that has been there for so long may get sessions of others: {@code
 *     cluster.rebalance-after}; 0: never
 */
public record ClusterTimes(
        long peerTimeoutMs,
        long startWaitMs,
        long digestMs,
        long claimWaitMs,
        long failoverTimeoutMs,
        long rebalanceAfterMs) {}
