package io.godwit.conformance.wire;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** The data types of MQTT (5.0, 1.5), made by hand. */
public final class Bytes {
    private Bytes() {}

    /**
     * @param text pairs of hex digits; spaces are ignored
     */
    public static byte[] hex(String text) {
        return HexFormat.of().parseHex(text.replace(" ", ""));
    }

    public static String hex(byte[] bytes) {
        return HexFormat.ofDelimiter(" ").formatHex(bytes);
    }

    public static byte[] concat(byte[]... parts) {
        var out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }

    public static byte[] u8(int value) {
        return new byte[] {(byte) value};
    }

    public static byte[] u16(int value) {
        return new byte[] {(byte) (value >> 8), (byte) value};
    }

    public static byte[] u32(long value) {
        return new byte[] {
            (byte) (value >> 24), (byte) (value >> 16), (byte) (value >> 8), (byte) value
        };
    }

    /** Variable Byte Integer in its shortest form. */
    public static byte[] varInt(int value) {
        var out = new ByteArrayOutputStream();
        int rest = value;
        do {
            int digit = rest & 0x7F;
            rest >>>= 7;
            out.write(rest > 0 ? digit | 0x80 : digit);
        } while (rest > 0);
        return out.toByteArray();
    }

    /** Binary Data: a Two Byte Integer and the bytes. */
    public static byte[] bin(byte[] data) {
        return concat(u16(data.length), data);
    }

    /** UTF-8 Encoded String. */
    public static byte[] utf8(String text) {
        return bin(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Bytes of a text without a length before them, such as a payload. */
    public static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** A properties section: its length and what is in it. */
    public static byte[] props(byte[]... properties) {
        byte[] all = concat(properties);
        return concat(varInt(all.length), all);
    }

    /** A whole packet: first byte, Remaining Length, body. */
    public static byte[] packet(int firstByte, byte[]... body) {
        byte[] all = concat(body);
        return concat(u8(firstByte), varInt(all.length), all);
    }
}
