package io.godwit.core.store;

/**
 * A QoS 2 PUBLISH of a durable session from its arrival to its PUBREL. The same object all the
 * time.
 */
public final class Inbound {
    public final long queueId;

    /** Packet Identifier of the PUBLISH, 1..65 535. */
    public final int packetId;

    /** Ingress id under which it is routed, also when it comes again. */
    public final int ingressServer;

    public final long ingressCounter;

    /**
     * Whether every target has taken the message in. Written by the shard that {@linkplain
     * ShardStore tells the store}.
     */
    public volatile boolean taken;

    /** The store's own note on this PUBLISH; only the store's row thread touches it. */
    public byte kept;

    public Inbound(long queueId, int packetId, int ingressServer, long ingressCounter) {
        this.queueId = queueId;
        this.packetId = packetId;
        this.ingressServer = ingressServer;
        this.ingressCounter = ingressCounter;
    }
}
