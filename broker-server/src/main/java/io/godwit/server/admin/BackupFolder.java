package io.godwit.server.admin;

import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** Where backups may be made: below {@code store.backup-folder}, never in the store itself. */
public final class BackupFolder {
    private final Path folder;
    private final Path store;

    /** Why a backup can't be made there. */
    static final class Refused extends Exception {
        private static final long serialVersionUID = 1L;
        private final transient HttpAnswer answer;

        private Refused(HttpResponseStatus status, String text) {
            super(text);
            answer = HttpAnswer.error(status, text);
        }

        HttpAnswer answer() {
            return answer;
        }
    }

    /**
     * @param folder absolute; made when the first backup is
     * @param store absolute
     */
    public BackupFolder(Path folder, Path store) {
        this.folder = folder;
        this.store = store;
    }

    /**
     * @param to a name, or the path of a folder below this one; it must not exist, its parent must
     * @return absolute
     */
    Path resolve(String to) throws Refused, IOException {
        Path target;
        try {
            target = folder.resolve(to).normalize();
        } catch (InvalidPathException e) {
            throw new Refused(HttpResponseStatus.BAD_REQUEST, "to is not a path: " + e.getReason());
        }
        Path parent = target.getParent();
        if (to.isEmpty() || parent == null || !isBelow(folder, target)) {
            throw outside(target);
        }
        Files.createDirectories(folder);
        if (!Files.isDirectory(parent) || Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
            throw new Refused(
                    HttpResponseStatus.BAD_REQUEST,
                    target + " must not exist, but its parent folder must");
        }
        // A link may lead out of the one or into the other.
        Path real = parent.toRealPath();
        if (!real.startsWith(folder.toRealPath())) {
            throw outside(target);
        }
        if (Files.exists(store) && real.startsWith(store.toRealPath())) {
            throw new Refused(HttpResponseStatus.FORBIDDEN, target + " is in the store itself");
        }
        return target;
    }

    private static boolean isBelow(Path folder, Path target) {
        return target.startsWith(folder) && !target.equals(folder);
    }

    private Refused outside(Path target) {
        return new Refused(
                HttpResponseStatus.FORBIDDEN,
                target + " is not below " + folder + " (store.backup-folder)");
    }
}
