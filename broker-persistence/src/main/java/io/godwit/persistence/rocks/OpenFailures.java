package io.godwit.persistence.rocks;

import io.godwit.core.failure.FileCauses;
import io.godwit.persistence.disk.StoreUnusable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

/** Says why a store can't be opened, and what the operator can do. */
final class OpenFailures {
    private OpenFailures() {}

    static StoreUnusable of(Path path, IOException cause) {
        return new StoreUnusable(sentence(path, FileCauses.withFile(cause)), cause);
    }

    static StoreUnusable of(Path path, RocksDBException cause) {
        String text = String.valueOf(cause.getMessage());
        Status status = cause.getStatus();
        boolean isDamage =
                status != null && status.getCode() == Status.Code.Corruption
                        || text.contains("No such file")
                        || text.contains("MANIFEST");
        if (!isDamage) {
            return new StoreUnusable(sentence(path, text), cause);
        }
        try {
            return damaged(path, DamageReport.of(path).text(), cause);
        } catch (IOException e) {
            cause.addSuppressed(e);
            return new StoreUnusable(sentence(path, text), cause);
        }
    }

    /**
     * @param damage sentences, each with a blank behind it
     */
    static StoreUnusable damaged(Path path, String damage) {
        return new StoreUnusable(text(path, damage, ""));
    }

    private static StoreUnusable damaged(Path path, String damage, RocksDBException cause) {
        return new StoreUnusable(text(path, damage, " (" + cause.getMessage() + ")"), cause);
    }

    private static String text(Path path, String damage, String because) {
        return "the store in "
                + path
                + " is damaged and was not opened"
                + because
                + ". "
                + damage
                + "Nothing was changed. 'godwit store verify' shows what can be read; then"
                + " restore a backup, or let 'godwit store set-aside' move the damaged part"
                + " away and start with the rest.";
    }

    private static String sentence(Path path, String text) {
        String what = "can't open the store in " + path + ": ";
        String lower = text.toLowerCase(Locale.ROOT);
        if (lower.contains("lock hold by current process")
                || lower.contains("while lock file") && !lower.contains("permission")) {
            return what
                    + "another process has it open. Two brokers can't share a folder: stop the"
                    + " other one, or give this one a folder of its own (node.data). ("
                    + text
                    + ")";
        }
        if (lower.contains("read-only file system")) {
            return what
                    + "the file system is mounted read-only. Mount it for writing; if it went"
                    + " read-only by itself, look at the kernel's log for errors of the disk. ("
                    + text
                    + ")";
        }
        if (lower.contains("permission denied") || lower.contains("operation not permitted")) {
            return what
                    + "user "
                    + System.getProperty("user.name")
                    + " may not write there. Give the folder and its files to that user. ("
                    + text
                    + ")";
        }
        if (lower.contains("no space left") || lower.contains("quota exceeded")) {
            return what + "the disk is full. Make room, then start again. (" + text + ")";
        }
        if (lower.contains("too many open files")) {
            return what + "too many open files. Raise the limit (ulimit -n). (" + text + ")";
        }
        return what + text;
    }
}
