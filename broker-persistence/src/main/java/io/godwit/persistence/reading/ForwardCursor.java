package io.godwit.persistence.reading;

import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.DiskFailure;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Stands at a key from its making on, and goes forward only. */
final class ForwardCursor implements AutoCloseable {
    private final Cursor cursor;
    private byte @Nullable [] key;
    private boolean isStarted;

    ForwardCursor(Cursor cursor) {
        this.cursor = cursor;
    }

    /** The key where it stands; null at the end. */
    byte @Nullable [] key() throws DiskFailure {
        if (!isStarted) {
            next();
        }
        return key;
    }

    byte[] value() {
        return cursor.value();
    }

    void next() throws DiskFailure {
        isStarted = true;
        key = cursor.next() ? cursor.key() : null;
    }

    /** Goes on to the first key at or above this one. */
    void goTo(byte[] from) throws DiskFailure {
        if (!isStarted || key != null && Arrays.compareUnsigned(key, from) < 0) {
            isStarted = true;
            key = cursor.seek(from) ? cursor.key() : null;
        }
    }

    @Override
    public void close() {
        cursor.close();
    }
}
