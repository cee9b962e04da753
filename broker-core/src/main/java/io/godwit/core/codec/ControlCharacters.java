package io.godwit.core.codec;

import io.netty.buffer.ByteBuf;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Finds code points that a UTF-8 Encoded String should not include: control characters (U+0001 to
 * U+001F, U+007F to U+009F) and non-characters (U+FDD0 to U+FDEF, and the last two of each plane).
 *
 * @see "MQTT 5.0, 1.5.4"
 */
final class ControlCharacters {
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final long HIGH_BITS = 0x8080_8080_8080_8080L;
    private static final long LOW_BITS = 0x0101_0101_0101_0101L;
    private static final long SPACES = 0x2020_2020_2020_2020L;
    private static final long DELETES = 0x7F7F_7F7F_7F7F_7F7FL;

    private ControlCharacters() {}

    /** Whether well-formed UTF-8 has such a code point. */
    static boolean isIn(byte[] bytes) {
        int i = 0;
        while (i < bytes.length) {
            if (bytes.length - i >= 8 && isPlain((long) LONG.get(bytes, i))) {
                i += 8;
                continue;
            }
            int b = bytes[i] & 0xFF;
            int length = length(b);
            if (isRefused(
                    b,
                    length > 1 ? bytes[i + 1] & 0xFF : 0,
                    length > 2 ? bytes[i + 2] & 0xFF : 0,
                    length > 3 ? bytes[i + 3] & 0xFF : 0)) {
                return true;
            }
            i += length;
        }
        return false;
    }

    /** Whether well-formed UTF-8 has such a code point. */
    static boolean isIn(ByteBuf in, int index, int length) {
        int i = index;
        int end = index + length;
        while (i < end) {
            if (end - i >= 8 && isPlain(in.getLong(i))) {
                i += 8;
                continue;
            }
            int b = in.getByte(i) & 0xFF;
            int bytes = length(b);
            if (isRefused(
                    b,
                    bytes > 1 ? in.getByte(i + 1) & 0xFF : 0,
                    bytes > 2 ? in.getByte(i + 2) & 0xFF : 0,
                    bytes > 3 ? in.getByte(i + 3) & 0xFF : 0)) {
                return true;
            }
            i += bytes;
        }
        return false;
    }

    /** Eight bytes of printable ASCII. */
    private static boolean isPlain(long word) {
        long delete = word ^ DELETES;
        return ((word | word - SPACES | delete - LOW_BITS) & HIGH_BITS) == 0;
    }

    /** Bytes of the code point that begins with this one. */
    private static int length(int first) {
        if (first < 0xC0) {
            return 1;
        }
        return first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    }

    private static boolean isRefused(int b, int second, int third, int fourth) {
        if (b < 0xC2) {
            return b < 0x20 || b == 0x7F;
        }
        if (b < 0xE0) {
            return b == 0xC2 && second < 0xA0;
        }
        if (b < 0xF0) {
            // U+FDD0 to U+FDEF; U+FFFE and U+FFFF
            return b == 0xEF
                    && (second == 0xB7 && third >= 0x90 && third < 0xB0
                            || second == 0xBF && third >= 0xBE);
        }
        return (second & 0x0F) == 0x0F && third == 0xBF && fourth >= 0xBE;
    }
}
