package io.godwit.core.settings;

/**
 * What happens when something is too slow ({@code overload.*}).
 *
 * @param qos0SoftLimit messages that may wait for a subscriber whose channel is unwritable before
 *     QoS 0 is dropped; 0 = never drop, slow the publisher instead
 * @param writeHighWater bytes written and not yet taken by a socket at which its channel is
 *     unwritable
 * @param writeLowWater bytes at which it is writable again
 * @param mailboxHighWater messages under way to one shard at which publishers are no longer read
 * @param memoryBytes accounted bytes (queues, mailboxes, partial packets, outbound buffers) of the
 *     node at which the memory alarm stops publishers; it ends at 80 %
 * @param parkedBytes bytes of PUBLISHes that wait unacknowledged during an alarm, of one connection
 *     that also has messages in flight towards it
 * @param sliceMicros how long one piece of work may keep a shard
 * @param outboundBytes bytes of all outgoing buffers together, above which the connections that
 *     hold most are closed
 * @param stuckMs how long a subscriber that holds much may acknowledge nothing while memory is
 *     short
 */
public record OverloadSettings(
        int qos0SoftLimit,
        int writeHighWater,
        int writeLowWater,
        int mailboxHighWater,
        long memoryBytes,
        long parkedBytes,
        long sliceMicros,
        long outboundBytes,
        long stuckMs) {
    /** A delivery takes about half a microsecond. */
    private static final int STEPS_PER_MICRO = 2;

    public static final OverloadSettings DEFAULTS =
            new OverloadSettings(200, 1 << 20, 256 << 10, 50_000, 512L << 20, 1 << 20, 1_000);

    /** These settings with the default bound of outgoing buffers. */
    public OverloadSettings(
            int qos0SoftLimit,
            int writeHighWater,
            int writeLowWater,
            int mailboxHighWater,
            long memoryBytes,
            long parkedBytes,
            long sliceMicros) {
        this(
                qos0SoftLimit,
                writeHighWater,
                writeLowWater,
                mailboxHighWater,
                memoryBytes,
                parkedBytes,
                sliceMicros,
                256L << 20,
                10_000);
    }

    /** How many messages are delivered, or looked at, in one slice. */
    public int sliceSteps() {
        return (int) Math.max(1, sliceMicros * STEPS_PER_MICRO);
    }
}
