package io.godwit.persistence;

import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.KeyRange;
import org.jspecify.annotations.Nullable;

/** A {@link MemoryDisk} for several threads. */
final class LockedDisk implements Disk {
    final MemoryDisk inner = new MemoryDisk();

    @Override
    public synchronized void write(Batch batch) throws DiskFailure {
        inner.write(batch);
    }

    @Override
    public void check() {}

    @Override
    public synchronized void flush() {
        inner.flush();
    }

    @Override
    public long unflushedBytes() {
        return 0;
    }

    @Override
    public synchronized byte @Nullable [] get(Family family, byte[] key) throws DiskFailure {
        return inner.get(family, key);
    }

    @Override
    public synchronized Cursor scan(Family family, byte[] from, byte @Nullable [] to) {
        return inner.scan(family, from, to);
    }

    @Override
    public long bytes(Family family, KeyRange range) {
        return 0;
    }

    @Override
    public void compact(Family family, KeyRange range) {}

    @Override
    public void endCompaction() {}

    @Override
    public long bytes() {
        return 0;
    }

    @Override
    public void close() {}
}
