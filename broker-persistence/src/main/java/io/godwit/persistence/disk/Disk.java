package io.godwit.persistence.disk;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * An ordered, atomic key-value database. Writes come from any thread of the store and are applied
 * one after the other; what a synced write follows in the log is synced with it.
 */
public interface Disk extends AutoCloseable {
    /**
     * Writes a batch atomically.
     *
     * @param sync the log, with everything that was written to it before, is on the disk when this
     *     returns
     */
    void write(Batch batch, boolean sync) throws DiskFailure;

    /** Has what was written so far on the disk. */
    void syncLog() throws DiskFailure;

    byte @Nullable [] get(Family family, byte[] key) throws DiskFailure;

    /**
     * Keys from the first one up to, not including, the last, as of now.
     *
     * @param to null: to the family's end
     */
    Cursor scan(Family family, byte[] from, byte @Nullable [] to);

    /** Writes the family's memtable to a file of its own. */
    void flush(Family family) throws DiskFailure;

    /** Gives back what deleted keys take. May take long; call on a thread that may wait. */
    void compact(Family family) throws DiskFailure;

    /** Bytes of all files, logs included. */
    long bytes();

    /** A consistent copy of everything that was written, in a folder that does not exist yet. */
    void checkpoint(Path folder) throws DiskFailure;

    @Override
    void close();
}
