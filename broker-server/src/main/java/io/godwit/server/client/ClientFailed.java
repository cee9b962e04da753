package io.godwit.server.client;

/** A client command can't go on: the message is a sentence for the person who typed it. */
final class ClientFailed extends Exception {
    private static final long serialVersionUID = 1L;
    private final boolean isTemporary;

    /**
     * @param isTemporary whether the same attempt may succeed later
     */
    ClientFailed(String message, boolean isTemporary) {
        super(message);
        this.isTemporary = isTemporary;
    }

    /** Makes a failure that another attempt does not change. */
    static ClientFailed finalOne(String message) {
        return new ClientFailed(message, false);
    }

    /** Makes a failure that another attempt may change. */
    static ClientFailed temporary(String message) {
        return new ClientFailed(message, true);
    }

    boolean isTemporary() {
        return isTemporary;
    }
}
