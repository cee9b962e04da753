package io.godwit.persistence;

import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Journal;

/** A {@link MemoryJournal} for several threads. */
final class LockedJournal implements Journal {
    final MemoryJournal inner = new MemoryJournal();

    @Override
    public synchronized void append(long position, int flags, byte[] record, int length) {
        inner.append(position, flags, record, length);
    }

    @Override
    public synchronized void sync() throws DiskFailure {
        inner.sync();
    }

    @Override
    public synchronized void replay(long after, long rows, Visitor visitor) throws DiskFailure {
        inner.replay(after, rows, visitor);
    }

    @Override
    public synchronized void release(long upTo) {
        inner.release(upTo);
    }

    @Override
    public synchronized long bytes() {
        return inner.bytes();
    }

    @Override
    public void close() {}
}
