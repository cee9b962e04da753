package io.godwit.core.id;

/**
 * Names a PUBLISH by the node at which it entered the cluster and a number there; compared as a
 * whole.
 *
 * @param server 0..2^24-1
 * @param counter start number of that server in the upper 18 bits, then a number that rises; of a
 *     message that a shared group has passed on, a negative number
 */
public record IngressId(int server, long counter) {
    /** Bits of the number within one start: at a million a second, enough for two years. */
    public static final int NUMBER_BITS = 46;

    /** The highest start number that has its place in a counter. */
    public static final long START_MAX = (1L << Long.SIZE - 1 - NUMBER_BITS) - 1;

    private static final long NUMBER_MASK = (1L << NUMBER_BITS) - 1;

    public static long counter(long start, long number) {
        return start << NUMBER_BITS | number & NUMBER_MASK;
    }

    /**
     * The id of a message that a shared group passes on to another node, for that node: it may have
     * come there as it was published, too, and whoever published it is done with it earlier.
     *
     * @param server of the node that passes it on
     * @param messageId in the group's queue there
     */
    public static IngressId ofEntry(int server, long messageId) {
        return new IngressId(server, ~messageId);
    }

    /** Whether it names an entry of a shared group's queue, and no publish. */
    public boolean isOfEntry() {
        return counter < 0;
    }

    public static long start(long counter) {
        return counter >>> NUMBER_BITS;
    }

    public static long number(long counter) {
        return counter & NUMBER_MASK;
    }
}
