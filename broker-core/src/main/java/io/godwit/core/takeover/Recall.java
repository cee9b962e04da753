package io.godwit.core.takeover;

/**
 * From the registrar to the owner: give the session up for this claim.
 *
 * @param generation of the session
 */
record Recall(Claim claim, long generation) {}
