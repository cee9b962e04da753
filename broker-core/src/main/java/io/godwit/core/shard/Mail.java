package io.godwit.core.shard;

/** Work for another shard: handled there once, in the order in which one shard sent it. */
public abstract class Mail {
    /**
     * Does the work, or a slice of it.
     *
     * @param from index of the shard that sent it
     * @return false when there is more to do: it is called again before anything that came later
     */
    protected abstract boolean handle(Shard at, int from);

    /** How much of a slice the last call of {@link #handle} took; asked after each call. */
    protected int cost() {
        return weight();
    }

    /** Whether one call of {@link #handle} may take long: the clock is read after it. */
    protected boolean mayTakeLong() {
        return false;
    }

    /** How many messages this mail counts for in the mailbox's depth. */
    protected int weight() {
        return 1;
    }

    /** Bytes that this mail holds in memory until it is handled, for the memory alarm. */
    protected long bytes() {
        return 0;
    }
}
