package io.godwit.core.takeover;

/**
 * A shard of a node.
 *
 * @param server server id of the node
 * @param shard index of the shard there
 */
public record Place(int server, int shard) {}
