package io.godwit.extensions.http;

import java.io.IOException;

/** Says what is wrong with a response; such a request has failed. */
final class BadReplyException extends IOException {
    private static final long serialVersionUID = 1;
    private static final int TEXT_MAX = 160;

    BadReplyException(String message) {
        super(cut(message));
    }

    /** Strangers may choose names in a response: long ones and control characters stay out. */
    private static String cut(String message) {
        String line = message.replaceAll("\\p{Cntrl}", "?");
        return line.length() <= TEXT_MAX ? line : line.substring(0, TEXT_MAX);
    }
}
