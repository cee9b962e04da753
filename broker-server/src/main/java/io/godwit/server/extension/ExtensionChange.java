package io.godwit.server.extension;

/**
 * Says what came of a command about an extension.
 *
 * @param text a sentence
 */
public record ExtensionChange(Kind kind, String text) {
    /** Says whether something was done. */
    public enum Kind {
        DONE,
        /** There is no such extension. */
        UNKNOWN,
        /** It can't be done now. */
        REFUSED
    }

    static ExtensionChange done(String text) {
        return new ExtensionChange(Kind.DONE, text);
    }

    static ExtensionChange unknown(String id) {
        return new ExtensionChange(Kind.UNKNOWN, "there is no extension " + id);
    }

    static ExtensionChange refused(String text) {
        return new ExtensionChange(Kind.REFUSED, text);
    }
}
