package io.godwit.persistence.rocks;

import java.util.concurrent.atomic.AtomicLong;
import org.rocksdb.AbstractEventListener;
import org.rocksdb.TableFileCreationInfo;

/** Counts what flushes and compactions write. */
final class TableBytes extends AbstractEventListener {
    private final AtomicLong bytes = new AtomicLong();

    TableBytes() {
        super(EnabledEventCallback.ON_TABLE_FILE_CREATED);
    }

    long written() {
        return bytes.get();
    }

    @Override
    public void onTableFileCreated(TableFileCreationInfo info) {
        bytes.addAndGet(info.getFileSize());
    }
}
