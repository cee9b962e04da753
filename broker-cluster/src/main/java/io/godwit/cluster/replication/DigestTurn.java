package io.godwit.cluster.replication;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Has one description of a node's queues made at a time: one that waited behind another could hold
 * back a stream for as long as that one takes. Any thread.
 */
public final class DigestTurn {
    private final AtomicBoolean isTaken = new AtomicBoolean();

    /**
     * @return false while another description is made
     */
    boolean begin() {
        return isTaken.compareAndSet(false, true);
    }

    /** Ends what {@link #begin} has begun. */
    void end() {
        isTaken.set(false);
    }
}
