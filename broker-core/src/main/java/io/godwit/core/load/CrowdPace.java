package io.godwit.core.load;

/**
 * How many messages of large fan-outs may be under way to a shard: as many as it handles in the
 * time that others may wait behind them. A slow machine, or one whose code is not compiled yet, has
 * fewer; where it is fast, a flood may gather more for each write. Used on the shard's thread.
 */
final class CrowdPace {
    /** How long others may wait behind them. */
    static final long WAIT_NANOS = 40_000_000;

    /** Messages after which the pace is looked at. */
    private static final int SAMPLE = 2_000;

    /** The part of the pace until now that counts on. */
    private static final double BEFORE = 0.75;

    private final long least;
    private final long most;
    private double nanosEach;
    private long sampleNanos;
    private long sampleMessages;

    CrowdPace(long least, long most) {
        this.least = least;
        this.most = most;
        this.nanosEach = (double) WAIT_NANOS / most;
    }

    /**
     * Notes what was handled while more of it waited.
     *
     * @return whether {@link #mark} may be another one
     */
    boolean took(long nanos, int messages) {
        sampleNanos += nanos;
        sampleMessages += messages;
        if (sampleMessages < SAMPLE) {
            return false;
        }
        nanosEach = BEFORE * nanosEach + (1 - BEFORE) * sampleNanos / sampleMessages;
        sampleNanos = 0;
        sampleMessages = 0;
        return true;
    }

    /** Messages that may be under way. */
    long mark() {
        return Math.clamp((long) (WAIT_NANOS / Math.max(1, nanosEach)), least, most);
    }
}
