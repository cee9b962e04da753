package io.godwit.core.takeover;

/**
 * Names a claim, and with it what is given for it, for as long as the takeover lasts.
 *
 * @param claimant where the connection is
 * @param number given there, one for each claim
 */
public record Token(Place claimant, long number) {}
