package io.godwit.server.data;

import io.godwit.server.Causes;
import io.godwit.server.StartFailed;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** Keeps brokers out of a node's data folder while its files are looked at or changed. */
public final class FolderLock implements AutoCloseable {
    private final @Nullable FileChannel file;

    private FolderLock(@Nullable FileChannel file) {
        this.file = file;
    }

    /**
     * Locks the folder, without a change to it: others may look too, unless it is for a change.
     *
     * @throws StartFailed when a broker has it, or somebody changes it
     */
    public static FolderLock take(Path folder, boolean forChange) throws StartFailed {
        Path lock = folder.resolve("lock");
        if (!Files.exists(lock)) {
            return new FolderLock(null); // no broker has ever run there
        }
        FileChannel file = null;
        FolderLock taken = null;
        try {
            file =
                    forChange
                            ? FileChannel.open(lock, StandardOpenOption.WRITE)
                            : FileChannel.open(lock, StandardOpenOption.READ);
            if (tryLock(file, forChange) == null) {
                throw new StartFailed(
                        "A running broker uses the folder "
                                + folder
                                + process(lock)
                                + ": stop it first, or use a copy of its store, made with 'godwit"
                                + " store backup'.");
            }
            taken = new FolderLock(file);
            return taken;
        } catch (IOException e) {
            throw new StartFailed("can't lock the folder " + folder + ": " + Causes.withFile(e), e);
        } finally {
            if (taken == null && file != null) {
                close(file);
            }
        }
    }

    /** Returns whether a broker runs with this data folder. */
    public static boolean isHeld(Path folder) {
        Path lock = folder.resolve("lock");
        if (!Files.isReadable(lock)) {
            return false;
        }
        try (FileChannel file = FileChannel.open(lock, StandardOpenOption.READ)) {
            return tryLock(file, false) == null;
        } catch (IOException e) {
            return false; // a start finds out why
        }
    }

    private static @Nullable FileLock tryLock(FileChannel file, boolean forChange)
            throws IOException {
        try {
            return file.tryLock(0, Long.MAX_VALUE, !forChange);
        } catch (OverlappingFileLockException e) {
            return null; // a broker of this process
        }
    }

    private static String process(Path lock) throws IOException {
        String pid = Files.readString(lock).strip();
        return pid.matches("[0-9]+") ? " (process " + pid + ")" : "";
    }

    @Override
    public void close() {
        if (file != null) {
            close(file);
        }
    }

    private static void close(FileChannel file) {
        try {
            file.close();
        } catch (IOException e) {
            // The kernel gives the lock back either way.
        }
    }
}
