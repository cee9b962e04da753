package io.godwit.persistence.disk;

/**
 * What was committed, by position, until it has become rows of the {@link Disk} and these are
 * flushed. One thread appends and syncs; {@link #release} and the rest come from any thread.
 *
 * <p>Segments of a fixed size, used again when what they hold was released. A record that a power
 * cut tore is not there; damage before the last record is never skipped.
 */
public interface Journal extends AutoCloseable {
    /** Bytes that are written in front of each record. */
    int RECORD_HEADER = 24;

    /**
     * Appends a record; it is durable after the next {@link #sync}.
     *
     * @param position one above that of the record before
     */
    void append(long position, byte[] record, int length) throws DiskFailure;

    /** Everything appended so far is on the disk. After a failure nothing is ever written again. */
    void sync() throws DiskFailure;

    /**
     * Shows every record behind a position, in order; once, before the first append.
     *
     * @throws DiskFailure when records are missing between this position and the last one
     */
    void replay(long after, Visitor visitor) throws DiskFailure;

    /** Records up to this position are not needed any more. */
    void release(long upTo);

    /** Bytes between the released position and the last. */
    long bytes();

    @Override
    void close();

    /** Takes a record. */
    interface Visitor {
        void record(long position, byte[] record) throws DiskFailure;
    }
}
