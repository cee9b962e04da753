package io.godwit.cluster.leadership;

/**
 * How long a node waits for others before it decides about slots.
 *
 * @param startWaitMs for the tables of those that are live, before it takes a slot (
 *     cluster.start-wait)
 * @param peerTimeoutMs for the same, before it grants claims (cluster.peer-timeout)
 */
public record LeadershipTimes(long startWaitMs, long peerTimeoutMs) {}
