package io.godwit.persistence.settings;

/**
 * A rule whose absence the simulator must notice (design section 11). In production each holds;
 * only test code lets one not hold.
 *
 * <p>Some are a part of another one: without them that one holds in most cases.
 */
public enum StoreRule {
    /** A shard hears of a commit when it is written and synced, not before. */
    TELL_AFTER_SYNC,
    /** Part of {@link #TELL_AFTER_SYNC}: it is not told when it is written and not synced yet. */
    SYNC_EACH_COMMIT,
    /** The journal has the shards' lists in the order in which they were closed. */
    LISTS_IN_ORDER,
    /** Replay begins right behind the position that the rows stand for. */
    REPLAY_BEHIND_ROWS,
    /** Rows and the position that they stand for are one write. */
    ROWS_WITH_POSITION,
    /** The journal stays until the rows that stand for it are flushed. */
    JOURNAL_UNTIL_FLUSH,
    /** A flush stands for the rows that were there when it began. */
    POSITION_BEFORE_FLUSH,
    /** The removal of a row is an operation of the journal. */
    REMOVALS_JOURNALED,
    /** Only what is not in the journal yet is removed without an operation. */
    CANCEL_OPEN_ONLY,
    /** Part of {@link #CANCEL_OPEN_ONLY}: a row is left out only when its removal is journaled. */
    LEFT_OUT_WHEN_JOURNALED,
    /** A start gives ids above everything that an earlier one may have given. */
    IDS_ABOVE_CEILING,
    /** What a queue remembers of QoS 2 messages is written when it leaves the journal's window. */
    INGRESS_OUTLIVES_WINDOW,
    /** Depths and uses of payloads are written with the rows that they count. */
    COUNTS_WITH_ROWS,
    /** Part of {@link #COUNTS_WITH_ROWS}: uses of payloads are, not only depths. */
    USES_WITH_ROWS,
    /** A payload stays while a row refers to it. */
    PAYLOAD_UNTIL_LAST_USE,
    /** A commit of several records is replayed whole or not at all. */
    WHOLE_COMMITS,
    /** Coverage is written before the part of the journal that proves it is given back. */
    COVERAGE_BEFORE_RELEASE,
    /** What fills another node's copy stands in its stream at the moment at which it was read. */
    MOMENT_PAGES,
    /** What fills a copy replaces what the copy has in its range. */
    COPY_RANGE_REPLACES,
    /** What a copy has and its leader never had is set aside when the copy is filled. */
    UNKNOWN_SET_ASIDE
}
