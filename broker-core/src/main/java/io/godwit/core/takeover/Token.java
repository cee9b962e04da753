package io.godwit.core.takeover;

/**
 * Names a claim for as long as it lasts.
 *
 * @param shard index of the claimant's shard
 * @param number given there, one for each claim
 */
public record Token(int shard, long number) {}
