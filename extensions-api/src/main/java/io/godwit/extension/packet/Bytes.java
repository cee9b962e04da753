package io.godwit.extension.packet;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Bytes that nobody changes. */
public final class Bytes {
    /** No bytes. */
    public static final Bytes EMPTY = new Bytes(new byte[0]);

    private final byte[] bytes;

    private Bytes(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Returns a copy of the bytes. */
    public static Bytes copyOf(byte[] bytes) {
        return bytes.length == 0 ? EMPTY : new Bytes(bytes.clone());
    }

    /** Returns the UTF-8 of a text. */
    public static Bytes ofText(String text) {
        return text.isEmpty() ? EMPTY : new Bytes(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns bytes without a copy: whoever has them must not change them any more. */
    public static Bytes wrap(byte[] bytes) {
        return bytes.length == 0 ? EMPTY : new Bytes(bytes);
    }

    public int length() {
        return bytes.length;
    }

    public boolean isEmpty() {
        return bytes.length == 0;
    }

    public byte at(int index) {
        return bytes[index];
    }

    /** Returns a copy. */
    public byte[] toArray() {
        return bytes.clone();
    }

    /** Returns a view that can be read only. */
    public ByteBuffer asBuffer() {
        return ByteBuffer.wrap(bytes).asReadOnlyBuffer();
    }

    /** Returns the text that the bytes are in UTF-8; malformed bytes become U+FFFD. */
    public String text() {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Bytes it && Arrays.equals(bytes, it.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** Says how many there are: payloads and passwords have no place in logs. */
    @Override
    public String toString() {
        return bytes.length + " bytes";
    }
}
