package io.godwit.persistence.disk;

import java.math.BigInteger;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Keys between two.
 *
 * @param from the first one
 * @param to not included
 */
@SuppressWarnings("ArrayRecordComponent") // it is never compared
public record KeyRange(byte[] from, byte[] to) {
    private static final int FINEST = 24;

    /** A key halfway between the two, or null when there is none worth cutting at. */
    public byte @Nullable [] middle() {
        int length = Math.min(FINEST, Math.max(from.length, to.length) + 1);
        BigInteger low = number(from, length);
        BigInteger half = low.add(number(to, length)).shiftRight(1);
        byte[] digits = half.toByteArray();
        byte[] middle = new byte[length];
        int count = Math.min(length, digits.length);
        System.arraycopy(digits, digits.length - count, middle, length - count, count);
        boolean isBetween =
                Arrays.compareUnsigned(from, middle) < 0 && Arrays.compareUnsigned(middle, to) < 0;
        return isBetween ? middle : null;
    }

    /** The range that holds both, and what lies between. */
    public KeyRange with(KeyRange other) {
        return new KeyRange(
                Arrays.compareUnsigned(from, other.from) <= 0 ? from : other.from,
                Arrays.compareUnsigned(to, other.to) >= 0 ? to : other.to);
    }

    private static BigInteger number(byte[] key, int length) {
        return new BigInteger(1, Arrays.copyOf(key, length));
    }
}
