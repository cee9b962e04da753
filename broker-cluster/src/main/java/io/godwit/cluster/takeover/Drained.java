package io.godwit.cluster.takeover;

/**
 * What has become of the durable sessions of a node that leaves.
 *
 * @param moved how many have gone to other nodes while it left
 * @param left how many stay on its disk
 */
public record Drained(int moved, int left) {}
