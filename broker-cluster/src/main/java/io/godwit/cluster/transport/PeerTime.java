package io.godwit.cluster.transport;

/**
 * Translates times of a peer's monotonic clock to that of this node, by the frames of one link:
 * each tells when it was packed. The frame that took the shortest time shows how far the clocks are
 * apart, but for that time. So a result is never before the moment that it stands for, and a
 * message that was held back on the link for seconds shows its age, whatever the wall clocks say.
 *
 * <p>Only the frames of the last one to two windows count, since a clock stands still while its
 * machine is suspended. Only the thread that reads frames writes; any thread asks.
 */
final class PeerTime {
    static final long WINDOW_MS = 30_000;

    private long windowEndMs;

    /** Arrival minus time in the frame, the least of this window and of the one before. */
    private long least = Long.MAX_VALUE;

    private long leastBefore = Long.MAX_VALUE;
    private volatile long difference;

    /**
     * Notes a frame.
     *
     * @param sentMs the peer's clock when it was packed
     * @param nowMs the clock of this node
     */
    void read(long sentMs, long nowMs) {
        long passed = nowMs - sentMs;
        if (least == Long.MAX_VALUE || nowMs - windowEndMs >= 0) {
            windowEndMs = nowMs + WINDOW_MS;
            leastBefore = least;
            least = passed;
        } else {
            least = Math.min(least, passed);
        }
        difference = Math.min(least, leastBefore);
    }

    /** Returns the time here of a moment of the peer, at most as much later as frames take. */
    long localMs(long peerMs) {
        return peerMs + difference;
    }
}
