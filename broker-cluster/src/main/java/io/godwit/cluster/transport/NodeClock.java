package io.godwit.cluster.transport;

/** The clocks that go with every frame. Any thread. */
public interface NodeClock {
    /** Not below the wall clock, nor below what was observed. */
    long now();

    /** Monotonic milliseconds, as the shards of this node read them. */
    long monotonicMs();

    /**
     * Another node's value has come.
     *
     * @return false when it is further ahead of the own wall clock than {@code
     *     cluster.max-clock-offset} allows: it is not taken over, and nothing of that node is
     */
    boolean observe(long other);
}
