package io.godwit.server.extension.call;

/** Says why a call of an extension has failed. */
public enum CallFailure {
    /** It has thrown, or its stage has completed exceptionally. */
    EXCEPTION("exception", true),

    /** There was no answer in {@code call-time}, or it has waited for so long. */
    TIMEOUT("timeout", true),

    /** It has answered null. */
    NULL("null", true),

    /** It has answered what the broker cannot take. */
    INVALID("invalid", true),

    /** Too many calls wait for the extension. */
    FULL("full", false),

    /** Its breaker is open. */
    BREAKER("breaker", false),

    /** The extension is stopped, or has failed. */
    STOPPED("stopped", false);

    private final String tag;
    private final boolean isOfExtension;

    CallFailure(String tag, boolean isOfExtension) {
        this.tag = tag;
        this.isOfExtension = isOfExtension;
    }

    /** The value of the metrics tag {@code cause}. */
    public String tag() {
        return tag;
    }

    /** Whether the extension was asked and is to blame. */
    boolean isOfExtension() {
        return isOfExtension;
    }
}
