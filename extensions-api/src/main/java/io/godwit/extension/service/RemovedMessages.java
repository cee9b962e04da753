package io.godwit.extension.service;

/**
 * Tells what was removed from the queue of a session.
 *
 * @param removed messages that were
 * @param inFlight messages that were not, since they are in flight: sent and not acknowledged
 */
public record RemovedMessages(long removed, int inFlight) {}
