package io.godwit.cluster.remote;

/**
 * Bounds of the window of one direction.
 *
 * @param first bytes of a new channel's window
 * @param most bytes that it may grow to
 */
record Marks(int first, int most) {
    static final Marks TO_LEADER = new Marks(8 << 10, 64 << 10);
    static final Marks TO_CLIENT = new Marks(4 << 10, 256 << 10);

    /** Bytes taken after which they are told, when nothing else is said. */
    int tell() {
        return first / 4;
    }
}
