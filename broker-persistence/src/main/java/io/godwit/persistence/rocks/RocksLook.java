package io.godwit.persistence.rocks;

import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.StoreUnusable;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.rocksdb.AbstractTableFilter;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.DBOptions;
import org.rocksdb.LiveFileMetaData;
import org.rocksdb.Logger;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.SstFileReader;
import org.rocksdb.TableProperties;

/**
 * A database that nobody has open, to be looked at: no file is changed or made, so damage stays as
 * it is, and only what lies in a damaged block can't be read. One thread.
 */
public final class RocksLook implements DiskView {
    private final Path folder;
    private final RocksDB database;
    private final List<ColumnFamilyHandle> families;
    private final RocksOptions options;
    private final Logger silence;

    private RocksLook(
            Path folder,
            RocksDB database,
            List<ColumnFamilyHandle> families,
            RocksOptions options,
            Logger silence) {
        this.folder = folder;
        this.database = database;
        this.families = families;
        this.options = options;
        this.silence = silence;
    }

    /**
     * Opens it for looking.
     *
     * @throws StoreUnusable when there is no store of this format, or when its list of files can't
     *     be read
     */
    public static RocksLook open(Path folder) throws StoreUnusable {
        RocksLibrary.load(folder.toAbsolutePath().resolveSibling("native"));
        if (!Files.exists(folder.resolve("CURRENT"))) {
            throw new StoreUnusable("there is no store in " + folder + ".");
        }
        checkFormat(folder);
        RocksOptions options =
                new RocksOptions(RocksOptions.NATIVE_BYTES_DEFAULT, RocksOptions.Use.TOOL);
        Logger silence = new Silence();
        List<ColumnFamilyHandle> handles = new ArrayList<>();
        DBOptions chosen = options.database().setParanoidChecks(false);
        chosen.setLogger(silence); // otherwise it would begin a new log in the folder
        try {
            RocksDB database =
                    RocksDB.openReadOnly(chosen, folder.toString(), options.families(), handles);
            return new RocksLook(folder, database, handles, options, silence);
        } catch (RocksDBException e) {
            options.close();
            silence.close();
            throw OpenFailures.of(folder, e);
        }
    }

    private static void checkFormat(Path folder) throws StoreUnusable {
        try {
            FormatLook.check(folder);
        } catch (RocksDBException e) {
            throw OpenFailures.of(folder, e);
        }
    }

    /** The table files that the database is made of, whole or not. */
    public List<TableFile> tables() {
        List<TableFile> tables = new ArrayList<>();
        for (LiveFileMetaData each : database.getLiveFilesMetaData()) {
            String name = new String(each.columnFamilyName(), StandardCharsets.UTF_8);
            for (Family family : Family.values()) {
                if (family.columnFamily().equals(name)) {
                    tables.add(
                            new TableFile(
                                    each.fileName().replace("/", ""),
                                    family,
                                    each.level(),
                                    each.smallestKey(),
                                    each.largestKey(),
                                    each.numEntries()));
                }
            }
        }
        return tables;
    }

    @Override
    public byte @Nullable [] get(Family family, byte[] key) throws DiskFailure {
        try {
            return database.get(families.get(family.ordinal()), key);
        } catch (RocksDBException e) {
            throw unreadable(family, key, e);
        }
    }

    @Override
    public Cursor scan(Family family, byte[] from, byte @Nullable [] to) {
        return new LookCursor(family, from, to, Set.of());
    }

    /**
     * Scans without some table files: for keys that these files do not have, or can't show.
     *
     * @param without names of files
     * @throws DiskFailure when one of them can't be told from another that is needed
     */
    public Cursor scan(Family family, byte[] from, byte @Nullable [] to, Set<String> without)
            throws DiskFailure {
        Set<TableMark> marks = new HashSet<>();
        Set<TableMark> needed = new HashSet<>();
        for (TableFile each : without.isEmpty() ? List.<TableFile>of() : tables()) {
            TableMark mark =
                    each.family() == family ? TableMark.of(folder.resolve(each.name())) : null;
            if (mark != null) {
                (without.contains(each.name()) ? marks : needed).add(mark);
            }
        }
        if (marks.removeAll(needed)) {
            throw new DiskFailure(
                    "can't read " + family.columnFamily() + " around its damage: tables are alike",
                    new IllegalStateException(String.valueOf(without)));
        }
        return new LookCursor(family, from, to, marks);
    }

    /** How RocksDB's filter of tables knows one: there is no name in what it is given. */
    private record TableMark(long entries, long dataBytes, long keyBytes, long valueBytes) {
        static TableMark of(TableProperties table) {
            return new TableMark(
                    table.getNumEntries(),
                    table.getDataSize(),
                    table.getRawKeySize(),
                    table.getRawValueSize());
        }

        static @Nullable TableMark of(Path file) {
            try (Options options = new Options();
                    SstFileReader reader = new SstFileReader(options)) {
                reader.open(file.toString());
                return of(reader.getTableProperties());
            } catch (RocksDBException e) {
                return null; // nobody can open it; RocksDB asks for no filter then
            }
        }
    }

    private static final class Without extends AbstractTableFilter {
        private final Set<TableMark> marks;

        Without(Set<TableMark> marks) {
            this.marks = marks;
        }

        @Override
        public boolean filter(TableProperties table) {
            return !marks.contains(TableMark.of(table));
        }
    }

    private DiskFailure unreadable(Family family, byte[] key, RocksDBException cause) {
        return new DiskFailure(
                "can't read "
                        + family.columnFamily()
                        + " of the store in "
                        + folder
                        + " at or behind key "
                        + HexFormat.of().formatHex(key)
                        + ": "
                        + cause.getMessage(),
                cause);
    }

    private final class LookCursor implements Cursor {
        private final Family family;
        private final ReadOptions bounds = new ReadOptions();
        private final @Nullable Slice upper;
        private final RocksIterator iterator;
        private byte[] at;
        private boolean started;

        private final @Nullable Without filter;

        LookCursor(Family family, byte[] from, byte @Nullable [] to, Set<TableMark> without) {
            this.family = family;
            at = from;
            filter = without.isEmpty() ? null : new Without(without);
            if (filter != null) {
                bounds.setTableFilter(filter);
            }
            upper = to == null ? null : new Slice(to);
            if (upper != null) {
                bounds.setIterateUpperBound(upper);
            }
            iterator = database.newIterator(families.get(family.ordinal()), bounds);
        }

        @Override
        public boolean next() throws DiskFailure {
            if (!started) {
                iterator.seek(at);
                started = true;
            } else if (iterator.isValid()) {
                iterator.next();
            }
            if (iterator.isValid()) {
                return true;
            }
            try {
                iterator.status();
            } catch (RocksDBException e) {
                throw unreadable(family, at, e);
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
            iterator.close();
            bounds.close();
            if (upper != null) {
                upper.close();
            }
            if (filter != null) {
                filter.close();
            }
        }
    }

    /** Bytes of all its files. */
    public long bytes() {
        return new RocksFolder(folder).bytes();
    }

    @Override
    public void close() {
        families.forEach(ColumnFamilyHandle::close);
        database.close();
        options.close();
        silence.close();
    }
}
