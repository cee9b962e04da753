package io.godwit.persistence.rocks;

import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.DiskFailure;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;

/** A native iterator with all that it needs to live; stands on the keys as of its making. */
final class RocksCursor implements Cursor {
    /** Makes of an error what is known of it. */
    interface Failures {
        /**
         * @param at the last key that could be read
         */
        DiskFailure at(byte[] at, RocksDBException cause);
    }

    private final Failures failures;
    private final RocksIterator iterator;
    private final ReadOptions options;
    private final @Nullable Slice upper;
    private final Gate gate;
    private byte[] at;
    private boolean started;

    /** It stands on a key: asking the native iterator once for each is enough. */
    private boolean stands;

    private boolean closed;

    /**
     * @param gate has been entered for this cursor, which leaves it at its end
     */
    RocksCursor(
            Failures failures,
            byte[] from,
            RocksIterator iterator,
            ReadOptions options,
            @Nullable Slice upper,
            Gate gate) {
        this.failures = failures;
        this.at = from;
        this.iterator = iterator;
        this.options = options;
        this.upper = upper;
        this.gate = gate;
    }

    @Override
    public boolean next() throws DiskFailure {
        if (started) {
            if (stands) {
                iterator.next();
            }
        } else {
            iterator.seek(at);
            started = true;
        }
        return stands();
    }

    @Override
    public boolean seek(byte[] key) throws DiskFailure {
        at = key;
        started = true;
        iterator.seek(key);
        return stands();
    }

    private boolean stands() throws DiskFailure {
        stands = iterator.isValid();
        if (stands) {
            return true;
        }
        try {
            iterator.status();
        } catch (RocksDBException e) {
            throw failures.at(at, e);
        }
        return false;
    }

    @Override
    public byte[] key() {
        at = iterator.key();
        return at;
    }

    @Override
    public byte[] value() {
        return iterator.value();
    }

    @Override
    public int key(byte[] to) {
        int length = iterator.key(to);
        if (length > to.length) {
            throw new IllegalArgumentException(length + " bytes of key for " + to.length);
        }
        at = to;
        return length;
    }

    @Override
    public int value(byte[] to) {
        return iterator.value(to);
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        iterator.close();
        options.close();
        if (upper != null) {
            upper.close();
        }
        gate.leave();
    }
}
