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
                    "When more messages than this wait for a subscriber that reads too slowly, QoS "
                            + "0 messages are dropped and counted. 0: nothing is dropped, publishers are "
                            + "slowed down instead.");

    static final Key<Long> WRITE_HIGH_WATER =
            TABLE.key(
                    "overload.write-high-water",
                    Quantity.bytes(KIB, 1L << 30),
                    (long) OVERLOAD.writeHighWater(),
                    "Bytes in one connection's outgoing buffer above which its client counts as too "
                            + "slow.");

    static final Key<Long> WRITE_LOW_WATER =
            TABLE.key(
                    "overload.write-low-water",
                    Quantity.bytes(0, 1L << 30),
                    (long) OVERLOAD.writeLowWater(),
                    "Bytes at which it counts as fast enough again. Must be below "
                            + "overload.write-high-water.");

    static final Key<Long> OUTBOUND_BYTES =
            TABLE.key(
                    "overload.outbound-bytes",
                    Quantity.bytes(MIB, 1L << 44).orZero(),
                    0L,
                    "Memory for the outgoing buffers of all connections together. Above half of it "
                            + "a slow connection may hold only 64 KiB, and the rest of its messages waits in "
                            + "its queue; above three quarters the connections that hold most are closed with "
                            + "0x97. 0: half of the network buffers' memory.");

    static final Key<Long> MAILBOX_HIGH_WATER =
            TABLE.key(
                    "overload.mailbox-high-water",
                    Quantity.number(100, 100_000_000),
                    (long) OVERLOAD.mailboxHighWater(),
                    "Messages on their way to one shard above which publishers are no longer read.");

    static final Key<Long> MEMORY_BYTES =
            TABLE.key(
                    "overload.memory-bytes",
                    Quantity.bytes(MIB, 1L << 44).orZero(),
                    0L,
                    "Bytes in queues, mailboxes, incomplete packets and outgoing buffers at which "
                            + "publishers are stopped, until 80 % of it is reached. 0: half of the Java heap.");

    static final Key<Long> STUCK_TIME =
            TABLE.key(
                    "overload.stuck-time",
                    Quantity.millis(1_000, 86_400_000),
                    OVERLOAD.stuckMs(),
                    "Above 60 % of overload.memory-bytes publishers wait for the subscribers that "
                            + "hold most of it. Such a subscriber is disconnected with 0x97 if it "
                            + "acknowledges nothing and reads nothing for this long. Durable messages then "
                            + "wait on the disk. Nobody waits longer than this for a transient subscriber "
                            + "whose queue is half full, unless it takes an eighth of what may wait for it.");

    static final Key<Long> PARKED_BYTES =
            TABLE.key(
                    "overload.parked-bytes",
                    Quantity.bytes(0, 1L << 30),
                    OVERLOAD.parkedBytes(),
                    "While publishers are stopped, a client that also receives messages is still "
                            + "read: this much of what it publishes is held unacknowledged before it is "
                            + "stopped too.");

    static final Key<Long> SLICE =
            TABLE.key(
                    "overload.slice",
                    Quantity.micros(50, 100_000),
                    OVERLOAD.sliceMicros(),
                    "How long one piece of work (a fan-out to thousands) may keep a shard busy "
                            + "before others have their turn.");

    private OverloadKeys() {}
}
