package io.godwit.benchmarks.load.cluster;

import java.util.BitSet;

/**
 * Records which messages of one stream have come (one publisher and topic, QoS 1), whose messages
 * are numbered from 0. Threads may share it.
 */
final class History {
    private final BitSet seen = new BitSet();
    private long next;
    private long disordered;

    synchronized void received(long number) {
        int index = Math.toIntExact(number);
        if (seen.get(index)) return;
        seen.set(index);
        if (number < next) disordered++;
        else next = number + 1;
    }

    synchronized long received() {
        return seen.cardinality();
    }

    /** How many of the first so many have not come. */
    synchronized long missing(long acknowledged) {
        return acknowledged - seen.get(0, Math.toIntExact(acknowledged)).cardinality();
    }

    /** Messages that came for the first time after a later one of their stream. */
    synchronized long disordered() {
        return disordered;
    }
}
