package io.godwit.extension.service;

/** Says why a service has not answered; the message names the node, if one is to blame. */
public final class ServiceFailedException extends Exception {
    private static final long serialVersionUID = 1;

    private final Cause reason;

    /** Names the causes. */
    public enum Cause {
        /**
         * A node that is needed for the answer is out of reach, or became so meanwhile: it may have
         * done what it was asked for.
         */
        NODE_AWAY,
        /** There was no answer in time: what was asked for may have been done. */
        TIMEOUT,
        /** As much is waiting as may: ask again when some of it is answered. */
        TOO_MUCH,
        /** What was asked for can't be done. */
        REFUSED
    }

    /**
     * @param message says what has failed, and where
     */
    public ServiceFailedException(Cause reason, String message) {
        super(message);
        this.reason = reason;
    }

    public Cause reason() {
        return reason;
    }
}
