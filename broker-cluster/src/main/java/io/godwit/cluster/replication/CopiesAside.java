package io.godwit.cluster.replication;

/**
 * What this node has set aside of its copies of other nodes' queues, since their leaders do not
 * have it.
 *
 * @param sessions sessions, and parts of shared groups
 * @param entries their messages
 * @param bytes of the messages
 */
public record CopiesAside(long sessions, long entries, long bytes) {}
