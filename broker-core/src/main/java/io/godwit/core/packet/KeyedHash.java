package io.godwit.core.packet;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.random.RandomGenerator;

/**
 * Hashes of bytes that strangers choose, under a key that they do not know: nobody can prepare
 * names that meet in one slot of a table. {@link Utf8#hashCode} is the same everywhere and for
 * ever; this is not, so it leaves the node in no form.
 *
 * <p>Sixteen bytes a step, each a multiplication of 64 by 64 bits whose halves are folded together.
 * Both factors hold a secret, so that no byte alone decides what becomes of the others.
 */
public final class KeyedHash {
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int STEP = 2 * Long.BYTES;

    private final long start;
    private final long key;
    private final long end;
    private final long odd;

    /**
     * @param random gives the key: a secret one in production, a seeded one where a run is to
     *     repeat
     */
    public KeyedHash(RandomGenerator random) {
        start = random.nextLong();
        key = random.nextLong();
        end = random.nextLong();
        odd = random.nextLong() | 1;
    }

    /** The hash for a table of 32-bit tags. */
    public int hash(byte[] bytes) {
        return (int) (hash(bytes, 0, bytes.length) >>> 32);
    }

    /** The hash of the bytes from {@code from} up to, and without, {@code to}. */
    public long hash(byte[] bytes, int from, int to) {
        long hash = start;
        int i = from;
        for (; to - i > STEP; i += STEP) {
            hash =
                    fold(
                            (long) LONG.get(bytes, i) ^ key,
                            (long) LONG.get(bytes, i + Long.BYTES) ^ hash);
        }
        int left = to - i;
        long first;
        long last = 0;
        if (left > Long.BYTES) {
            first = (long) LONG.get(bytes, i);
            last = (long) LONG.get(bytes, to - Long.BYTES); // may overlap the first
        } else {
            first = word(bytes, i, left);
        }
        // The length apart from the bytes, or these could make up for it.
        return fold(fold(first ^ key, last ^ hash) ^ end, odd ^ (long) (to - from) << 1);
    }

    /** A permutation of all 64-bit values; what differs does so in the upper half, most likely. */
    public long permute(long value) {
        long mixed = (value ^ start) * odd;
        return (mixed ^ mixed >>> 32) * (key | 1);
    }

    /**
     * Up to 8 bytes as one number, the first in the lowest place, zeros above the last.
     *
     * @param length 0..8
     */
    public static long word(byte[] bytes, int from, int length) {
        if (length == 0) {
            return 0;
        }
        if (from + Long.BYTES <= bytes.length) {
            return (long) LONG.get(bytes, from) & -1L >>> Long.SIZE - Byte.SIZE * length;
        }
        long word = 0;
        for (int i = from + length - 1; i >= from; i--) {
            word = word << Byte.SIZE | bytes[i] & 0xFF;
        }
        return word;
    }

    private static long fold(long a, long b) {
        return Math.multiplyHigh(a, b) ^ a * b;
    }
}
