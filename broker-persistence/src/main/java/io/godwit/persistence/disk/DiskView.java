package io.godwit.persistence.disk;

import org.jspecify.annotations.Nullable;

/** An ordered key-value database as far as it is read. Any thread, unless its maker says less. */
public interface DiskView extends AutoCloseable {
    byte @Nullable [] get(Family family, byte[] key) throws DiskFailure;

    /**
     * Keys from the first one up to, not including, the last, as of now.
     *
     * @param to null: to the family's end
     */
    Cursor scan(Family family, byte[] from, byte @Nullable [] to);

    @Override
    void close();
}
