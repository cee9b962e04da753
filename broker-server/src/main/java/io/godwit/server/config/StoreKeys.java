package io.godwit.server.config;

import io.godwit.core.settings.QueuePolicy;
import io.godwit.core.settings.QueueSettings;
import java.util.ArrayList;
import java.util.List;

/** The part of {@link Keys} about durable sessions: their store and their queues. */
final class StoreKeys {
    private static final long KIB = 1L << 10;
    private static final long MIB = 1L << 20;
    private static final QueueSettings QUEUES = QueueSettings.DEFAULTS;

    /** In the order of their declaration. */
    static final List<Key<?>> ALL;

    private static final List<Key<?>> DECLARED = new ArrayList<>();

    static final Key<DurabilityConfig.Store> STORE =
            key(
                    "durability.store",
                    ValueType.oneOf(DurabilityConfig.Store.class),
                    DurabilityConfig.Store.ROCKSDB,
                    "Where durable sessions (expiry above 0; 3.x: clean session 0), their queues,"
                            + " retained messages and wills are kept. rocksdb: in the folder store"
                            + " below node.data. memory: nowhere, every stop of the broker loses"
                            + " them.");

    static final Key<DurabilityConfig.Sync> SYNC =
            key(
                    "durability.sync",
                    ValueType.oneOf(DurabilityConfig.Sync.class),
                    DurabilityConfig.Sync.COMMIT,
                    "When a message counts as kept, so that its acknowledgement may leave. commit: when"
                            + " it is on the disk, one fdatasync for all that came meanwhile; neither"
                            + " a power cut nor kill -9 loses anything acknowledged. interval: when"
                            + " the operating system has it, which must write every sync-interval; a"
                            + " power cut loses what was acknowledged since, kill -9 nothing. os: when"
                            + " the operating system has it, which writes when it likes; a power cut"
                            + " loses about the last half minute, kill -9 nothing. A crash of the"
                            + " machine is like a power cut.");

    static final Key<Long> SYNC_INTERVAL =
            key(
                    "durability.sync-interval",
                    Quantity.millis(1, 3_600_000),
                    100L,
                    "How often the disk is synced. Only used with durability.sync: interval.");

    static final Key<Long> GATHER =
            key(
                    "durability.gather",
                    Quantity.micros(50, 1_000_000).orZero(),
                    500L,
                    "A commit starts no sooner than this after the start of the one before, and takes"
                            + " all that came meanwhile; the first after a pause starts at once. More"
                            + " costs time before acknowledgements, less costs CPU and syncs. 0: as"
                            + " soon as the one before is done.");

    static final Key<Long> WINDOW =
            key(
                    "durability.window",
                    Quantity.millis(10, 600_000),
                    2_000L,
                    "How long a message is in the journal alone before it becomes a row of its queue."
                            + " What is delivered and acknowledged sooner never does, which is much"
                            + " cheaper.");

    static final Key<Long> WINDOW_BYTES =
            key(
                    "durability.window-bytes",
                    Quantity.bytes(MIB, 1L << 40).orZero(),
                    0L,
                    "Bytes of the messages in that window, which are in memory; above it the window"
                            + " ends early. At most half of the Java heap and half of"
                            + " durability.journal-max. 0: an eighth of the heap, at most a quarter of"
                            + " durability.journal-max.");

    static final Key<Long> JOURNAL_MAX =
            key(
                    "durability.journal-max",
                    Quantity.bytes(32 * MIB, 1L << 40),
                    256 * MIB,
                    "The journal on the disk. At half of it what is in memory is written to tables, so"
                            + " that its oldest part can be used again; at the whole commits wait for"
                            + " that. A start after a crash reads this much at most.");

    static final Key<Long> BALLAST =
            key(
                    "durability.ballast",
                    Quantity.bytes(MIB, 1L << 40).orZero(),
                    64 * MIB,
                    "Size of a file that only takes up room: it is deleted when less than a quarter of"
                            + " durability.disk-free is left, so that what subscribers drain can"
                            + " still be written down as gone. 0: there is none.");

    static final Key<Long> DISK_FREE =
            key(
                    "durability.disk-free",
                    Quantity.bytes(MIB, 1L << 44),
                    512 * MIB,
                    "Free room on the store's disk below which publishers wait, until there is a fifth"
                            + " more; subscribers go on. Not below durability.window-bytes: what the"
                            + " window holds is still written then.");

    static final Key<Long> STALL_TIME =
            key(
                    "durability.stall-time",
                    Quantity.millis(100, 3_600_000).orZero(),
                    5_000L,
                    "When the disk has not answered a commit for so long, the log, the metric"
                            + " store.stalled and /health/ready (503) say so, until it does. Nothing"
                            + " is acknowledged meanwhile. 0: nobody is told.");

    static final Key<Long> STALL_EXIT =
            key(
                    "durability.stall-exit",
                    Quantity.millis(1_000, 86_400_000).orZero(),
                    60_000L,
                    "When it has not answered for so long the broker ends with exit code 1, as after a"
                            + " write that failed, so that clients look for another one. Not below"
                            + " durability.stall-time. 0: it waits for ever.");

    static final Key<Long> MESSAGES =
            key(
                    "queues.messages",
                    Quantity.number(1, 1_000_000_000_000L),
                    QUEUES.messages(),
                    "QoS 1 and 2 messages that wait for one durable session, or for the members of"
                            + " one shared subscription while one of them is durable; those in"
                            + " flight not counted.");

    static final Key<Long> BYTES =
            key(
                    "queues.bytes",
                    Quantity.bytes(KIB, 1L << 50),
                    QUEUES.bytes(),
                    "Their bytes; whichever is reached first.");

    static final Key<QueuePolicy> POLICY =
            key(
                    "queues.policy",
                    ValueType.oneOf(QueuePolicy.class),
                    QUEUES.policy(),
                    "What happens then. discard-newest: the new message is not kept, its publisher is"
                            + " acknowledged all the same. discard-oldest: the one that has waited"
                            + " longest goes. reject: a 5.0 publisher gets 0x97 (quota exceeded); an"
                            + " older one is acknowledged, since the standard leaves no other answer."
                            + " What is discarded is counted, per session and cause.");

    static final Key<Long> NODE_MESSAGES =
            key(
                    "queues.node-messages",
                    Quantity.number(1, 1_000_000_000_000L),
                    QUEUES.nodeMessages(),
                    "Messages in all durable queues of this node. Above it nothing is discarded, but"
                            + " publishers wait; so it is not below queues.messages.");

    static final Key<Long> NODE_BYTES =
            key(
                    "queues.node-bytes",
                    Quantity.bytes(KIB, 1L << 50),
                    QUEUES.nodeBytes(),
                    "Their bytes; not below queues.bytes.");

    static final Key<Long> PAGE =
            key(
                    "queues.page",
                    Quantity.number(1, 10_000),
                    (long) QUEUES.pageMessages(),
                    "Messages of a queue that are read back from the disk at a time. More is quicker"
                            + " for a long queue and takes more memory while many are read.");

    static final Key<String> BACKUP_FOLDER =
            key(
                    "store.backup-folder",
                    ValueType.text("empty, or a folder", text -> text.indexOf('\0') < 0),
                    "",
                    "The folder below which backups of the running broker are made (godwit store"
                            + " backup), and nowhere else. On the file system of node.data a backup's"
                            + " tables are links and take no room. Empty: backups in node.data.");

    static {
        ALL = List.copyOf(DECLARED);
    }

    private StoreKeys() {}

    private static <T> Key<T> key(String name, ValueType<T> type, T fallback, String meaning) {
        Key<T> key = new Key<>(name, type, fallback, meaning);
        DECLARED.add(key);
        return key;
    }
}
