package io.godwit.persistence.rocks;

import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.rocksdb.RocksDBException;

/** Something that was written can't be read back. */
final class ReadFailure {
    private ReadFailure() {}

    /**
     * Names the place, and marks the store, so that the next start looks at every file.
     *
     * @param key that was looked for, or the last one that could be read
     */
    static DiskFailure of(Path folder, Family family, byte[] key, RocksDBException cause) {
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
        DiskFailure failure = new DiskFailure(text, cause);
        try {
            Files.writeString(folder.resolve(RocksFolder.DAMAGED), text + "\n");
        } catch (IOException e) {
            failure.addSuppressed(e); // then the damage is found by whoever reads it next
        }
        return failure;
    }
}
