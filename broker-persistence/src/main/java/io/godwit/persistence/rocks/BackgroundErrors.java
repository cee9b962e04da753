package io.godwit.persistence.rocks;

import io.godwit.persistence.disk.DiskFailure;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.rocksdb.AbstractEventListener;
import org.rocksdb.BackgroundErrorReason;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

/** Hears of flushes and compactions that failed: the same as a write that failed. */
final class BackgroundErrors extends AbstractEventListener {
    private final Path folder;
    private final AtomicReference<@Nullable DiskFailure> failure;

    BackgroundErrors(Path folder, AtomicReference<@Nullable DiskFailure> failure) {
        super(EnabledEventCallback.ON_BACKGROUND_ERROR);
        this.folder = folder;
        this.failure = failure;
    }

    @Override
    public void onBackgroundError(BackgroundErrorReason reason, Status status) {
        String what =
                switch (reason) {
                    case FLUSH -> "flush";
                    case COMPACTION -> "compact";
                    case WRITE_CALLBACK -> "write to";
                    case MEMTABLE -> "fill a memtable of";
                };
        failure.compareAndSet(
                null,
                new DiskFailure(
                        "can't "
                                + what
                                + " the store in "
                                + folder
                                + ": "
                                + status.getCodeString()
                                + " "
                                + status.getState(),
                        new RocksDBException(status)));
    }
}
