package io.godwit.core.id;

/**
 * Where the ids of this start begin: above everything that an earlier start may have given.
 *
 * @param startNumber 1 at the first start of a data folder, then rising
 * @param clock no hybrid clock value up to this one is given
 * @param queueCounter no queue counter up to this one is given
 * @param queueCeiling nor one above this, until the store has reserved more
 */
public record IdFloor(long startNumber, long clock, long queueCounter, long queueCeiling) {
    /** The number of queue counters that are reserved at a time. */
    public static final long QUEUE_BLOCK = 4096;

    private static final int QUEUES_OF_START_BITS = 22;

    /**
     * The floor of a store that keeps nothing: all ids are free, since none outlives the process.
     */
    public static final IdFloor NONE = new IdFloor(1, 0, 0, QueueId.COUNTER_MAX);

    /**
     * The floor of a store that keeps nothing when other nodes may remember what earlier starts
     * have given: each start has four million queue counters of its own.
     *
     * @param startNumber the number of this start
     */
    public static IdFloor ofStart(long startNumber) {
        long queueCounter = startNumber << QUEUES_OF_START_BITS & QueueId.COUNTER_MAX;
        return new IdFloor(startNumber, 0, queueCounter, QueueId.COUNTER_MAX);
    }
}
