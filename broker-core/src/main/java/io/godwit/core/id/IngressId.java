package io.godwit.core.id;

/**
 * Names a PUBLISH by the node at which it entered the cluster and a number there; compared as a
 * whole.
 *
 * @param server 0..2^24-1
 * @param counter start number of that server in the upper 18 bits, then a number that rises
 */
public record IngressId(int server, long counter) {
    /** Bits of the number within one start: at a million a second, enough for two years. */
    public static final int NUMBER_BITS = 46;

    /** The highest start number that has its place in a counter. */
    public static final long START_MAX = (1L << Long.SIZE - NUMBER_BITS) - 1;

    private static final long NUMBER_MASK = (1L << NUMBER_BITS) - 1;

    public static long counter(long start, long number) {
        return start << NUMBER_BITS | number & NUMBER_MASK;
    }

    public static long start(long counter) {
        return counter >>> NUMBER_BITS;
    }

    public static long number(long counter) {
        return counter & NUMBER_MASK;
    }
}
