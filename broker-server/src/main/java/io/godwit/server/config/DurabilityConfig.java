package io.godwit.server.config;

/**
 * What is kept on the disk, and when it counts as kept ({@code durability.*}).
 *
 * @param syncIntervalMs with {@link Sync#INTERVAL}
 * @param gatherMicros least time from the start of one commit to the start of the next; 0 = at once
 * @param windowMs how long a message may be in the journal alone
 * @param windowBytes bytes of the messages that may be; never 0
 * @param journalBytes of the journal on the disk
 * @param ballastBytes file that is given up when the disk is full; 0 = none
 * @param diskFreeBytes free bytes below which publishers wait
 * @param stallMs after which a disk that does not answer is said to be stalled; 0 = never
 * @param hungMs after which the broker gives it up and ends; 0 = never
 * @param nativeBytes what the store may take outside the heap; 0 = nobody divided the memory
 */
public record DurabilityConfig(
        Store store,
        Sync sync,
        long syncIntervalMs,
        long gatherMicros,
        long windowMs,
        long windowBytes,
        long journalBytes,
        long ballastBytes,
        long diskFreeBytes,
        long stallMs,
        long hungMs,
        long nativeBytes) {

    /** Where sessions and queues are. */
    public enum Store {
        ROCKSDB,
        /** Nowhere but in memory: they end with the process. */
        MEMORY
    }

    /** When a commit counts as durable. */
    public enum Sync {
        COMMIT,
        INTERVAL,
        OS
    }
}
