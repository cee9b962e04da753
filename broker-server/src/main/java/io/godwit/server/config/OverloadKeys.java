package io.godwit.server.config;

import io.godwit.core.settings.OverloadSettings;
import java.util.List;

/** The section {@code overload} of {@link Keys}: when publishers and slow readers are stopped. */
final class OverloadKeys {
    private static final long KIB = 1L << 10;
    private static final long MIB = 1L << 20;
    private static final OverloadSettings OVERLOAD = OverloadSettings.DEFAULTS;

    private static final KeyTable TABLE = new KeyTable();

    /** In the order of the file. */
    static final List<Key<?>> ALL = TABLE.keys();

    static final Key<Long> QOS0_SOFT_LIMIT =
            TABLE.key(
                    "overload.qos0-soft-limit",
                    Quantity.number(0, 100_000_000),
                    (long) OVERLOAD.qos0SoftLimit(),
                    "When a subscriber reads too slowly and more than this many messages wait for it,"
                            + " QoS 0 messages are dropped and counted. 0: nothing is dropped, its"
                            + " publishers are slowed instead.");

    static final Key<Long> WRITE_HIGH_WATER =
            TABLE.key(
                    "overload.write-high-water",
                    Quantity.bytes(KIB, 1L << 30),
                    (long) OVERLOAD.writeHighWater(),
                    "Bytes that wait in one connection's socket queue when it counts as too slow.");

    static final Key<Long> WRITE_LOW_WATER =
            TABLE.key(
                    "overload.write-low-water",
                    Quantity.bytes(0, 1L << 30),
                    (long) OVERLOAD.writeLowWater(),
                    "Bytes at which it counts as fast enough again; below the high mark.");

    static final Key<Long> OUTBOUND_BYTES =
            TABLE.key(
                    "overload.outbound-bytes",
                    Quantity.bytes(MIB, 1L << 44).orZero(),
                    0L,
                    "Outgoing buffers of all connections together. From half of it a connection that"
                            + " reads slowly may hold 64 KiB only, and the rest of its messages"
                            + " waits in its queue; from three quarters those that hold most are"
                            + " closed with 0x97. 0: half of the network buffers' memory.");

    static final Key<Long> MAILBOX_HIGH_WATER =
            TABLE.key(
                    "overload.mailbox-high-water",
                    Quantity.number(100, 100_000_000),
                    (long) OVERLOAD.mailboxHighWater(),
                    "Messages under way to one shard when publishers are no longer read.");

    static final Key<Long> MEMORY_BYTES =
            TABLE.key(
                    "overload.memory-bytes",
                    Quantity.bytes(MIB, 1L << 44).orZero(),
                    0L,
                    "Bytes in queues, mailboxes, partial packets and socket queues when publishers are"
                            + " stopped until it is 80 % of that. 0: half of the Java heap.");

    static final Key<Long> STUCK_TIME =
            TABLE.key(
                    "overload.stuck-time",
                    Quantity.millis(1_000, 86_400_000),
                    OVERLOAD.stuckMs(),
                    "While memory is short, above 60 % of overload.memory-bytes, and publishers wait"
                            + " for the subscribers that hold most: one of these that acknowledges"
                            + " nothing and takes no byte for so long is disconnected with 0x97."
                            + " What is durable waits on the disk.");

    static final Key<Long> PARKED_BYTES =
            TABLE.key(
                    "overload.parked-bytes",
                    Quantity.bytes(0, 1L << 30),
                    OVERLOAD.parkedBytes(),
                    "While publishers are stopped, a client that also receives is still read: this much"
                            + " of what it publishes waits unacknowledged before it is stopped too.");

    static final Key<Long> SLICE =
            TABLE.key(
                    "overload.slice",
                    Quantity.micros(50, 100_000),
                    OVERLOAD.sliceMicros(),
                    "How long one piece of work (a fan-out to thousands) may keep a shard from others.");

    private OverloadKeys() {}
}
