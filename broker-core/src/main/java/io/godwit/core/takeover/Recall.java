package io.godwit.core.takeover;

/**
 * Tells a session's owner, from the registrar, to give the session up for a claim.
 *
 * @param generation of the session
 */
record Recall(Claim claim, long generation) {}
