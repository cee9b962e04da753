package io.godwit.cluster.takeover;

import io.godwit.cluster.transport.NodeStart;

/**
 * Names a claim in the cluster.
 *
 * @param by where the connection is
 * @param shard its shard there
 * @param number given by that shard, one for each claim of this start
 */
public record ClaimId(NodeStart by, int shard, long number) {}
