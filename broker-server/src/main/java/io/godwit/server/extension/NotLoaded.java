package io.godwit.server.extension;

import org.jspecify.annotations.Nullable;

/** An extension does not run; the message is a sentence that says why. */
final class NotLoaded extends Exception {
    private static final long serialVersionUID = 1;

    NotLoaded(String message) {
        super(message);
    }

    NotLoaded(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
