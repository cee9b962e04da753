package io.godwit.core.routing;

import io.godwit.core.packet.KeyedHash;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The levels of a topic or filter as the trie compares them: a number for each, under the index's
 * key. Of a level of up to 8 bytes it is a permutation of these bytes (zeros above, which no level
 * contains), so equal numbers are equal levels and nothing else is read; of a longer one it is a
 * hash.
 */
final class Levels {
    static final int PACKED_MAX = 8;

    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long SLASHES = 0x2F2F_2F2F_2F2F_2F2FL;
    private static final long ONES = 0x0101_0101_0101_0101L;
    private static final long HIGHS = 0x8080_8080_8080_8080L;

    private final KeyedHash hash;

    Levels(KeyedHash hash) {
        this.hash = hash;
    }

    /**
     * The index at which the level that begins at {@code from} ends: a slash, or the end of the
     * bytes.
     */
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

    long number(byte[] bytes, int from, int to) {
        int length = to - from;
        return length <= PACKED_MAX
                ? hash.permute(KeyedHash.word(bytes, from, length))
                : hash.hash(bytes, from, to);
    }

    /** The slot of a level in a table of levels. */
    static int slot(long number) {
        return (int) (number >>> 32);
    }
}
