package io.godwit.server.security.users;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;

/** Texts of SCRAM, and how it writes names and passwords. */
final class ScramText {
    static final byte[] CLIENT_KEY = "Client Key".getBytes(StandardCharsets.US_ASCII);
    static final byte[] SERVER_KEY = "Server Key".getBytes(StandardCharsets.US_ASCII);

    private ScramText() {}

    /**
     * Returns a password as SASLprep (RFC 4013) writes it, so that each client comes to the same
     * key; a copy, to be wiped. Bytes that are no UTF-8 stay as they are.
     */
    static byte[] prepare(byte[] password) {
        boolean isAscii = true;
        for (byte each : password) {
            isAscii &= each >= 0;
        }
        if (isAscii) {
            return password.clone();
        }
        try {
            String text =
                    StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(password))
                            .toString();
            return Normalizer.normalize(mapped(text), Normalizer.Form.NFKC)
                    .getBytes(StandardCharsets.UTF_8);
        } catch (CharacterCodingException e) {
            return password.clone();
        }
    }

    private static StringBuilder mapped(String text) {
        StringBuilder mapped = new StringBuilder(text.length());
        text.codePoints()
                .filter(each -> !isLeftOut(each))
                .map(each -> Character.getType(each) == Character.SPACE_SEPARATOR ? ' ' : each)
                .forEach(mapped::appendCodePoint);
        return mapped;
    }

    /** The characters that are "commonly mapped to nothing" (RFC 3454, B.1). */
    private static boolean isLeftOut(int each) {
        return each == 0x00AD
                || each == 0x034F
                || each == 0x1806
                || each >= 0x180B && each <= 0x180D
                || each >= 0x200B && each <= 0x200D
                || each == 0x2060
                || each >= 0xFE00 && each <= 0xFE0F
                || each == 0xFEFF;
    }
}
