package io.godwit.extension.service;

import io.godwit.extension.Preview;

/**
 * Tells what was removed from the queue of a session.
 *
 * @param removed messages that were
 * @param inFlight messages that were not, since they are in flight: sent and not acknowledged
 */
@Preview
public record RemovedMessages(long removed, int inFlight) {}
