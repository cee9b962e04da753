package io.godwit.core.id;

/**
 * Says which of a queue's leaders wrote something, and in which of its starts: it grows with every
 * change of leader and every start of the leader. What a node writes of its own queues has 0
 * changes of leader; higher ones are for copies that another node adopts. Which node leads a slot
 * is not said here, but by the epochs of the cluster.
 *
 * @param number 0 is below the first
 * @param server of the leader, 0..2^24-1
 */
public record Epoch(long number, int server) implements Comparable<Epoch> {
    private static final int START_BITS = 18;

    /**
     * The number of an epoch. It holds the leader's start number, so that a start has higher epochs
     * than the one before without a record being written.
     *
     * @param changes how often the queue has changed its leader
     * @param start number of the leader's start
     */
    public static long number(long changes, long start) {
        return changes << START_BITS | start;
    }

    @Override
    public int compareTo(Epoch other) {
        int byNumber = Long.compareUnsigned(number, other.number);
        return byNumber != 0 ? byNumber : Integer.compare(server, other.server);
    }
}
