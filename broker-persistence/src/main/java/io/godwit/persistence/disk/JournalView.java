package io.godwit.persistence.disk;

/** What was committed, by position, as far as it is read. */
public interface JournalView extends AutoCloseable {
    /**
     * Shows every record behind a position, in order.
     *
     * @param after nothing up to it is needed
     * @param rows position that rows stand for: they may have outlived what was never synced
     * @throws DiskFailure when a record can't be read
     */
    void replay(long after, long rows, Visitor visitor) throws DiskFailure;

    /**
     * As {@link #replay(long, long, Visitor)}, when nothing is needed up to what rows stand for.
     */
    default void replay(long after, Visitor visitor) throws DiskFailure {
        replay(after, after, visitor);
    }

    @Override
    void close();

    /** Takes a record. */
    interface Visitor {
        /**
         * @param flags {@link Journal#FIRST} and {@link Journal#LAST}
         */
        void record(long position, int flags, byte[] record) throws DiskFailure;
    }
}
