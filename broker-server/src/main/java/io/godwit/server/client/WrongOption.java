package io.godwit.server.client;

/** An option has a value that is not allowed; the message is a sentence that names the option. */
final class WrongOption extends Exception {
    private static final long serialVersionUID = 1L;

    WrongOption(String message) {
        super(message);
    }
}
