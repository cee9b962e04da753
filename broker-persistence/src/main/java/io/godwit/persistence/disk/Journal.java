package io.godwit.persistence.disk;

/**
 * What was committed, by position, until it has become rows of the {@link Disk} and these are
 * flushed. One thread appends and syncs; {@link #release} and the rest come from any thread.
 *
 * <p>Segments of a fixed size, used again when what they hold was released. A record that a power
 * cut tore is not there; damage before the last record is never skipped.
 */
public interface Journal extends JournalView {
    /** Bytes that are written in front of each record. */
    int RECORD_HEADER = 25;

    /** The first record of its commit. */
    int FIRST = 1;

    /** The last record of its commit: only with it the commit was ever made. */
    int LAST = 2;

    /** A commit of one record. */
    int WHOLE = FIRST | LAST;

    /**
     * Appends a record; it is durable after the next {@link #sync}.
     *
     * @param position one above that of the record before
     * @param flags {@link #FIRST} and {@link #LAST}
     */
    void append(long position, int flags, byte[] record, int length) throws DiskFailure;

    /** Everything appended so far is on the disk. After a failure nothing is ever written again. */
    void sync() throws DiskFailure;

    /**
     * Shows every record behind a position, in order; once, before the first append. What is
     * appended then goes on behind the last record, or behind the rows if these are further.
     *
     * @param after nothing up to it is needed
     * @param rows position that rows stand for: they may have outlived what was never synced
     * @throws DiskFailure when records are missing between this position and the last one
     */
    @Override
    void replay(long after, long rows, Visitor visitor) throws DiskFailure;

    /** Records up to this position are not needed any more. */
    void release(long upTo);

    /** Bytes between the released position and the last. */
    long bytes();
}
