package io.godwit.core.connection;

/** Makes names that clients choose fit for one line of a log. */
final class Printable {
    private static final int SHOWN_MAX = 200;

    private Printable() {}

    /** The text with control characters as {@code ?}, cut off after 200 characters. */
    static String of(String text) {
        String shown = text.length() <= SHOWN_MAX ? text : text.substring(0, SHOWN_MAX) + "...";
        return shown.replaceAll("[\\p{Cntrl}\u2028\u2029]", "?");
    }
}
