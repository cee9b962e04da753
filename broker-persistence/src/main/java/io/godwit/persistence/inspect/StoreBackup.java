package io.godwit.persistence.inspect;

import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.StoreUnusable;
import io.godwit.persistence.files.FileJournal;
import io.godwit.persistence.recovery.Restored;
import io.godwit.persistence.rocks.RocksDisk;
import io.godwit.persistence.rocks.RocksLook;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * A copy of a store that a broker has open, as a store of its own.
 *
 * <p>First the journal is copied, as far as it is needed and synced, then the rows. So no commit
 * falls between the two: what was released from the journal was in rows before, with its coverage.
 * Rows may be newer than the copied journal; their coverage is older still, and only the journal
 * has the rest of it. Everything acknowledged when the copy begins is in it, and each later commit
 * is in it whole or not at all.
 */
public final class StoreBackup {
    private static final String PART = ".part";

    private StoreBackup() {}

    /** An open store, as it is copied: each of the two at a moment of its own. */
    public interface Source {
        /**
         * Copies what of the journal was not released, up to now.
         *
         * @param folder does not exist
         * @return position of the last record
         */
        long copyJournal(Path folder) throws DiskFailure;

        /**
         * Copies all rows, as of one moment from now on.
         *
         * @param folder does not exist
         */
        void copyRows(Path folder) throws DiskFailure;
    }

    /** A store that is open. */
    public static Source of(RocksDisk disk, FileJournal journal) {
        return new Source() {
            @Override
            public long copyJournal(Path folder) throws DiskFailure {
                journal.sync(); // with durability.sync interval or os, too
                return journal.copyTo(folder);
            }

            @Override
            public void copyRows(Path folder) throws DiskFailure {
                disk.checkpoint(folder);
            }
        };
    }

    /**
     * Makes the copy; may take long. Any thread, one at a time.
     *
     * @param to does not exist; appears when the copy is whole and on the disk
     * @return bytes of its files
     */
    public static long take(Source store, Path to) throws DiskFailure, IOException {
        if (Files.exists(to)) {
            throw new IOException("the folder " + to + " is there already");
        }
        Path part = to.resolveSibling(to.getFileName() + PART);
        Path records = to.resolveSibling(to.getFileName() + ".journal" + PART);
        Folders.delete(part);
        Folders.delete(records);
        boolean isWhole = false;
        try {
            long last = store.copyJournal(records);
            store.copyRows(part);
            Path copied = part.resolve(FileJournal.FOLDER);
            long needed = neededBehind(part);
            if (needed > last) {
                Folders.delete(records);
                FileJournal.create(copied, FileJournal.SEGMENT_BYTES, needed, needed);
            } else {
                Files.move(records, copied);
            }
            Folders.sync(part);
            Files.move(part, to, StandardCopyOption.ATOMIC_MOVE);
            Folders.sync(to);
            isWhole = true;
            return bytes(to);
        } catch (StoreUnusable e) {
            throw new DiskFailure("the copy can't be read again: " + e.getMessage(), e);
        } finally {
            if (!isWhole) {
                Folders.delete(part);
                Folders.delete(records);
            }
        }
    }

    private static long neededBehind(Path store) throws StoreUnusable, DiskFailure {
        try (RocksLook rocks = RocksLook.open(store)) {
            return Restored.neededBehind(rocks);
        }
    }

    private static long bytes(Path folder) throws IOException {
        try (var all = Files.walk(folder)) {
            long sum = 0;
            for (Path each : all.filter(Files::isRegularFile).toList()) {
                sum += Files.size(each);
            }
            return sum;
        }
    }

    /**
     * Puts a copy where a broker will look for its store. Ids go on above all that the copy knows,
     * and the server id must be a new one: what the node it was made of has given since is then
     * never given again.
     *
     * @param store does not exist
     * @throws StoreUnusable when the copy is no whole store; then nothing was made
     */
    public static void restore(Path backup, Path store) throws StoreUnusable, IOException {
        RocksLook.open(backup).close();
        Path part = store.resolveSibling(store.getFileName() + PART);
        Folders.delete(part);
        Folders.copy(backup, part);
        Folders.sync(part);
        Files.move(part, store, StandardCopyOption.ATOMIC_MOVE);
        Folders.sync(store);
    }
}
