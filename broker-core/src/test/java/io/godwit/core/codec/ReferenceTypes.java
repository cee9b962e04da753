package io.godwit.core.codec;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** The data types of the standard (MQTT 5.0, 1.5), for the {@link ReferenceParser}. */
class ReferenceTypes {
    static final class Bad extends RuntimeException {
        Bad() {
            super(null, null, false, false);
        }
    }

    ByteBuffer in;

    ReferenceTypes(ByteBuffer in) {
        this.in = in;
    }

    String string() {
        byte[] bytes = binary();
        utf8(bytes);
        String text = new String(bytes, StandardCharsets.UTF_8);
        need(text.indexOf('\0') < 0);
        return text;
    }

    byte[] binary() {
        int length = u16();
        need(length <= in.remaining());
        byte[] bytes = new byte[length];
        in.get(bytes);
        return bytes;
    }

    int varint() {
        int value = 0;
        for (int i = 0; i < 4; i++) {
            int b = u8();
            value |= (b & 127) << 7 * i;
            if (b < 128) {
                need(b > 0 || i == 0);
                return value;
            }
        }
        throw new Bad();
    }

    int u8() {
        return in.get() & 0xFF;
    }

    int u16() {
        return in.getShort() & 0xFFFF;
    }

    static void oneOf(int code, int... legal) {
        for (int one : legal) {
            if (one == code) {
                return;
            }
        }
        throw new Bad();
    }

    static void utf8(byte[] bytes) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
        } catch (CharacterCodingException e) {
            throw new Bad();
        }
    }

    static void need(boolean holds) {
        if (!holds) {
            throw new Bad();
        }
    }
}
