package io.godwit.extension.service;

/** Says that a message of an extension was not taken in. */
public final class PublishFailedException extends Exception {
    private static final long serialVersionUID = 1;

    private final int reasonCode;

    /**
     * @param reasonCode that a client would have got, 0x80..0xFF
     * @param message says why
     */
    public PublishFailedException(int reasonCode, String message) {
        super(message);
        this.reasonCode = reasonCode;
    }

    /** The code that a client would have got, 0x80..0xFF. */
    public int reasonCode() {
        return reasonCode;
    }
}
