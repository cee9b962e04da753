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

    /**
     * The floor of a store that keeps nothing: all ids are free, since none outlives the process.
     */
    public static final IdFloor NONE = new IdFloor(1, 0, 0, QueueId.COUNTER_MAX);
}
