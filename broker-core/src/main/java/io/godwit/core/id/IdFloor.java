package io.godwit.core.id;

/**
 * Where the ids of this start begin: above everything that an earlier start may have given.
 *
 * @param startNumber 1 at the first start of a data folder, then rising
 * @param clock no hybrid clock value up to this one is given
 * @param queueCounter shard {@code i} of {@code n} gives {@code queueCounter + i + 1}, then in
 *     steps of {@code n}, up to {@code queueCounter + QUEUE_COUNTERS}
 */
public record IdFloor(long startNumber, long clock, long queueCounter) {
    /** Queue counters of one start: 16 M of the 2^40 that a server id has. */
    public static final long QUEUE_COUNTERS = 1L << 24;

    /** Of a store that keeps nothing. */
    public static final IdFloor NONE = new IdFloor(1, 0, 0);
}
