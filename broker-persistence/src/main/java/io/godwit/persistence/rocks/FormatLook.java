package io.godwit.persistence.rocks;

import io.godwit.persistence.disk.StoreFormat;
import io.godwit.persistence.disk.StoreUnusable;
import java.nio.file.Path;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * Reads the format number of a store before anything else of it is read or changed. Opens the
 * family of the number alone, so a store with other families is judged, too.
 */
final class FormatLook {
    /** As few tables as RocksDB allows: one of them has the number. */
    private static final int OPEN_FILES = 16;

    private FormatLook() {}

    /**
     * Refuses a store of another format, and changes no file.
     *
     * @param folder of a store; RocksDB's library is loaded
     * @throws RocksDBException when the number can't be read because of damage
     */
    static void check(Path folder) throws StoreUnusable, RocksDBException {
        byte[] value;
        try (Silence silence = new Silence();
                Options options = new Options()) {
            options.setParanoidChecks(false)
                    .setMaxOpenFiles(OPEN_FILES)
                    .setSkipStatsUpdateOnDbOpen(true)
                    .setLogger(silence); // otherwise it would begin a new log in the folder
            try (RocksDB database = RocksDB.openReadOnly(options, folder.toString())) {
                value = database.get(StoreFormat.key());
            }
        }
        StoreFormat.check(value, folder.toString());
    }
}
