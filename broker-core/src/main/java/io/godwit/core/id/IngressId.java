package io.godwit.core.id;

/**
 * Where and as which a PUBLISH entered the cluster; compared as a whole.
 *
 * @param server 0..2^24-1
 * @param counter start number of that server in the upper 18 bits, then a number that rises
 */
public record IngressId(int server, long counter) {
    /** A start of a node has so many numbers: at a million a second, enough for two years. */
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
