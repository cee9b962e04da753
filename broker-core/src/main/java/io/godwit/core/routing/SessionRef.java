package io.godwit.core.routing;

import io.godwit.core.packet.ClientId;

/**
 * A session as everyone but its owner sees it: who owns it, and whether it is durable. The one
 * implementation is {@code Session}, whose other fields only the owning shard touches; making the
 * session its own reference saves an object per client and a hop per message.
 */
public abstract class SessionRef {
    private final ClientId clientId;
    private final long generation;
    private volatile int owner;
    private volatile boolean durable;

    /**
     * @param generation id of the CONNECT that created the session
     * @param owner shard index
     */
    protected SessionRef(ClientId clientId, long generation, int owner, boolean durable) {
        this.clientId = clientId;
        this.generation = generation;
        this.owner = owner;
        this.durable = durable;
    }

    public final ClientId clientId() {
        return clientId;
    }

    public final long generation() {
        return generation;
    }

    /** Index of the owning shard. Read once for each delivery: it may change between two reads. */
    public final int owner() {
        return owner;
    }

    /** Only the owner hands over. */
    protected final void owner(int shard) {
        this.owner = shard;
    }

    /** Session expiry above 0. */
    public final boolean isDurable() {
        return durable;
    }

    protected final void durable(boolean durable) {
        this.durable = durable;
    }
}
