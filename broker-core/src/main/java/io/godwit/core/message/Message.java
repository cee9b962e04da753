package io.godwit.core.message;

import io.godwit.core.id.IngressId;
import io.godwit.core.metrics.Delays;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.Topic;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An application message that outlives its loop turn: immutable and on the heap, so that any number
 * of queues, shards and the retained store share it by reference, and nobody counts references but
 * the account of memory those of large ones.
 */
public final class Message {
    /** Bytes of payload from which on the account of memory cares in how many queues it is. */
    public static final int LARGE = 2 << 10;

    /**
     * How often a large one is counted at most: on its way to the disk it is in the journal's
     * record and in the rows for a moment, too.
     */
    private static final int COUNTED_AT_MOST = 3;

    /**
     * An interval is in seconds, so one of 0 lasts for less than half of one: long enough to go to
     * who is online, at this node or another, and 0 is what they are told [MQTT-3.3.2-5, -6]. An
     * immediate end would take it from them, too: it waits for a commit, another shard or another
     * node on its way, and each of these looks whether it is expired.
     */
    private static final long MOMENT_MS = 499;

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

    /** When a shard of this node read it from its publisher; a moment of {@link Delays}. */
    public final int readAt;

    /**
     * How many queues, on all shards, have it waiting or in flight; null for a small one, which is
     * counted in each: a counter that all shards change would cost more than it takes.
     */
    private final @Nullable AtomicInteger queues;

    /** A message that was not read from its publisher, or in an earlier start. */
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
        this(
                topic,
                payload,
                properties,
                qos,
                retain,
                expiresAtMs,
                publisher,
                ingressServer,
                ingressCounter,
                Delays.UNKNOWN);
    }

    /**
     * @param readAt when it was read from its publisher, as {@link Delays#turnBegin}
     */
    public Message(
            Topic topic,
            byte[] payload,
            byte[] properties,
            int qos,
            boolean retain,
            long expiresAtMs,
            @Nullable ClientId publisher,
            int ingressServer,
            long ingressCounter,
            int readAt) {
        this.topic = topic;
        this.payload = payload;
        this.properties = properties;
        this.qos = (byte) qos;
        this.retain = retain;
        this.expiresAtMs = expiresAtMs;
        this.publisher = publisher;
        this.ingressServer = ingressServer;
        this.ingressCounter = ingressCounter;
        this.readAt = readAt;
        this.queues = payload.length < LARGE ? null : new AtomicInteger();
    }

    /** The same message, as another publish. */
    public Message as(IngressId publish) {
        return new Message(
                topic,
                payload,
                properties,
                qos,
                retain,
                expiresAtMs,
                publisher,
                publish.server(),
                publish.counter(),
                readAt);
    }

    /** The moment at which a Message Expiry Interval that begins now is over. */
    public static long expiresAtMs(long nowMs, long seconds) {
        return nowMs + (seconds == 0 ? MOMENT_MS : seconds * 1000);
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
        AtomicInteger count = queues;
        if (count == null) {
            return 0;
        }
        int before = count.getAndAdd(sign);
        int more = Math.min(before, before + sign);
        return more >= COUNTED_AT_MOST ? sign * accountedBytes() : 0;
    }
}
