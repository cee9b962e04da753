package io.godwit.core.codec;

import io.netty.buffer.ByteBuf;

/** Writes Variable Byte Integers (MQTT 5.0, 1.5.5) of 0..268 435 455. */
final class VarInt {
    static final int MAX = 268_435_455;

    private VarInt() {}

    /** Bytes on the wire, 1..4. */
    static int length(int value) {
        return value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : 4;
    }

    static void write(ByteBuf out, int value) {
        int rest = value;
        while (rest >= 0x80) {
            out.writeByte(rest | 0x80);
            rest >>>= 7;
        }
        out.writeByte(rest);
    }

    /**
     * @return the index behind it
     */
    static int put(byte[] to, int index, int value) {
        int at = index;
        int rest = value;
        while (rest >= 0x80) {
            to[at++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        to[at] = (byte) rest;
        return at + 1;
    }
}
