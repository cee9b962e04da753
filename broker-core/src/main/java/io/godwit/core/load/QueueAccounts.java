package io.godwit.core.load;

/** What the queues of one shard hold together; each change is told when it happens. */
public interface QueueAccounts {
    /** Messages that wait in memory. */
    void queued(long bytes, int messages);

    /** Messages that wait and that the store has, in memory or on disk. */
    void kept(long bytes, long messages);

    /** Messages that were sent and are not acknowledged. */
    void inFlight(long bytes);

    /** Ingress ids that queues remember. */
    void remembered(long bytes);

    /** Whether there is room for one more of them: else an older one goes. */
    boolean mayRemember();

    /** Whether the node is short of memory. */
    boolean isMemoryAlarm();
}
