package io.godwit.persistence.disk;

/**
 * The disk did not do what it was asked to. After a failed write or sync nothing may be written any
 * more: what a retry would sync is not what failed to be synced.
 */
public class DiskFailure extends Exception {
    private static final long serialVersionUID = 1L;

    public DiskFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
