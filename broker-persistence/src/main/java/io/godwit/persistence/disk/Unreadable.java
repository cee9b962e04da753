package io.godwit.persistence.disk;

/**
 * Something that was written can't be read back. Whatever else is there can, and writing goes on.
 */
public final class Unreadable extends DiskFailure {
    private static final long serialVersionUID = 1L;

    public Unreadable(String message, Throwable cause) {
        super(message, cause);
    }
}
