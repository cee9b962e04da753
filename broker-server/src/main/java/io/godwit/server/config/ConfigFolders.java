package io.godwit.server.config;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where paths of the configuration begin.
 *
 * @param relative where each relative path begins, absolute
 * @param home Godwit's own folder, with the default of node.data, absolute
 */
record ConfigFolders(Path relative, Path home) {
    private static final String USUAL_NAME = "conf";

    /**
     * Finds the folders of a configuration file: relative paths begin at the file's folder, or at
     * the one above if that is called conf; without a file at the current folder.
     */
    static ConfigFolders of(@Nullable Path file) {
        Path current = Path.of("").toAbsolutePath();
        String launcher = System.getProperty("godwit.home");
        Path home = launcher == null ? current : Path.of(launcher).toAbsolutePath();
        return new ConfigFolders(file == null ? current : folderOf(file), home);
    }

    private static Path folderOf(Path file) {
        Path folder = file.toAbsolutePath().normalize().getParent();
        if (folder == null) return file.toAbsolutePath().getRoot();
        Path above = folder.getParent();
        return above != null && folder.endsWith(USUAL_NAME) ? above : folder;
    }

    /** Makes a path absolute that somebody wrote. */
    Path resolve(String path) {
        return relative.resolve(path).normalize();
    }
}
