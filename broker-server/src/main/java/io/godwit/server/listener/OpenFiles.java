package io.godwit.server.listener;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;

/** The limit of open files of this process, read at start. */
public final class OpenFiles {
    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final String ROW = "Max open files";

    private OpenFiles() {}

    /** The soft limit; empty when there is none, or where it can't be read. */
    public static OptionalInt limit() {
        try {
            return parse(Files.readString(LIMITS));
        } catch (IOException e) {
            return OptionalInt.empty();
        }
    }

    static OptionalInt parse(String limits) {
        return limits.lines()
                .filter(line -> line.startsWith(ROW))
                .map(line -> line.substring(ROW.length()).strip().split("\\s+", 2)[0])
                .filter(soft -> soft.matches("[0-9]{1,18}"))
                .mapToLong(Long::parseLong)
                .mapToInt(soft -> (int) Math.min(soft, Integer.MAX_VALUE))
                .findFirst();
    }

    /** Files that are open now; 0 where it can't be read. */
    public static int inUse() {
        int count = 0;
        try (DirectoryStream<Path> open = Files.newDirectoryStream(DESCRIPTORS)) {
            for (Path ignored : open) {
                count++;
            }
        } catch (IOException e) {
            return 0;
        }
        return count;
    }
}
