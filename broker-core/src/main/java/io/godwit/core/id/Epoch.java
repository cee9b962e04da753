package io.godwit.core.id;

/**
 * Which of a session's homes wrote something, in which of its starts: grows with every change of
 * home and every start of the home.
 *
 * @param number 0 is below the first
 * @param server of the home, 0..2^24-1
 */
public record Epoch(long number, int server) implements Comparable<Epoch> {
    private static final int START_BITS = 18;

    /**
     * Of a home that has started so many times: a start needs no record to be written for its
     * epochs to be above those of the start before.
     *
     * @param changes how often the session has changed its home
     * @param start number of the home's start
     */
    public static long number(long changes, long start) {
        return changes << START_BITS | start;
    }

    /** How often the session has changed its home. */
    public long changes() {
        return number >>> START_BITS;
    }

    @Override
    public int compareTo(Epoch other) {
        int byNumber = Long.compareUnsigned(number, other.number);
        return byNumber != 0 ? byNumber : Integer.compare(server, other.server);
    }
}
