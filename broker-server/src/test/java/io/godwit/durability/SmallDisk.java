package io.godwit.durability;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A file system of a few hundred MiB, which a test can fill; needs the right to mount. */
final class SmallDisk implements AutoCloseable {
    private static final long MIB = 1L << 20;

    private final Path folder;

    private SmallDisk(Path folder) {
        this.folder = folder;
    }

    /** Why none can be mounted here; null when one can. */
    static @Nullable String problem(Path folder) {
        try {
            Path probe = Files.createDirectories(folder.resolve("probe"));
            mount(probe, 1).close();
            return null;
        } catch (UncheckedIOException | IOException e) {
            return "no small file system can be mounted here: " + e.getMessage();
        }
    }

    static SmallDisk mount(Path folder, int mebibytes) {
        run("mount", "-t", "tmpfs", "-o", "size=" + mebibytes + "m", "tmpfs", folder.toString());
        return new SmallDisk(folder);
    }

    long freeMiB() throws IOException {
        return Files.getFileStore(folder).getUsableSpace() / MIB;
    }

    /** Takes so much of the room until it is deleted. */
    Path fill(int mebibytes) throws IOException {
        return Files.write(folder.resolve("filler"), new byte[Math.toIntExact(mebibytes * MIB)]);
    }

    private static void run(String... command) {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            byte[] output = process.getInputStream().readAllBytes();
            if (process.waitFor() != 0) {
                throw new IOException(new String(output, StandardCharsets.UTF_8).strip());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        run("umount", folder.toString());
    }
}
