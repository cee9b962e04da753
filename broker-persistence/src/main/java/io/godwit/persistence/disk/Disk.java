package io.godwit.persistence.disk;

import java.util.List;

/**
 * An ordered, atomic key-value database without a log of its own: what was written is on the disk
 * after the next {@link #flush}, of all families together or of none. What came later is written
 * again from the {@link Journal}. Any thread of the store writes and reads.
 */
public interface Disk extends DiskView {
    /** Writes a batch atomically; seen by every read that begins afterwards. */
    void write(Batch batch) throws DiskFailure;

    /**
     * Has everything that was written before on the disk. May take long; a flush of the database's
     * own accord may come earlier, of all families at one point between two batches.
     */
    void flush() throws DiskFailure;

    /** Bytes written since the last flush: what a flush would write, roughly. */
    long unflushedBytes();

    /** Bytes that flushes and compactions have written since it was opened, as far as it knows. */
    default long tableBytes() {
        return 0;
    }

    /** Bytes of the files between two keys, roughly. */
    long bytes(Family family, KeyRange range) throws DiskFailure;

    /**
     * Gives back what deleted keys within a range take. May take long; whoever writes, flushes or
     * reads doesn't wait for it.
     */
    void compact(Family family, KeyRange range) throws DiskFailure;

    /** Has a compaction that is under way end soon, with its work undone. Any thread. */
    void endCompaction();

    /**
     * Looks for work in the background that has failed. Call it every second: a write may wait for
     * such work for ever.
     *
     * @throws Unreadable when a merge met damage: nothing is merged any more, all else goes on
     */
    void check() throws DiskFailure;

    /** What could not be read when it was opened, as sentences without a full stop. */
    default List<String> damage() {
        return List.of();
    }

    /** Bytes of all its files. */
    long bytes();
}
