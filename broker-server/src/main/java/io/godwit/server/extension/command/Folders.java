package io.godwit.server.extension.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.stream.Stream;

/** Moves and deletes folders with all that is in them. */
final class Folders {
    private static final String SETTINGS = "config.yaml";

    private Folders() {}

    static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    /**
     * Lets every user of the machine read what is in a folder, but for settings, which may have
     * secrets: who installs need not be who runs the broker.
     */
    static void letAllRead(Path folder) throws IOException {
        if (!Files.getFileStore(folder).supportsFileAttributeView("posix")) {
            return;
        }
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.toList()) {
                if (!each.endsWith(SETTINGS)) {
                    String permissions = Files.isDirectory(each) ? "rwxr-xr-x" : "rw-r--r--";
                    Files.setPosixFilePermissions(
                            each, PosixFilePermissions.fromString(permissions));
                }
            }
        }
    }

    /**
     * Has a folder take the place of another one, which may be missing.
     *
     * @param aside where the old one is for a moment
     */
    static void exchange(Path next, Path place, Path aside) throws IOException {
        delete(aside);
        if (Files.exists(place)) {
            Files.move(place, aside);
        }
        try {
            Files.move(next, place);
        } catch (IOException e) {
            if (Files.exists(aside)) {
                Files.move(aside, place);
            }
            throw e;
        }
        delete(aside);
    }
}
