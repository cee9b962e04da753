package io.godwit.server.extension.call;

import io.godwit.core.codec.Utf8Check;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Turns texts of extensions into UTF-8 Encoded Strings. */
final class Utf8Text {
    static final int BYTES_MAX = 65_535;

    private Utf8Text() {}

    /**
     * Returns the text's bytes.
     *
     * @param name of the value, for the message
     */
    static byte[] of(@Nullable String text, String name) throws BadAnswer {
        if (text == null) {
            throw new BadAnswer(name + " is null");
        }
        if (hasLoneSurrogate(text)) {
            throw new BadAnswer(name + " has half of a surrogate pair");
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > BYTES_MAX) {
            throw new BadAnswer(
                    name + " has " + bytes.length + " bytes; " + BYTES_MAX + " are allowed");
        }
        if (!Utf8Check.isString(bytes, 0, bytes.length)) {
            throw new BadAnswer(name + " has the character U+0000");
        }
        return bytes;
    }

    private static boolean hasLoneSurrogate(String text) {
        for (int i = 0; i < text.length(); i++) {
            char each = text.charAt(i);
            if (Character.isSurrogate(each)) {
                boolean isPair =
                        Character.isHighSurrogate(each)
                                && i + 1 < text.length()
                                && Character.isLowSurrogate(text.charAt(i + 1));
                if (!isPair) {
                    return true;
                }
                i++;
            }
        }
        return false;
    }
}
