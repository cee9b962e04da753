package io.godwit.persistence.rocks;

import io.godwit.core.failure.FileCauses;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.Unreadable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Something that was written can't be read back. */
final class ReadFailure {
    private static final Logger LOG = LoggerFactory.getLogger(ReadFailure.class);

    private ReadFailure() {}

    /**
     * Names the place, and marks the store, so that the next start looks at every file.
     *
     * @param key that was looked for, or the last one that could be read
     */
    static Unreadable of(Path folder, Family family, byte[] key, RocksDBException cause) {
        String queue =
                family == Family.QUEUES && key.length >= Long.BYTES
                        ? " (queue " + HexFormat.of().formatHex(key, 0, Long.BYTES) + ")"
                        : "";
        String text =
                "can't read "
                        + family.columnFamily()
                        + queue
                        + " of the store in "
                        + folder
                        + " at or behind key "
                        + HexFormat.of().formatHex(key)
                        + ": "
                        + cause.getMessage();
        Unreadable failure = new Unreadable(text, cause);
        mark(folder, text);
        return failure;
    }

    /** The next start looks at every file. */
    static void mark(Path folder, String text) {
        try {
            Files.writeString(folder.resolve(RocksFolder.DAMAGED), text + "\n");
        } catch (IOException e) {
            LOG.warn(
                    "Can't record the damage in {}: the next read finds it again: {}",
                    folder,
                    FileCauses.withFile(e));
        }
    }
}
