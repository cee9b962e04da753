package io.godwit.server;

/**
 * The broker can't start, and the operator can help it: the message is a whole sentence that names
 * the key, file or address, and is all that has to be shown.
 */
public final class StartFailed extends Exception {
    public StartFailed(String message) {
        super(message);
    }

    public StartFailed(String message, Throwable cause) {
        super(message, cause);
    }
}
