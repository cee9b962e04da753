package io.godwit.persistence.rocks;

import io.godwit.persistence.disk.Family;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileReader;
import org.rocksdb.SstFileReaderIterator;
import org.rocksdb.TableProperties;

/**
 * What of a table file can't be read: the entries between the last readable one before the first
 * damaged block and the first readable one behind the last.
 *
 * @param family its family's name, or null when not even that can be read
 * @param entries in the file, or -1
 * @param unreadable at most so many of them can't be read, or -1
 * @param after the last readable key before the damage; null: the damage begins the file
 * @param before the first readable key behind it; null: it reaches the file's end
 */
public record TableDamage(
        Path file,
        String cause,
        @Nullable String family,
        long entries,
        long unreadable,
        byte @Nullable [] after,
        byte @Nullable [] before) {

    /** Reads the whole file; null when it is whole. */
    static @Nullable TableDamage of(Path file) {
        try (Options options = new Options();
                SstFileReader reader = new SstFileReader(options)) {
            reader.open(file.toString());
            try {
                reader.verifyChecksum();
                return null;
            } catch (RocksDBException e) {
                return of(file, reader, e);
            }
        } catch (RocksDBException e) {
            return new TableDamage(file, String.valueOf(e.getMessage()), null, -1, -1, null, null);
        }
    }

    private static TableDamage of(Path file, SstFileReader reader, RocksDBException cause)
            throws RocksDBException {
        TableProperties properties = reader.getTableProperties();
        long entries = properties.getNumEntries() - properties.getNumDeletions();
        long readable = 0;
        byte[] after = null;
        byte[] before = null;
        try (ReadOptions options = new ReadOptions()) {
            try (SstFileReaderIterator forward = reader.newIterator(options)) {
                for (forward.seekToFirst(); forward.isValid(); forward.next()) {
                    after = forward.key();
                    readable++;
                }
            }
            try (SstFileReaderIterator backward = reader.newIterator(options)) {
                for (backward.seekToLast(); backward.isValid(); backward.prev()) {
                    before = backward.key();
                    readable++;
                }
            }
        }
        return new TableDamage(
                file,
                String.valueOf(cause.getMessage()),
                new String(properties.getColumnFamilyName(), StandardCharsets.UTF_8),
                entries,
                Math.max(0, entries - readable),
                after,
                before);
    }

    /** Whether the file can be opened, and holds nothing but what single queues need. */
    boolean isInQueuesOnly() {
        return Family.QUEUES.columnFamily().equals(family)
                || Family.PAYLOADS.columnFamily().equals(family)
                || Family.EXPIRY.columnFamily().equals(family);
    }

    /** What can't be read, without a full stop. */
    public String describe() {
        String text = text();
        return text.substring(0, text.length() - 1);
    }

    String text() {
        if (family == null) {
            return file + " can't be read at all (" + cause + ").";
        }
        String where =
                family.equals(Family.QUEUES.columnFamily())
                        ? "of the queues " + queue(after, "0") + " to " + queue(before, "the last")
                        : "of " + family + " from key " + hex(after) + " to " + hex(before);
        return file
                + ": up to "
                + unreadable
                + " of "
                + entries
                + " entries "
                + where
                + " can't be read ("
                + cause
                + ").";
    }

    private static String queue(byte @Nullable [] key, String otherwise) {
        return key == null || key.length < Long.BYTES
                ? otherwise
                : HexFormat.of().formatHex(key, 0, Long.BYTES);
    }

    private static String hex(byte @Nullable [] key) {
        return key == null ? "the end" : HexFormat.of().formatHex(key);
    }
}
