package io.godwit.cluster.replication;

/**
 * Counts what this node has set aside of its copies, since the leaders of the queues do not have
 * it.
 *
 * @param sessions sessions, and parts of shared groups
 * @param entries their messages
 * @param bytes of the messages
 */
public record CopiesAside(long sessions, long entries, long bytes) {}
