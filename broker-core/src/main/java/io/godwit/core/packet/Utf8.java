package io.godwit.core.packet;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A UTF-8 string kept as its bytes, with its hash: what is compared and routed a million times a
 * second is never turned into a {@link String}. Two are equal when class and bytes are. The hash is
 * the same on every node and in every run; tables that strangers fill use a {@link KeyedHash}.
 */
public abstract sealed class Utf8 permits ClientId, Topic, TopicFilter {
    private final byte[] bytes;
    private final int hash;

    Utf8(byte[] bytes) {
        this(bytes, mixed(Arrays.hashCode(bytes)));
    }

    Utf8(byte[] bytes, int hash) {
        this.bytes = bytes;
        this.hash = hash;
    }

    /** The UTF-8 bytes; never changed by anyone. */
    public final byte[] bytes() {
        return bytes;
    }

    public final int length() {
        return bytes.length;
    }

    /**
     * The hash of a range of UTF-8 bytes, as {@link #hashCode()} of the value made of them. Of a
     * whole array {@link Arrays#hashCode(byte[])} makes the same, many bytes at a time.
     */
    public static int hash(byte[] bytes, int from, int length) {
        int hash = 1;
        for (int i = from; i < from + length; i++) {
            hash = 31 * hash + bytes[i];
        }
        return mixed(hash);
    }

    private static int mixed(int hash) {
        return hash * 0x9E3779B9 ^ hash >>> 15;
    }

    @Override
    public final int hashCode() {
        return hash;
    }

    @Override
    public final boolean equals(@Nullable Object other) {
        return this == other
                || other instanceof Utf8 that
                        && that.hash == hash
                        && that.getClass() == getClass()
                        && Arrays.equals(that.bytes, bytes);
    }

    /**
     * Compares in the order of the bytes. A {@link java.util.HashMap} asks it for keys whose hashes
     * meet, so that a stranger who makes them meet gains nothing; it looks for {@link Comparable}
     * at the class itself.
     */
    final int compareBytes(Utf8 other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }

    @Override
    public final String toString() {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    static byte[] encode(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
