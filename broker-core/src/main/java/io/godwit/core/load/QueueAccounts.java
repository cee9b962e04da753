package io.godwit.core.load;

/** Counts what the queues of one shard hold together; each change is told when it happens. */
public interface QueueAccounts {
    /** Changes the count of messages that wait in memory. */
    void queued(long bytes, int messages);

    /** Changes the count of messages that wait and are kept, in memory or on disk. */
    void kept(long bytes, long messages);

    /** Changes the bytes of messages that were sent and are not acknowledged. */
    void inFlight(long bytes);

    /** Changes the bytes that were told of more than one queue, and are in memory once. */
    void countedAgain(long bytes);

    /** Changes the bytes of ingress ids that queues remember. */
    void remembered(long bytes);

    /** Whether there is room for one more ingress id: else an older one goes. */
    boolean mayRemember();

    /**
     * Messages that one durable queue may hold now.
     *
     * @param bound that it may hold while all of them leave room
     */
    long queueMessagesMax(long bound);

    /**
     * Bytes that one durable queue may hold now.
     *
     * @param bound that it may hold while all of them leave room
     */
    long queueBytesMax(long bound);

    /** Whether the node is short of memory. */
    boolean isMemoryAlarm();

    /**
     * Whether so many bytes more may be read from the disk at once: then {@link #readLarge} follows
     * when they are in the account.
     */
    boolean mayReadLarge(long bytes);

    void readLarge(long bytes);
}
