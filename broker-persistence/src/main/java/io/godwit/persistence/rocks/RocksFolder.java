package io.godwit.persistence.rocks;

import io.godwit.persistence.disk.StoreUnusable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/**
 * The files of a store.
 *
 * <pre>
 * CURRENT, MANIFEST-*, *.sst, OPTIONS-*, IDENTITY, LOCK, LOG*   RocksDB's (*.log are empty)
 * journal/  the journal's folder: no store becomes a new one while there is one
 * creating  the store is being made and holds nothing yet
 * damaged   what could not be read while the broker ran: the next start looks at every file
 * ballast   given up when the disk is full
 * </pre>
 */
final class RocksFolder {
    static final String CREATING = "creating";
    static final String DAMAGED = "damaged";
    static final String BALLAST = "ballast";
    static final String TABLES = ".sst";

    private final Path folder;

    RocksFolder(Path folder) {
        this.folder = folder;
    }

    Path file(String name) {
        return folder.resolve(name);
    }

    /**
     * Makes the folder if need be and begins a new store in it if it is empty.
     *
     * @return false when there is a store
     * @throws StoreUnusable when there is something else
     */
    boolean begin() throws StoreUnusable, IOException {
        Files.createDirectories(folder);
        if (Files.exists(file(CREATING))) {
            // A start that was cut before it had made the store: nobody has written to it.
            for (Path each : files()) {
                if (!each.endsWith(CREATING)) {
                    Files.delete(each);
                }
            }
            return true;
        }
        if (Files.exists(file("CURRENT"))) {
            return false;
        }
        List<String> strangers = strangers();
        if (!strangers.isEmpty()) {
            throw new StoreUnusable(
                    "the folder "
                            + folder
                            + " holds "
                            + strangers.size()
                            + " files ("
                            + String.join(", ", strangers.subList(0, Math.min(5, strangers.size())))
                            + ") but no file CURRENT, so it is no whole store; it was not opened as"
                            + " an empty one. Put the missing files back, restore a backup into an"
                            + " empty folder, or move this folder away to start with an empty"
                            + " store.");
        }
        Files.createFile(file(CREATING));
        sync();
        syncParent(); // whoever looks after a power cut finds this folder, and no empty place
        return true;
    }

    /** The new store is whole. */
    void created() throws IOException {
        Files.delete(file(CREATING));
        sync();
    }

    private List<String> strangers() throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.map(each -> each.getFileName().toString())
                    .filter(name -> !name.equals("lost+found") && !name.equals(BALLAST))
                    .sorted()
                    .toList();
        }
    }

    private void syncParent() throws IOException {
        Path parent = folder.toAbsolutePath().getParent();
        if (parent != null) {
            try (FileChannel channel = FileChannel.open(parent, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }

    private void sync() throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** Plain files, by name. */
    List<Path> files() throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(Files::isRegularFile).sorted().toList();
        }
    }

    /** Plain files with this ending, by name: by number. */
    List<Path> files(String ending) throws IOException {
        return files().stream().filter(each -> each.toString().endsWith(ending)).toList();
    }

    /** Sum of the files' lengths; one that goes meanwhile counts as none. */
    long bytes() {
        long bytes = 0;
        try {
            for (Path file : files()) {
                if (!file.endsWith(BALLAST)) {
                    bytes += length(file);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes;
    }

    private static long length(Path file) throws IOException {
        try {
            return Files.size(file);
        } catch (NoSuchFileException e) {
            return 0;
        }
    }
}
