package io.godwit.persistence.inspect;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Whole folders. */
public final class Folders {
    private Folders() {}

    /** Deletes it with all that is in it, if it is there. */
    public static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        for (Path each : all(folder).stream().sorted(Comparator.reverseOrder()).toList()) {
            Files.delete(each);
        }
    }

    /** Has every file and folder of it on the disk. */
    public static void sync(Path folder) throws IOException {
        for (Path each : all(folder)) {
            try (FileChannel channel = FileChannel.open(each, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
        Path parent = folder.toAbsolutePath().getParent();
        if (parent != null) {
            syncOne(parent);
        }
    }

    private static void syncOne(Path folder) throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    static void copy(Path from, Path to) throws IOException {
        for (Path each : all(from)) {
            Files.copy(each, to.resolve(from.relativize(each).toString()));
        }
    }

    private static List<Path> all(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.toList();
        }
    }
}
