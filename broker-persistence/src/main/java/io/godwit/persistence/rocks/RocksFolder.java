package io.godwit.persistence.rocks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The files of a database. */
final class RocksFolder {
    private RocksFolder() {}

    /** Plain files, by name. */
    static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(Files::isRegularFile).sorted().toList();
        }
    }

    /** Sum of the files' lengths; one that goes meanwhile counts as none. */
    static long bytes(Path folder) {
        long bytes = 0;
        try {
            for (Path file : files(folder)) {
                bytes += length(file);
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
