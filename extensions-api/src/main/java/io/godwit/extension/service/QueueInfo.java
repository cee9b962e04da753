package io.godwit.extension.service;

import java.time.Duration;

/**
 * Counts what is in the queue of a session.
 *
 * @param messages of QoS 1 and 2 that wait, in memory or on the disk
 * @param bytes of these
 * @param onDisk how many of them are not in memory
 * @param oldest how long the oldest that waits or is in flight has been there; zero: there is none
 * @param inFlight sent and not acknowledged
 * @param discardedFull discarded or refused since the node's start: a limit was reached
 * @param discardedExpired their expiry interval had passed
 * @param discardedTooLarge larger than the packets that the client takes
 */
public record QueueInfo(
        long messages,
        long bytes,
        long onDisk,
        Duration oldest,
        int inFlight,
        long discardedFull,
        long discardedExpired,
        long discardedTooLarge) {}
