package io.godwit.persistence.rocks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/** A small file system of its own; needs root, so tests that ask for one are skipped without. */
record MountedDisk(Path folder) implements AutoCloseable {
    static MountedDisk at(Path folder, String options) throws Exception {
        Files.createDirectories(folder);
        mount("-t", "tmpfs", "-o", options, "tmpfs", folder.toString());
        // Not by the program's exit code: it may have mounted and then failed to say so elsewhere.
        Assumptions.assumeTrue(isMounted(folder), "can't mount a file system here");
        return new MountedDisk(folder);
    }

    private static boolean isMounted(Path folder) throws IOException {
        String at = " " + folder.toRealPath() + " ";
        return Files.readAllLines(Path.of("/proc/self/mounts")).stream()
                .anyMatch(line -> line.contains(at));
    }

    /** Of {@code ro} and {@code rw}: those are shown as they were given. */
    private boolean isMountedAs(String option) throws IOException {
        String at = " " + folder.toRealPath() + " ";
        return Files.readAllLines(Path.of("/proc/self/mounts")).stream()
                .anyMatch(line -> line.contains(at) && line.contains(" " + option + ","));
    }

    void remount(String options) throws Exception {
        boolean told = mount("-o", "remount," + options, folder.toString());
        if (!told && !isMountedAs(options)) {
            throw new IOException("can't remount " + folder + " " + options);
        }
    }

    private static boolean mount(String... arguments) throws Exception {
        // -n: the table in /run, which others may hold, is not needed.
        List<String> command = new ArrayList<>(List.of("mount", "-n"));
        command.addAll(List.of(arguments));
        try {
            return ChildProcess.run(command, Map.of()).exit() == 0;
        } catch (IOException e) {
            return false; // no such program
        }
    }

    @Override
    public void close() throws Exception {
        if (ChildProcess.run(List.of("umount", "-n", "-l", folder.toString()), Map.of()).exit()
                != 0) {
            throw new IOException("can't unmount " + folder);
        }
    }
}
