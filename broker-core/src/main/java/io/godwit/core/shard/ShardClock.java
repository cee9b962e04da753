package io.godwit.core.shard;

/** The time of a shard's turn: read once, when the turn begins. */
public interface ShardClock {
    /** Monotonic milliseconds: what timers run on. */
    long nowMs();

    /** Epoch milliseconds: when what comes now will expire. */
    long wallMs();

    /** Epoch milliseconds by which things expire, and ids are given; never above the other. */
    default long sureMs() {
        return wallMs();
    }
}
