package io.godwit.benchmarks.load.relay;

/**
 * Bounds of one direction of a channel, for its sender.
 *
 * @param markBytes sent and not given back: from here on the socket is not read; doubles whenever
 *     it was reached and is left again
 * @param markBytesMax where doubling ends
 */
record FlowControl(int markBytes, int markBytesMax) {
    /** From client to leader. */
    static final FlowControl EDGE = new FlowControl(8 << 10, 64 << 10);

    /** From leader to client. */
    static final FlowControl END = new FlowControl(4 << 10, 256 << 10);
}
