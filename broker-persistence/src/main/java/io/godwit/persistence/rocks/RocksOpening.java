package io.godwit.persistence.rocks;

import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.StoreFormat;
import io.godwit.persistence.disk.StoreUnusable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.DBOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt to open a store. What a broker could not read while it ran is looked for in every
 * file. A damaged store is not opened, whatever RocksDB would make of it, but by a broker when the
 * damage is in the queues' rows: those are closed, and everything else goes on.
 */
final class RocksOpening {
    private static final Logger LOG = LoggerFactory.getLogger(RocksOpening.class);

    private final Path path;
    private final long nativeBytes;
    private final @Nullable CompactionRoom room;
    private final RocksFolder folder;
    private RocksOptions.Use use;
    private @Nullable DamageReport damage;

    RocksOpening(Path path, long nativeBytes, RocksOptions.Use use) {
        this(path, nativeBytes, use, null);
    }

    /**
     * @param room what compactions may take of the disk, or null
     */
    RocksOpening(Path path, long nativeBytes, RocksOptions.Use use, @Nullable CompactionRoom room) {
        this.room = room;
        this.path = path;
        this.use = use;
        this.nativeBytes = nativeBytes;
        this.folder = new RocksFolder(path);
    }

    RocksDisk open() throws StoreUnusable {
        RocksLibrary.load(path.toAbsolutePath().resolveSibling("native"));
        try {
            boolean isNew = folder.begin();
            if (!isNew) {
                checkFormat();
                checkDamage();
                checkFamilies();
                if (use != RocksOptions.Use.TOOL) {
                    checkFiles();
                }
            }
            RocksDisk disk = open(isNew);
            boolean isUsable = false;
            try {
                if (isNew) {
                    StoreFormat.write(disk);
                    folder.created();
                } else {
                    StoreFormat.check(disk, path.toString());
                }
                isUsable = true;
            } finally {
                if (!isUsable) {
                    disk.close();
                }
            }
            return disk;
        } catch (RocksDBException e) {
            throw OpenFailures.of(path, e);
        } catch (DiskFailure e) {
            throw e.getCause() instanceof RocksDBException cause
                    ? OpenFailures.of(path, cause)
                    : new StoreUnusable("" + e.getMessage(), e);
        } catch (IOException e) {
            throw OpenFailures.of(path, e);
        }
    }

    private RocksDisk open(boolean isNew) throws RocksDBException, StoreUnusable {
        RocksOptions options = new RocksOptions(nativeBytes, use, room);
        List<ColumnFamilyHandle> handles = new ArrayList<>();
        RocksDB database = null;
        try {
            database =
                    RocksDB.open(
                            options.database()
                                    .setCreateIfMissing(isNew)
                                    .setCreateMissingColumnFamilies(isNew),
                            path.toString(),
                            options.families(),
                            handles);
        } finally {
            if (database == null) {
                options.close();
            }
        }
        RocksDisk disk = new RocksDisk(path, database, handles, options, use, room, damage);
        for (Family family : Family.values()) {
            if (handles.get(family.ordinal()).getID() != family.ordinal()) {
                disk.close();
                throw new StoreUnusable(
                        "the store in "
                                + path
                                + " has its column families under other ids: it was not made by"
                                + " Godwit, or is damaged. Restore it from a backup.");
            }
        }
        return disk;
    }

    /**
     * Looks whether all files are there, and as long as they should be. RocksDB leaves that out
     * when it is opened for a broker; here it changes nothing.
     */
    private void checkFiles() throws RocksDBException {
        List<ColumnFamilyHandle> handles = new ArrayList<>();
        try (RocksOptions options = new RocksOptions(0, RocksOptions.Use.TOOL);
                Silence silence = new Silence()) {
            DBOptions chosen = options.database();
            chosen.setLogger(silence); // otherwise it would begin a new log in the folder
            RocksDB looked =
                    RocksDB.openReadOnly(chosen, path.toString(), options.families(), handles);
            handles.forEach(ColumnFamilyHandle::close);
            looked.close();
        }
    }

    /** Refuses another format; a number that can't be read is left to the checks for damage. */
    private void checkFormat() throws StoreUnusable {
        try {
            FormatLook.check(path);
        } catch (RocksDBException e) {
            LOG.debug("The format number of the store in {} can't be read", path, e);
        }
    }

    /** Looks at every file when something could not be read while the broker ran. */
    private void checkDamage() throws StoreUnusable, IOException {
        if (!Files.exists(folder.file(RocksFolder.DAMAGED))) {
            return;
        }
        DamageReport report = DamageReport.of(path);
        if (report.isDamaged() && (use == RocksOptions.Use.TOOL || !report.isInQueuesOnly())) {
            throw OpenFailures.damaged(path, report.text());
        }
        if (report.isDamaged()) {
            use = RocksOptions.Use.BROKER_BESIDE_DAMAGE;
            damage = report;
            return;
        }
        // A disk that reads again what it could not read before is not to be trusted, but every
        // checksum holds now.
        LOG.warn("Every file of the store in {} can be read again", path);
        Files.delete(folder.file(RocksFolder.DAMAGED));
    }

    private void checkFamilies() throws RocksDBException, StoreUnusable {
        TreeSet<String> found = new TreeSet<>();
        try (Options options = new Options()) {
            for (byte[] name : RocksDB.listColumnFamilies(options, path.toString())) {
                found.add(new String(name, StandardCharsets.UTF_8));
            }
        }
        TreeSet<String> known = new TreeSet<>();
        for (Family family : Family.values()) {
            known.add(family.columnFamily());
        }
        if (!found.equals(known)) {
            FormatLook.check(path);
            throw new StoreUnusable(
                    "the store in "
                            + path
                            + " has the column families "
                            + found
                            + " instead of "
                            + known
                            + ": it was not made by Godwit, or is damaged. It was not opened. Restore"
                            + " it from a backup.");
        }
    }
}
