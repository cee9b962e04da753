package io.godwit.persistence;

import java.util.Arrays;

/**
 * Rules whose absence the simulator must notice (design section 11). In production each holds; only
 * test code makes an instance in which one does not.
 *
 * @param tellAfterSync a shard hears of a commit when it is written and synced, not before
 * @param listsInOrder the journal has the shards' lists in the order in which they were closed
 * @param replayBehindRows replay begins right behind the position that the rows stand for
 * @param rowsWithPosition rows and the position that they stand for are one write
 * @param journalUntilFlush the journal stays until the rows that stand for it are flushed
 * @param removalsJournaled the removal of a row is an operation of the journal
 * @param cancelOpenOnly only what is not in the journal yet is removed without an operation
 * @param idsAboveCeiling a start gives ids above everything that an earlier one may have given
 * @param inboundHoldsWindow a QoS 2 PUBLISH that some target has not got stays in the journal
 * @param countsWithRows depths and uses of payloads are written with the rows that they count
 * @param payloadUntilLastUse a payload stays while a row refers to it
 */
public record StoreRules(
        boolean tellAfterSync,
        boolean listsInOrder,
        boolean replayBehindRows,
        boolean rowsWithPosition,
        boolean journalUntilFlush,
        boolean removalsJournaled,
        boolean cancelOpenOnly,
        boolean idsAboveCeiling,
        boolean inboundHoldsWindow,
        boolean countsWithRows,
        boolean payloadUntilLastUse) {
    /** Every rule holds. */
    public static final StoreRules ALL =
            new StoreRules(true, true, true, true, true, true, true, true, true, true, true);

    /** All but one, by the place of its component, from 0. */
    public static StoreRules without(int rule) {
        boolean[] on = new boolean[11];
        Arrays.fill(on, true);
        on[rule] = false;
        return new StoreRules(
                on[0], on[1], on[2], on[3], on[4], on[5], on[6], on[7], on[8], on[9], on[10]);
    }
}
