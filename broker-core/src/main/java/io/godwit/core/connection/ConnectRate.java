package io.godwit.core.connection;

import io.godwit.core.shard.ShardClock;

/** A shard's share of {@code limits.connect-rate}: a bucket of tokens that holds two seconds. */
public final class ConnectRate {
    private static final int BURST_SECONDS = 2;

    private final ShardClock clock;
    private final double perMs;
    private final double burst;
    private double tokens;
    private long tokensAtMs;

    /**
     * @param rate CONNECTs a second of the node; 0 = any
     */
    public ConnectRate(ShardClock clock, int rate, int shards) {
        this.clock = clock;
        this.perMs = (double) rate / Math.max(1, shards) / 1000;
        this.burst = Math.max(1, (double) rate * BURST_SECONDS / Math.max(1, shards));
        this.tokens = burst;
        this.tokensAtMs = clock.nowMs();
    }

    /** Whether one more CONNECT may be taken up now. */
    boolean admits() {
        if (perMs == 0) {
            return true;
        }
        long nowMs = clock.nowMs();
        tokens = Math.min(burst, tokens + (nowMs - tokensAtMs) * perMs);
        tokensAtMs = nowMs;
        if (tokens < 1) {
            return false;
        }
        tokens -= 1;
        return true;
    }
}
