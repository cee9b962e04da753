package io.godwit.persistence.disk;

/**
 * Walks over keys in order; belongs to one thread. Before the first {@link #next} it stands
 * nowhere.
 */
public interface Cursor extends AutoCloseable {
    /**
     * @return false at the end
     */
    boolean next() throws DiskFailure;

    /** The key; a new array. */
    byte[] key();

    /** The value; a new array. */
    byte[] value();

    @Override
    void close();
}
