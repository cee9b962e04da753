package io.godwit.benchmarks.load.cluster;

import java.util.BitSet;

/**
 * What has come of one stream (one publisher, topic and QoS), whose messages are numbered from 0.
 * Threads may share it.
 */
final class History {
    private final int qos;
    private final BitSet seen = new BitSet();
    private long next;
    private long repeated;
    private long disordered;

    /**
     * @param qos at QoS 2 a message must not come twice
     */
    History(int qos) {
        this.qos = qos;
    }

    /** How a message came. */
    enum Arrival {
        NEW,
        AGAIN,
        /** For the first time, and after a later one. */
        LATE
    }

    synchronized Arrival received(long number) {
        int index = Math.toIntExact(number);
        if (seen.get(index)) {
            if (qos != 1) repeated++;
            return Arrival.AGAIN;
        }
        seen.set(index);
        if (number < next) {
            disordered++;
            return Arrival.LATE;
        }
        next = number + 1;
        return Arrival.NEW;
    }

    /** The number above all that have come. */
    synchronized long next() {
        return next;
    }

    synchronized long received() {
        return seen.cardinality();
    }

    /** How many of the first so many have not come. */
    synchronized long missing(long acknowledged) {
        return acknowledged - seen.get(0, Math.toIntExact(acknowledged)).cardinality();
    }

    /** Messages of QoS 2 that came twice. */
    synchronized long repeated() {
        return repeated;
    }

    /** Messages that came for the first time after a later one of their stream. */
    synchronized long disordered() {
        return disordered;
    }
}
