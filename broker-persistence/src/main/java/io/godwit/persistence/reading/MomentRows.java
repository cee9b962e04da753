package io.godwit.persistence.reading;

import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import org.jspecify.annotations.Nullable;

/**
 * Walks over the rows of one letter of META as they stood when it was made, from queue to queue, in
 * the order of {@link Long#compareUnsigned}.
 */
final class MomentRows implements AutoCloseable {
    /** Keys passed one by one before the cursor is set anew. */
    private static final int STEPS = 8;

    final char letter;
    private final ForwardCursor cursor;

    /** Opens the rows of queues from the first to the last one. */
    MomentRows(DiskView disk, char letter, long firstQueueId, long lastQueueId) {
        this.letter = letter;
        byte[] from = Keys.meta(letter, firstQueueId);
        byte[] to = Keys.after(Keys.meta(letter, lastQueueId));
        cursor = new ForwardCursor(disk.scan(Family.META, from, to));
    }

    /** Goes to the first row of a queue, or stays if it stands at one of it. */
    boolean isAt(long queueId) throws DiskFailure {
        byte[] at = key();
        for (int i = 0; at != null && i < STEPS && isBefore(at, queueId); i++) {
            next();
            at = key();
        }
        goTo(Keys.meta(letter, queueId));
        at = key();
        return at != null && Keys.longAt(at, 1) == queueId;
    }

    private static boolean isBefore(byte[] key, long queueId) {
        return Long.compareUnsigned(Keys.longAt(key, 1), queueId) < 0;
    }

    /** The key where it stands; null at the end. */
    byte @Nullable [] key() throws DiskFailure {
        return cursor.key();
    }

    byte[] value() {
        return cursor.value();
    }

    void next() throws DiskFailure {
        cursor.next();
    }

    /** Goes on behind all rows of a queue. */
    void pass(long queueId) throws DiskFailure {
        while (isAt(queueId)) {
            next();
        }
    }

    /** Goes on to the first row at or above a key. */
    void goTo(byte[] from) throws DiskFailure {
        cursor.goTo(from);
    }

    @Override
    public void close() {
        cursor.close();
    }
}
