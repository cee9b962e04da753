package io.godwit.server.security.users;

import java.nio.file.Path;

/** The file of users can't be used; the message names file, line and reason, and no secret. */
public final class UsersMistake extends Exception {
    private static final long serialVersionUID = 1L;

    UsersMistake(Path file, String reason) {
        super(file + ": " + reason);
    }

    UsersMistake(Path file, int line, String reason) {
        super(file + ", line " + line + ": " + reason);
    }
}
