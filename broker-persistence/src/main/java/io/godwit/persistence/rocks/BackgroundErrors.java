package io.godwit.persistence.rocks;

import io.godwit.core.failure.FileCauses;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * What RocksDB's own flushes and compactions have failed with. It counts errors, and names them in
 * its file LOG; its events would name them too, but a process that ends while one is being told to
 * Java never ends. Any thread.
 */
final class BackgroundErrors {
    private static final String COUNT = "rocksdb.background-errors";
    private static final Pattern LINE =
            Pattern.compile(
                    "Waiting after background (flush|compaction) error: (.*?),? ?"
                            + "Accumulated background error counts: (\\d+)");

    private static final int LOOKS = 100;
    private static final long LOOK_AGAIN_MS = 10;

    private final Path log;
    private final RocksDB database;
    private long seen;
    private @Nullable String failure;
    private @Nullable String damage;

    BackgroundErrors(Path folder, RocksDB database) {
        this.log = folder.resolve("LOG");
        this.database = database;
    }

    /**
     * Why something failed that was no damaged block met by a compaction, and no compaction that
     * does not fit on the disk now; null when nothing did.
     */
    synchronized @Nullable String lookForFailure() throws RocksDBException {
        long count = database.getLongProperty(COUNT);
        if (failure == null && count != seen) {
            judge(count);
        }
        return failure;
    }

    /** The damage that a compaction has met since this was asked last, or null. */
    synchronized @Nullable String takeDamage() {
        String met = damage;
        damage = null;
        return met;
    }

    private void judge(long count) {
        List<MatchResult> lines = linesUpTo(count);
        for (MatchResult line : lines) {
            String cause = line.group(2);
            if (line.group(1).equals("compaction") && isDamage(cause)) {
                damage = cause;
            } else if (!cause.startsWith(CompactionRoom.TOO_LARGE)) {
                failure = cause;
            }
        }
        if (lines.isEmpty() && failure == null) {
            failure = "see its file LOG";
        }
        seen = count;
    }

    /** RocksDB counts an error a moment before it names it. */
    private List<MatchResult> linesUpTo(long count) {
        List<MatchResult> found = List.of();
        for (int i = 0; i < LOOKS; i++) {
            found = lines().stream().filter(line -> number(line) > seen).toList();
            if (found.stream().anyMatch(line -> number(line) >= count) || failure != null) {
                break;
            }
            try {
                TimeUnit.MILLISECONDS.sleep(LOOK_AGAIN_MS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                break;
            }
        }
        return found;
    }

    private static long number(MatchResult line) {
        return Long.parseLong(line.group(3));
    }

    /** A checksum that is wrong, or a sector that the disk can't read. */
    private static boolean isDamage(String cause) {
        return cause.startsWith("Corruption") || cause.contains("While pread");
    }

    private List<MatchResult> lines() {
        try {
            String text = Files.readString(log, StandardCharsets.ISO_8859_1);
            return LINE.matcher(text).results().toList();
        } catch (IOException e) {
            failure = "its file LOG can't be read: " + FileCauses.of(e);
            return List.of();
        }
    }
}
