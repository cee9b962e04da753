package io.godwit.persistence.rocks;

import io.godwit.persistence.StoreSettings;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.StoreUnusable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.DBOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/** One attempt to open a store. */
final class RocksOpening {
    private final Path folder;
    private final StoreSettings settings;
    private final AtomicReference<@Nullable DiskFailure> failure = new AtomicReference<>();

    RocksOpening(Path folder, StoreSettings settings) {
        this.folder = folder;
        this.settings = settings;
    }

    RocksDisk open() throws StoreUnusable {
        RocksLibrary.load(folder.resolveSibling("native"));
        boolean create = !Files.exists(folder.resolve("CURRENT"));
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new StoreUnusable("can't make the folder " + folder + ": " + e, e);
        }
        RocksOptions options = new RocksOptions();
        BackgroundErrors errors = new BackgroundErrors(folder, failure);
        AutoCloseable resources =
                () -> {
                    options.close();
                    errors.close();
                };
        List<ColumnFamilyHandle> handles = new ArrayList<>();
        try {
            List<ColumnFamilyDescriptor> families = options.families();
            DBOptions database =
                    options.database(settings, List.of(errors))
                            .setCreateIfMissing(create)
                            .setCreateMissingColumnFamilies(create);
            RocksDB opened = RocksDB.open(database, folder.toString(), families, handles);
            for (Family family : Family.values()) {
                if (handles.get(family.ordinal()).getID() != family.ordinal()) {
                    throw new StoreUnusable(folder + ": " + family + " has another number");
                }
            }
            return new RocksDisk(folder, opened, handles, resources, failure);
        } catch (RocksDBException e) {
            options.close();
            errors.close();
            throw new StoreUnusable("can't open the store in " + folder + ": " + e.getMessage(), e);
        }
    }
}
