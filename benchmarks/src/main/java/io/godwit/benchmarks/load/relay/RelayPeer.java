package io.godwit.benchmarks.load.relay;

/** The other node of a relay, as a loop sees it. */
interface RelayPeer {
    /** Whether batches can be sent. */
    boolean isUp();

    /** Sends a batch to the loop that it is for. On the loop that made it. */
    void send(RelayBatch batch);
}
