package io.godwit.core.codec;

import io.netty.buffer.ByteBuf;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Whether bytes are well-formed UTF-8 (RFC 3629: no overlong form, no surrogate, nothing above
 * U+10FFFF). ASCII goes by eight bytes at a time; the rest through a table of states.
 *
 * @see "MQTT 5.0, 1.5.4"
 */
public final class Utf8Check {
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final long HIGH_BITS = 0x8080_8080_8080_8080L;
    private static final long LOW_BITS = 0x0101_0101_0101_0101L;

    private static final int ACCEPT = 0;
    private static final int REJECT = 1;

    /** Twelve byte classes; see {@link #classOf}. */
    private static final byte[] CLASSES = new byte[256];

    /** State times 12 plus class gives the next state. */
    private static final byte[] NEXT = {
        // ASCII, 80-8F, 90-9F, A0-BF, C2-DF, E0, E1-EC EE EF, ED, F0, F1-F3, F4, never
        0, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 1, // 0 accept
        1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, // 1 reject
        1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, // 2 one more
        1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, // 3 after E0: A0-BF, else overlong
        1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, // 4 two more
        1, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, // 5 after ED: 80-9F, else a surrogate
        1, 1, 4, 4, 1, 1, 1, 1, 1, 1, 1, 1, // 6 after F0: 90-BF, else overlong
        1, 4, 4, 4, 1, 1, 1, 1, 1, 1, 1, 1, // 7 three more
        1, 4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, // 8 after F4: 80-8F, else above U+10FFFF
    };

    static {
        for (int b = 0; b < 256; b++) {
            CLASSES[b] = classOf(b);
        }
    }

    private Utf8Check() {}

    /** A UTF-8 Encoded String: well-formed, without U+0000 [MQTT-1.5.4-1] [MQTT-1.5.4-2]. */
    public static boolean isString(ByteBuf buffer, int index, int length) {
        return check(buffer, index, length, false);
    }

    /** A UTF-8 Encoded String: well-formed, without U+0000 [MQTT-1.5.4-1] [MQTT-1.5.4-2]. */
    public static boolean isString(byte[] bytes, int from, int length) {
        int end = from + length;
        int state = ACCEPT;
        int i = from;
        if (length >= 8 && isPlain((long) LONG.get(bytes, end - 8))) {
            end -= 8;
        }
        while (i < end) {
            if (state == ACCEPT && end - i >= 8) {
                if (isPlain((long) LONG.get(bytes, i))) {
                    i += 8;
                    continue;
                }
            }
            int b = bytes[i++] & 0xFF;
            state = NEXT[state * 12 + CLASSES[b]];
            if (state == REJECT || b == 0) {
                return false;
            }
        }
        return state == ACCEPT;
    }

    /** Character data such as a payload of Payload Format 1: well-formed, U+0000 allowed. */
    public static boolean isText(ByteBuf buffer, int index, int length) {
        return check(buffer, index, length, true);
    }

    private static boolean check(ByteBuf buffer, int index, int length, boolean nulAllowed) {
        int end = index + length;
        int state = ACCEPT;
        int i = index;
        if (length >= 8 && isPlain(buffer.getLong(end - 8))) {
            end -= 8;
        }
        while (i < end) {
            if (state == ACCEPT && end - i >= 8) {
                if (isPlain(buffer.getLong(i))) {
                    i += 8;
                    continue;
                }
            }
            int b = buffer.getByte(i++) & 0xFF;
            state = NEXT[state * 12 + CLASSES[b]];
            if (state == REJECT || (b == 0 && !nulAllowed)) {
                return false;
            }
        }
        return state == ACCEPT;
    }

    /** Eight bytes of ASCII without U+0000. */
    private static boolean isPlain(long word) {
        return ((word | word - LOW_BITS) & HIGH_BITS) == 0;
    }

    private static byte classOf(int b) {
        if (b < 0x80) {
            return 0;
        }
        if (b < 0xC0) {
            return (byte) (b < 0x90 ? 1 : b < 0xA0 ? 2 : 3);
        }
        if (b < 0xE0) {
            return (byte) (b < 0xC2 ? 11 : 4);
        }
        if (b < 0xF0) {
            return (byte) (b == 0xE0 ? 5 : b == 0xED ? 7 : 6);
        }
        return (byte) (b == 0xF0 ? 8 : b < 0xF4 ? 9 : b == 0xF4 ? 10 : 11);
    }
}
