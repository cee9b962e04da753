package io.godwit.server.extension.call;

/** Says that an extension has answered what the broker cannot take; the message says what is. */
final class BadAnswer extends Exception {
    private static final long serialVersionUID = 1;

    BadAnswer(String message) {
        super(message, null, false, false);
    }
}
