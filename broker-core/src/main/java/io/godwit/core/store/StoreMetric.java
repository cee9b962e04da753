package io.godwit.core.store;

/** The metrics of a store. */
public enum StoreMetric {
    COMMITS("store.commits", "Commits written to the journal.", false),
    OPERATIONS(
            "store.operations",
            "Operations in the store's commits, cancelled ones included.",
            false),
    CANCELLED(
            "store.operations.cancelled",
            "Operations of the store's commits that were not written, because a message was appended and removed in the"
                    + " same commit.",
            false),
    JOURNAL_BYTES(
            "store.journal.bytes",
            "Bytes written to the journal, headers of records included.",
            false),
    APPENDS(
            "store.appends",
            "Messages appended to durable queues and written to the journal (cancelled"
                    + " ones are not).",
            false),
    ROWS(
            "store.rows.written",
            "Messages written as rows, because they outlived the journal's window.",
            false),
    PAYLOADS("store.payloads.written", "Payloads written once and shared by several rows.", false),
    ROWS_READ("store.rows.read", "Messages read back from their rows.", false),
    TABLE_BYTES(
            "store.tables.bytes",
            "Bytes of table files written by flushes and compactions.",
            false),
    SYNCS("store.syncs", "Syncs of the journal.", false),
    SYNC_MICROS(
            "store.commit.micros",
            "Time spent writing commits to the journal, and syncing them.",
            false),
    WINDOW_BYTES("store.window.bytes", "Memory held by the journal's window, in bytes.", true),
    COMMIT_BYTES("store.commit.bytes", "Bytes waiting to be written to the journal.", true),
    QUEUED(
            "store.queued",
            "Messages of this node's queues that are on disk as rows: they have outlived the"
                    + " journal's window, and are not in memory.",
            true),
    QUEUED_BYTES(
            "store.queued.bytes",
            "Bytes of the messages of this node's queues that are on disk as rows.",
            true),
    PARTS_REFUSED(
            "store.parts.refused",
            "Queues in parts of other nodes' streams that a later epoch was known of, and parts"
                    + " that had come before.",
            false),
    COPIES("store.copies", "Queues of other nodes of which this node has a copy.", true),
    COPIES_QUEUED(
            "store.copies.queued",
            "Messages in copies of other nodes' queues that are on disk as rows.",
            true),
    COPIES_QUEUED_BYTES(
            "store.copies.queued.bytes",
            "Bytes of the messages in copies of other nodes' queues that are on disk as rows.",
            true),
    ASIDE_ENTRIES(
            "cluster.aside.entries",
            "Messages in copies of other nodes' queues that their leaders do not have: set aside on"
                    + " this disk, and given to nobody.",
            true),
    ASIDE_BYTES("cluster.aside.bytes", "Bytes of the messages that are set aside.", true),
    ASIDE_QUEUES(
            "cluster.aside.queues",
            "Sessions and parts of shared groups of which something is set aside.",
            true),
    DISK_BYTES("store.disk.bytes", "Bytes of the store's files.", true),
    DISK_FREE_BYTES("store.disk.free.bytes", "Free bytes on the store's disk.", true),
    DISK_ALARM("store.disk.alarm", "1 while the disk is nearly full and publishers wait.", true),
    DAMAGED("store.damaged.queues", "Queues found damaged since the start.", true),
    STALLED(
            "store.stalled",
            "1 while the disk has not answered a commit for durability.stall-time.",
            true);

    private final String key;
    private final String meaning;
    private final boolean gauge;

    StoreMetric(String key, String meaning, boolean gauge) {
        this.key = key;
        this.meaning = meaning;
        this.gauge = gauge;
    }

    /** The metric's name with dots. */
    public String key() {
        return key;
    }

    public String meaning() {
        return meaning;
    }

    /** Whether the metric can go down. */
    public boolean isGauge() {
        return gauge;
    }
}
