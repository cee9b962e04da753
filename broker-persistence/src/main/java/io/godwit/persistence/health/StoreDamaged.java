package io.godwit.persistence.health;

/** What the store holds cannot be read: the broker does not start with it. */
public final class StoreDamaged extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public StoreDamaged(String message) {
        super(message);
    }

    public StoreDamaged(String message, Throwable cause) {
        super(message, cause);
    }
}
