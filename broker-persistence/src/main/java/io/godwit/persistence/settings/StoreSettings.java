package io.godwit.persistence.settings;

/**
 * How the store works ({@code durability.*}).
 *
 * @param syncIntervalMs for {@link Durability#INTERVAL}
 * @param gatherNanos least time from the start of one commit to the start of the next; 0 = at once
 * @param windowMs how long a commit stays in memory before what it holds becomes rows
 * @param windowBytes accounted bytes of the messages that the window may hold; above it ends early
 * @param journalBytes bound of the journal on the disk: at half of it rows are flushed so that its
 *     oldest part can be used again; at the bound commits wait for that
 * @param ballastBytes size of the file that is given up when the disk is full, so that removals can
 *     still be written; 0 = none
 * @param diskFreeBytes free bytes below which publishers wait
 * @param recordOps operations from which on a commit goes on in another record of the journal
 */
public record StoreSettings(
        Durability sync,
        long syncIntervalMs,
        long gatherNanos,
        long windowMs,
        long windowBytes,
        long journalBytes,
        long ballastBytes,
        long diskFreeBytes,
        int recordOps) {
    /** How long it is known what is gone; as long a node may be away and come back. */
    public static final long FORGET_AFTER_MS = 7 * 24 * 3_600_000L;

    /** Sessions and retained messages that are known to be gone, at most. */
    public static final int FORGET_MAX = 250_000;

    /** What a record's operations may become in rows at most decides how long a write takes. */
    private static final int RECORD_OPS = 2048;

    /** The part of the free bytes that sessions, subscriptions and wills may write in an alarm. */
    private static final int ALARM_SHARE = 8;

    /** Bytes that new sessions, new subscriptions and wills may write during one disk alarm. */
    public long alarmReserveBytes() {
        return diskFreeBytes / ALARM_SHARE;
    }

    /** Makes settings with records of the usual size. */
    public StoreSettings(
            Durability sync,
            long syncIntervalMs,
            long gatherNanos,
            long windowMs,
            long windowBytes,
            long journalBytes,
            long ballastBytes,
            long diskFreeBytes) {
        this(
                sync,
                syncIntervalMs,
                gatherNanos,
                windowMs,
                windowBytes,
                journalBytes,
                ballastBytes,
                diskFreeBytes,
                RECORD_OPS);
    }

    public static final StoreSettings DEFAULTS =
            new StoreSettings(
                    Durability.COMMIT,
                    100,
                    500_000,
                    2_000,
                    64L << 20,
                    256L << 20,
                    64L << 20,
                    512L << 20);
}
