package io.godwit.core.store;

/**
 * A QoS 2 PUBLISH of a durable session from its arrival to its PUBREL. The same object all the
 * time.
 */
public final class Inbound {
    public final long queueId;

    /** 1..65 535. */
    public final int packetId;

    /** Ingress id under which it is routed, also when it comes again: with the node's server id. */
    public final long ingressCounter;

    /**
     * Every target is durable. Written by the shard that {@linkplain ShardStore tells the store}.
     */
    public volatile boolean taken;

    /** What the store remembers of it; only the store's row thread touches it. */
    public byte kept;

    public Inbound(long queueId, int packetId, long ingressCounter) {
        this.queueId = queueId;
        this.packetId = packetId;
        this.ingressCounter = ingressCounter;
    }
}
