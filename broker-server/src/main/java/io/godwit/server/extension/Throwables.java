package io.godwit.server.extension;

/** Says in one line what was thrown. */
final class Throwables {
    private static final int TEXT_MAX = 500;

    private Throwables() {}

    static String text(Throwable thrown) {
        String text;
        try {
            text = thrown.toString();
        } catch (Throwable e) { // The extension's own exception may throw, too.
            text = thrown.getClass().getName();
        }
        String line = text.replaceAll("\\s*[\\r\\n]+\\s*", " ");
        return line.length() > TEXT_MAX ? line.substring(0, TEXT_MAX) : line;
    }
}
