package io.godwit.persistence;

/** The store cannot be opened, or what it holds cannot be read: the broker does not start with it. */
public final class StoreUnusable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public StoreUnusable(String message) {
        super(message);
    }

    public StoreUnusable(String message, Throwable cause) {
        super(message, cause);
    }
}
