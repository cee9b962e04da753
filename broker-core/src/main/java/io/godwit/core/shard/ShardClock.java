package io.godwit.core.shard;

/** The time of a shard's turn: read once, when the turn begins. */
public interface ShardClock {
    /** Monotonic milliseconds: what timers run on. */
    long nowMs();

    /** Epoch milliseconds: what expiry and ids are made of. */
    long wallMs();
}
