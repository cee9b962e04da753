package io.godwit.cluster.remote;

/** Begins the turns of a shard and tells their time. */
public interface TurnClock {
    /** Begins a turn if none runs: whoever is called by a socket calls this first. */
    void enter();

    /** Monotonic milliseconds at which the turn began. */
    long nowMs();
}
