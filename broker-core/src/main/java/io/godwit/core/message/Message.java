package io.godwit.core.message;

import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.Topic;
import org.jspecify.annotations.Nullable;

/**
 * An application message that outlives its loop turn: immutable and on the heap, so that any number
 * of queues, shards and the retained store share it by reference, and nobody counts references but
 * the account of memory those of large ones.
 */
public sealed class Message permits LargeMessage {
    /** No Message Expiry Interval. */
    public static final long NEVER = Long.MAX_VALUE;

    public final Topic topic;

    /** Never changed by anyone. */
    public final byte[] payload;

    /** {@link PublishFrame#forwardedProperties}. */
    public final byte[] properties;

    /** QoS at which it was published, 0..2. */
    public final byte qos;

    /** RETAIN flag at which it was published. */
    public final boolean retain;

    /** Wall clock, epoch milliseconds at which it expires, or {@link #NEVER}. */
    public final long expiresAtMs;

    /** Who published it, for No Local and hash-client; null when nobody did, as for $SYS. */
    public final @Nullable ClientId publisher;

    /** Ingress id: the server where it entered the cluster, 24 bits. */
    public final int ingressServer;

    /** Ingress id: the counter of that server. */
    public final long ingressCounter;

    public Message(
            Topic topic,
            byte[] payload,
            byte[] properties,
            int qos,
            boolean retain,
            long expiresAtMs,
            @Nullable ClientId publisher,
            int ingressServer,
            long ingressCounter) {
        this.topic = topic;
        this.payload = payload;
        this.properties = properties;
        this.qos = (byte) qos;
        this.retain = retain;
        this.expiresAtMs = expiresAtMs;
        this.publisher = publisher;
        this.ingressServer = ingressServer;
        this.ingressCounter = ingressCounter;
    }

    /** A message that may wait in many queues: see {@link LargeMessage}. */
    public static Message shared(
            Topic topic,
            byte[] payload,
            byte[] properties,
            int qos,
            boolean retain,
            long expiresAtMs,
            @Nullable ClientId publisher,
            int ingressServer,
            long ingressCounter) {
        return payload.length < LargeMessage.FROM
                ? new Message(
                        topic,
                        payload,
                        properties,
                        qos,
                        retain,
                        expiresAtMs,
                        publisher,
                        ingressServer,
                        ingressCounter)
                : new LargeMessage(
                        topic,
                        payload,
                        properties,
                        qos,
                        retain,
                        expiresAtMs,
                        publisher,
                        ingressServer,
                        ingressCounter);
    }

    public boolean isExpired(long nowMs) {
        return nowMs >= expiresAtMs;
    }

    /** What it counts for in limits and alarms: its bytes and the objects around them. */
    public int accountedBytes() {
        return payload.length + properties.length + topic.length() + 96;
    }

    /**
     * One queue more counts it, or one less; any shard.
     *
     * @param sign 1 or -1
     * @return by how many bytes that changes what all queues count beyond what is in memory
     */
    public int countedAgain(int sign) {
        return 0;
    }
}
