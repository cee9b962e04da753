package io.godwit.persistence.space;

import io.godwit.core.failure.FileCauses;
import io.godwit.persistence.disk.StoreUnusable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refuses a start on a full disk: RocksDB would wait for space without end and without a word. The
 * ballast is deleted first when that helps.
 */
public final class StartRoom {
    /** Room for the first tables that a start writes, and for lists of files. */
    static final long NEEDED_BYTES = 8L << 20;

    private static final Logger LOG = LoggerFactory.getLogger(StartRoom.class);

    private StartRoom() {}

    /**
     * Checks the disk under the store, before anything is written there.
     *
     * @param folder of the store; it may be missing
     * @return free bytes of the disk
     * @throws StoreUnusable names the folder, the free space and what is needed
     */
    public static long check(Path folder) throws StoreUnusable {
        Path parent = folder.toAbsolutePath().getParent();
        return check(
                folder, Volume.of(Files.isDirectory(folder) || parent == null ? folder : parent));
    }

    /** Deletes the ballast when the start may need its room for what only the journal holds. */
    public static void makeRoom(Path folder, Volume volume, long journalBytes) {
        try {
            if (volume.usableBytes() < NEEDED_BYTES + journalBytes) {
                deleteBallast(folder);
            }
        } catch (IOException e) {
            LOG.warn(
                    "Can't find out how much of the disk under {} is free: {}",
                    folder,
                    FileCauses.of(e));
        }
    }

    /**
     * Says that a start has found no space for its tables, or null when it failed for another
     * reason.
     *
     * @param journalBytes of what only the journal holds
     */
    public static @Nullable String explain(
            Path folder, Volume volume, long journalBytes, Throwable failure) {
        String text = String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT);
        if (!text.contains("no space left") && !text.contains("quota exceeded")) {
            return null;
        }
        try {
            return "the disk under %s is full: %d KiB are free, and this start needs up to %d MiB, since it writes tables of what only the journal holds. Free disk space, then start again; nothing is lost"
                    .formatted(
                            folder,
                            volume.usableBytes() >> 10,
                            (NEEDED_BYTES + journalBytes) >> 20);
        } catch (IOException e) {
            return null;
        }
    }

    private static boolean deleteBallast(Path folder) throws IOException {
        Path ballast = folder.resolve(Ballast.FILE);
        boolean isDeleted = Files.deleteIfExists(ballast);
        if (isDeleted) {
            LOG.warn("Deleted the ballast file {}: the disk is nearly full", ballast);
        }
        return isDeleted;
    }

    static long check(Path folder, Volume volume) throws StoreUnusable {
        try {
            long usable = volume.usableBytes();
            if (usable < NEEDED_BYTES && deleteBallast(folder)) {
                usable = volume.usableBytes();
            }
            if (usable < NEEDED_BYTES) {
                throw new StoreUnusable(
                        "the disk under %s is full: %d KiB are free, and a start needs at least %d MiB. Free disk space, then start again; nothing is lost"
                                .formatted(folder, usable >> 10, NEEDED_BYTES >> 20));
            }
            return usable;
        } catch (IOException e) {
            LOG.warn(
                    "Can't find out how much of the disk under {} is free: {}",
                    folder,
                    FileCauses.of(e));
            return Long.MAX_VALUE;
        }
    }
}
