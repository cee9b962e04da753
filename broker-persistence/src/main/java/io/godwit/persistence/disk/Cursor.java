package io.godwit.persistence.disk;

import java.util.Arrays;

/**
 * Walks over keys in order; belongs to one thread. Before the first {@link #next} it stands
 * nowhere.
 */
public interface Cursor extends AutoCloseable {
    /**
     * @return false at the end
     */
    boolean next() throws DiskFailure;

    /**
     * Goes on to the first key at or above this one, which is above the one where it stands.
     *
     * @return false at the end
     */
    default boolean seek(byte[] key) throws DiskFailure {
        while (next()) {
            if (Arrays.compareUnsigned(key(), key) >= 0) {
                return true;
            }
        }
        return false;
    }

    /** The key; a new array. */
    byte[] key();

    /** The value; a new array. */
    byte[] value();

    /**
     * Copies the key to the front of an array, for who reads many rows and keeps none of them.
     *
     * @param to as long as the longest key of the scan, at least
     * @return bytes of it
     */
    default int key(byte[] to) {
        byte[] key = key();
        System.arraycopy(key, 0, to, 0, key.length);
        return key.length;
    }

    /**
     * Copies the value to the front of an array, as much of it as fits.
     *
     * @return bytes of the whole value
     */
    default int value(byte[] to) {
        byte[] value = value();
        System.arraycopy(value, 0, to, 0, Math.min(value.length, to.length));
        return value.length;
    }

    @Override
    void close();
}
