package io.godwit.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A file system in memory, with a size and flags of its own; needs root. */
public final class Mount implements AutoCloseable {
    private final Path folder;

    private Mount(Path folder) {
        this.folder = folder;
    }

    /**
     * @return null when this machine lets us mount, else why not
     */
    public static @Nullable String problem() {
        try {
            Path folder = Files.createTempDirectory("godwit-mount");
            try (Mount tried = tmpfs(folder, "size=1m")) {
                return null;
            } finally {
                Files.delete(folder);
            }
        } catch (IOException | IllegalStateException e) {
            return "tmpfs can't be mounted (root is needed): " + e.getMessage();
        }
    }

    /**
     * @param options as for {@code mount -o}
     */
    public static Mount tmpfs(Path folder, String options) {
        run("mount", "-t", "tmpfs", "-o", options, "tmpfs", folder.toString());
        return new Mount(folder);
    }

    void remount(String options) {
        run("mount", "-o", "remount," + options, folder.toString());
    }

    public Path folder() {
        return folder;
    }

    @Override
    public void close() {
        run("umount", folder.toString());
    }

    private static void run(String... command) {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            String said =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException(List.of(command) + ": " + said);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
