package io.godwit.core.shard;

/** The thread that runs a shard: a Netty event loop, or the simulator's scheduler. */
public interface ShardLoop {
    /**
     * Asks for {@link Shard#onMail} on the shard's thread, soon; called from any thread, once until
     * it ran.
     */
    void wakeup();

    /**
     * Asks for {@link Shard#onTurnEnd} after what is ready now was handled; called on the shard's
     * thread.
     */
    void endTurnSoon();

    /**
     * Asks for {@link LoopShard#onGathered} after about so many milliseconds; called on the shard's
     * thread, once until it ran.
     */
    void gatherFor(int ms);

    /** Whether the caller is the shard's thread. */
    boolean isInside();
}
