package io.godwit.core.id;

/**
 * Which of a session's homes, in which order: grows with every change of home and every start of
 * the home.
 *
 * @param number 0 is below the first
 * @param server of the home, 0..2^24-1
 */
public record Epoch(long number, int server) implements Comparable<Epoch> {
    @Override
    public int compareTo(Epoch other) {
        int byNumber = Long.compareUnsigned(number, other.number);
        return byNumber != 0 ? byNumber : Integer.compare(server, other.server);
    }
}
