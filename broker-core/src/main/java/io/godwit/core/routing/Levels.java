package io.godwit.core.routing;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The levels of a topic or filter as the trie compares them: a number for each. A level of up to 8
 * bytes is that number (little-endian, zeros above, which no level contains), so equal numbers are
 * equal levels and nothing else is read; of a longer one it is a hash.
 */
final class Levels {
    static final int PACKED_MAX = 8;

    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long SLASHES = 0x2F2F_2F2F_2F2F_2F2FL;
    private static final long ONES = 0x0101_0101_0101_0101L;
    private static final long HIGHS = 0x8080_8080_8080_8080L;
    private static final long MIX = 0x9E37_79B9_7F4A_7C15L;

    private Levels() {}

    /** Where the level that begins at {@code from} ends: at a slash or the end of the bytes. */
    static int end(byte[] bytes, int from) {
        int i = from;
        while (i + Long.BYTES <= bytes.length) {
            long x = (long) LONG.get(bytes, i) ^ SLASHES;
            long slashes = (x - ONES) & ~x & HIGHS; // the lowest bit set is at the first one
            if (slashes != 0) {
                return i + (Long.numberOfTrailingZeros(slashes) >>> 3);
            }
            i += Long.BYTES;
        }
        while (i < bytes.length && bytes[i] != '/') {
            i++;
        }
        return i;
    }

    static long number(byte[] bytes, int from, int to) {
        int length = to - from;
        if (length <= PACKED_MAX) {
            return word(bytes, from, length);
        }
        long hash = length;
        int i = from;
        for (; i + Long.BYTES <= to; i += Long.BYTES) {
            hash = mix(hash ^ (long) LONG.get(bytes, i));
        }
        return mix(hash ^ word(bytes, i, to - i));
    }

    /** For a table of levels. */
    static int hash(long number) {
        return (int) (number * MIX >>> 32);
    }

    /** Up to 8 bytes. */
    private static long word(byte[] bytes, int from, int length) {
        if (length == 0) {
            return 0;
        }
        if (from + Long.BYTES <= bytes.length) {
            return (long) LONG.get(bytes, from) & -1L >>> Long.SIZE - 8 * length;
        }
        long word = 0;
        for (int i = from + length - 1; i >= from; i--) {
            word = word << 8 | bytes[i] & 0xFF;
        }
        return word;
    }

    private static long mix(long z) {
        long m = z * MIX;
        return m ^ m >>> 29;
    }
}
