package io.godwit.core.shard;

import io.godwit.core.time.TimeSource;
import java.util.ArrayDeque;

/**
 * When the channels of large fan-outs are flushed. A flush is a system call, several times as dear
 * as the message itself: so under a flood of fan-outs a channel gathers what comes within {@link
 * #GATHER_MS}, and the flushes are spread over turns. A fan-out after a pause is flushed in its own
 * turn.
 */
final class GatheredFlushes {
    static final int GATHER_MS = 10;

    /** Nothing waits. */
    static final int NOTHING = -1;

    /** Channels flushed in one turn: about a millisecond, with small messages. */
    private static final int SLICE = 64;

    /** No more in a turn after so long: with large messages the kernel copies much for each. */
    private static final long SLICE_NANOS = 2_000_000;

    /** So many bytes of buffers may wait on one shard. */
    private static final long BYTES_MAX = 8 << 20;

    private final TimeSource time;
    private final ArrayDeque<GatheredFlush> waiting = new ArrayDeque<>(0);
    private long bytes;
    private boolean isDue;

    /** Whether the loop was asked to say when the time is over. */
    private boolean isAsked;

    private long lastMs = Long.MIN_VALUE / 2;

    /** How many of those that wait are to be flushed now. */
    private int flushing;

    GatheredFlushes(TimeSource time) {
        this.time = time;
    }

    void add(GatheredFlush item) {
        waiting.add(item);
    }

    /** Buffers of so many bytes were made for what waits. */
    void charge(int more) {
        bytes += more;
    }

    /** The time to gather is over. */
    void due() {
        isDue = true;
        isAsked = false;
    }

    /**
     * Flushes what is to be flushed in this turn.
     *
     * @return whether another turn is needed soon
     */
    boolean onTurnEnd(long nowMs, ShardLoop loop) {
        int waitMs = run(nowMs);
        if (waitMs > 0 && !isAsked) {
            isAsked = true;
            loop.gatherFor(waitMs);
        }
        return waitMs == 0;
    }

    /**
     * Flushes at the end of a turn what is to be flushed in it.
     *
     * @return milliseconds until the next is due, 0 for the next turn, or {@link #NOTHING}
     */
    int run(long nowMs) {
        if (flushing == 0) {
            if (waiting.isEmpty()) {
                isDue = false; // What it was said for went before its time.
                return NOTHING;
            }
            long waitMs = lastMs + GATHER_MS - nowMs;
            if (waitMs > 0 && !isDue && bytes < BYTES_MAX) {
                return (int) waitMs;
            }
            isDue = false;
            bytes = 0;
            lastMs = nowMs;
            flushing = waiting.size();
        }
        flushSlice();
        return flushing > 0 ? 0 : waiting.isEmpty() ? NOTHING : GATHER_MS;
    }

    private void flushSlice() {
        long begin = time.nanos();
        int left = Math.min(flushing, SLICE);
        while (left > 0) {
            left--;
            flushing--;
            waiting.remove().onGathered();
            if (time.nanos() - begin > SLICE_NANOS) {
                return;
            }
        }
    }
}
