package io.godwit.core.routing;

import io.godwit.core.packet.ClientId;
import org.jspecify.annotations.Nullable;

/**
 * A session as everyone but its owner sees it: who owns it, and whether it is durable. The one
 * implementation is {@code Session}, whose other fields only the owning shard touches; making the
 * session its own reference saves an object per client and a hop per message.
 */
public abstract non-sealed class SessionRef implements RouteTarget {
    private final ClientId clientId;
    private final long generation;
    private volatile int owner;
    private volatile boolean durable;
    private volatile boolean awaited;
    private volatile boolean full;
    private volatile boolean behind;

    /**
     * @param generation id of the CONNECT that created the session; no two sessions have the same
     * @param owner shard index
     */
    protected SessionRef(ClientId clientId, long generation, int owner, boolean durable) {
        this.clientId = clientId;
        this.generation = generation;
        this.owner = owner;
        this.durable = durable;
        this.awaited = durable;
    }

    public final ClientId clientId() {
        return clientId;
    }

    public final long generation() {
        return generation;
    }

    /** A session equals itself only. */
    @Override
    public final boolean equals(@Nullable Object other) {
        return this == other;
    }

    /**
     * The hash is made of the generation: the same in each run of a seed, and near, not two objects
     * away.
     */
    @Override
    public final int hashCode() {
        return (int) (generation * 0x9E37_79B9_7F4A_7C15L >>> 32);
    }

    /** Index of the owning shard. Read once for each delivery: it may change between two reads. */
    public final int owner() {
        return owner;
    }

    /** Names the next owner; called by the owner alone. */
    protected final void owner(int shard) {
        this.owner = shard;
    }

    @Override
    public final boolean isFull() {
        return full;
    }

    /** Only the owner says so. */
    public final void full(boolean is) {
        full = is;
    }

    @Override
    public final boolean isBehind() {
        return behind;
    }

    /** Only the owner says so. */
    public final void behind(boolean is) {
        behind = is;
    }

    /** Whether the session's expiry is above 0. */
    public final boolean isDurable() {
        return durable;
    }

    protected final void durable(boolean durable) {
        this.durable = durable;
        awaited |= durable;
    }

    /**
     * Whether publishers wait for the session: it is durable, or it was, and that it has ended or
     * is not durable any more is not kept yet. Until then a crash brings the session back, and what
     * was acknowledged meanwhile would be missing there.
     */
    public final boolean isAwaited() {
        return awaited;
    }

    /** Called when it is kept that the session is not durable any more. */
    protected final void awaitedNoMore() {
        awaited = false;
    }
}
