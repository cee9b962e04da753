package io.godwit.server.config;

import io.godwit.core.settings.QueuePolicy;
import io.godwit.core.settings.QueueSettings;
import java.util.List;

/** The part of {@link Keys} about durable sessions: their store and their queues. */
final class StoreKeys {
    private static final long KIB = 1L << 10;
    private static final long MIB = 1L << 20;
    private static final QueueSettings QUEUES = QueueSettings.DEFAULTS;

    private static final KeyTable TABLE = new KeyTable();

    /** In the order of the file. */
    static final List<Key<?>> ALL = TABLE.keys();

    static final Key<DurabilityConfig.Store> STORE =
            TABLE.key(
                    "durability.store",
                    ValueType.oneOf(DurabilityConfig.Store.class),
                    DurabilityConfig.Store.ROCKSDB,
                    "Where durable sessions (expiry above 0; 3.x: clean session 0), their queues, "
                            + "retained messages and wills are stored. rocksdb: in the folder store in "
                            + "node.data. memory: nowhere, they are lost whenever the broker stops.");

    static final Key<DurabilityConfig.Sync> SYNC =
            TABLE.key(
                    "durability.sync",
                    ValueType.oneOf(DurabilityConfig.Sync.class),
                    DurabilityConfig.Sync.COMMIT,
                    "When a message counts as stored, so that it may be acknowledged. commit: when"
                            + " it is on the disk, with one fdatasync for everything that arrived"
                            + " in the meantime; neither a power failure nor kill -9 loses"
                            + " anything acknowledged. interval: when the operating system has it;"
                            + " the broker syncs the disk every sync-interval. A power failure"
                            + " loses what was acknowledged since the last sync, kill -9 nothing."
                            + " os: when the operating system has it, which decides when to write"
                            + " it. A power failure loses about the last 30 seconds, kill -9"
                            + " nothing. A crash of the machine is like a power failure.");

    static final Key<Long> SYNC_INTERVAL =
            TABLE.key(
                    "durability.sync-interval",
                    Quantity.millis(1, 3_600_000),
                    100L,
                    "How often the disk is synced. Only used with durability.sync: interval.");

    static final Key<Long> GATHER =
            TABLE.key(
                    "durability.gather",
                    Quantity.micros(50, 1_000_000).orZero(),
                    500L,
                    "The shortest time between the starts of two commits; a commit takes"
                            + " everything that arrived in the meantime, and the first one after a"
                            + " pause starts at once. Under load, while many messages are acknowledged"
                            + " before they are written, it grows to four times as long, up to 4 ms. A longer time"
                            + " delays acknowledgements, a shorter one costs CPU and syncs. 0: a"
                            + " commit starts as soon as the previous one is done.");

    static final Key<Long> WINDOW =
            TABLE.key(
                    "durability.window",
                    Quantity.millis(10, 600_000),
                    2_000L,
                    "How long a message is in the journal only, before it is written as a row of "
                            + "its queue. What is delivered and acknowledged sooner is never written there, "
                            + "which is much cheaper.");

    static final Key<Long> WINDOW_BYTES =
            TABLE.key(
                    "durability.window-bytes",
                    Quantity.bytes(MIB, 1L << 40).orZero(),
                    0L,
                    "Memory for the messages of that window; above it the window ends early. At "
                            + "most half of the Java heap and half of durability.journal-max. 0: an eighth of "
                            + "the heap, at most a quarter of durability.journal-max.");

    static final Key<Long> JOURNAL_MAX =
            TABLE.key(
                    "durability.journal-max",
                    Quantity.bytes(32 * MIB, 1L << 40),
                    256 * MIB,
                    "The size of the journal on the disk. At half of it, what is in memory is"
                            + " written to tables, so that the oldest part of the journal can be"
                            + " used again; when it is full, commits wait for that. A start after"
                            + " a crash reads at most this much.");

    static final Key<Long> BALLAST =
            TABLE.key(
                    "durability.ballast",
                    Quantity.bytes(MIB, 1L << 40).orZero(),
                    64 * MIB,
                    "The size of a file that only reserves space: it is deleted when less than a "
                            + "quarter of durability.disk-free is free, so that acknowledgements of "
                            + "subscribers can still be recorded. 0: there is no such file.");

    static final Key<Long> DISK_FREE =
            TABLE.key(
                    "durability.disk-free",
                    Quantity.bytes(MIB, 1L << 44),
                    512 * MIB,
                    "Free space on the store's disk below which publishers wait, until there is a"
                            + " fifth more for ten seconds; subscribers are still served. Must not be"
                            + " below durability.window-bytes, since the window is still written then."
                            + " Compactions of the store need room, too, before they give some back.");

    static final Key<Long> STALL_TIME =
            TABLE.key(
                    "durability.stall-time",
                    Quantity.millis(100, 3_600_000).orZero(),
                    5_000L,
                    "When the disk has not completed a commit for this long, the log, the metric "
                            + "store.stalled and /health/ready (503) report it, until it does. Nothing is "
                            + "acknowledged meanwhile. 0: it is not reported.");

    static final Key<Long> STALL_EXIT =
            TABLE.key(
                    "durability.stall-exit",
                    Quantity.millis(1_000, 86_400_000).orZero(),
                    60_000L,
                    "When the disk has not completed a commit for this long, the broker ends with "
                            + "exit code 1, as after a failed write, so that clients can connect elsewhere. "
                            + "Must not be below durability.stall-time. 0: it waits for ever.");

    static final Key<Long> MESSAGES =
            TABLE.key(
                    "queues.messages",
                    Quantity.number(1, 1_000_000_000_000L),
                    QUEUES.messages(),
                    "QoS 1 and 2 messages that wait for one durable session, or for one shared "
                            + "subscription with a durable member, not counting those in flight.");

    static final Key<Long> BYTES =
            TABLE.key(
                    "queues.bytes",
                    Quantity.bytes(KIB, 1L << 50),
                    QUEUES.bytes(),
                    "The same in bytes; the limit that is reached first applies.");

    static final Key<QueuePolicy> POLICY =
            TABLE.key(
                    "queues.policy",
                    ValueType.oneOf(QueuePolicy.class),
                    QUEUES.policy(),
                    "What happens when a queue is full. discard-newest: the new message is "
                            + "discarded, and its publisher is acknowledged all the same. discard-oldest: the "
                            + "message that has waited longest is discarded. reject: a 5.0 publisher gets "
                            + "0x97 (quota exceeded); an older one is acknowledged, since the standard has no "
                            + "other answer. Discarded messages are counted, per session and cause.");

    static final Key<Long> NODE_MESSAGES =
            TABLE.key(
                    "queues.node-messages",
                    Quantity.number(1, 1_000_000_000_000L),
                    QUEUES.nodeMessages(),
                    "Messages in all durable queues of this node. Above it nothing is discarded, "
                            + "but publishers wait. Must not be below queues.messages.");

    static final Key<Long> NODE_BYTES =
            TABLE.key(
                    "queues.node-bytes",
                    Quantity.bytes(KIB, 1L << 50),
                    QUEUES.nodeBytes(),
                    "The same in bytes. Must not be below queues.bytes.");

    static final Key<Long> PAGE =
            TABLE.key(
                    "queues.page",
                    Quantity.number(1, 10_000),
                    (long) QUEUES.pageMessages(),
                    "Messages of a queue that are read from the disk at a time. More is faster for "
                            + "a long queue, and takes more memory when many queues are read.");

    static final Key<String> BACKUP_FOLDER =
            TABLE.key(
                    "store.backup-folder",
                    ValueType.path("empty, or a folder", text -> text.indexOf('\0') < 0),
                    "",
                    "The folder in which backups of the running broker are made (godwit store "
                            + "backup); they are made nowhere else. On the file system of node.data a "
                            + "backup's tables are hard links and take no space. Empty: the folder backups in "
                            + "node.data.");

    private StoreKeys() {}
}
