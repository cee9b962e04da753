package io.godwit.server.data;

import io.godwit.core.failure.FileCauses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lets nobody but the broker's user read what it has written: folders 0700, files 0600. */
public final class PrivateMode {
    private static final Logger LOG = LoggerFactory.getLogger(PrivateMode.class);
    private static final Set<PosixFilePermission> FOLDER =
            PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> FILE =
            PosixFilePermissions.fromString("rw-------");

    private PrivateMode() {}

    /**
     * Restricts a folder or file; one that is missing, or belongs to another user, stays as it is.
     */
    public static void restrict(Path path) {
        PosixFileAttributeView view =
                Files.getFileAttributeView(path, PosixFileAttributeView.class);
        if (view == null || !Files.exists(path)) {
            return;
        }
        Set<PosixFilePermission> wanted = Files.isDirectory(path) ? FOLDER : FILE;
        try {
            if (!view.readAttributes().permissions().equals(wanted)) {
                view.setPermissions(wanted);
            }
        } catch (IOException e) {
            LOG.warn("Can't restrict {} to its owner: {}", path, FileCauses.of(e));
        }
    }
}
