package io.godwit.persistence.disk;

/**
 * The store can't be opened and the operator can help it: the message is one or more whole
 * sentences that name the path, the cause and what can be done, and is all that has to be shown.
 */
public final class StoreUnusable extends Exception {
    private static final long serialVersionUID = 1L;

    public StoreUnusable(String message) {
        super(message);
    }

    public StoreUnusable(String message, Throwable cause) {
        super(message, cause);
    }
}
