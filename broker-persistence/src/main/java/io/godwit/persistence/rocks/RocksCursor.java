package io.godwit.persistence.rocks;

import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;

/** A native iterator with all that it needs to live; stands on the keys as of its making. */
final class RocksCursor implements Cursor {
    private final Path folder;
    private final Family family;
    private final RocksIterator iterator;
    private final ReadOptions options;
    private final @Nullable Slice upper;
    private final Gate gate;
    private byte[] at;
    private boolean started;
    private boolean closed;

    /**
     * @param gate has been entered for this cursor, which leaves it at its end
     */
    RocksCursor(
            Path folder,
            Family family,
            byte[] from,
            RocksIterator iterator,
            ReadOptions options,
            @Nullable Slice upper,
            Gate gate) {
        this.folder = folder;
        this.family = family;
        this.at = from;
        this.iterator = iterator;
        this.options = options;
        this.upper = upper;
        this.gate = gate;
    }

    @Override
    public boolean next() throws DiskFailure {
        if (started) {
            if (iterator.isValid()) {
                iterator.next();
            }
        } else {
            iterator.seek(at);
            started = true;
        }
        if (iterator.isValid()) {
            return true;
        }
        try {
            iterator.status();
        } catch (RocksDBException e) {
            throw ReadFailure.of(folder, family, at, e);
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
