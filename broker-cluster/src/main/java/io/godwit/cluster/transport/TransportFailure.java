package io.godwit.cluster.transport;

import org.jspecify.annotations.Nullable;

/** A transport can't begin: the message tells the operator why, in one line. */
public final class TransportFailure extends Exception {
    private static final long serialVersionUID = 1;

    public TransportFailure(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
