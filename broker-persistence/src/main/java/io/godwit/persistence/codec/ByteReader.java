package io.godwit.persistence.codec;

import java.util.Arrays;

/**
 * Reads what {@link ByteWriter} wrote; leaving the array is an {@link IndexOutOfBoundsException},
 * which whoever knows the record's place turns into a message about it.
 */
public final class ByteReader {
    private static final int[] NO_INTS = new int[0];

    private byte[] bytes;
    private int next;

    public ByteReader(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Starts anew with other bytes. */
    public ByteReader open(byte[] other) {
        bytes = other;
        next = 0;
        return this;
    }

    public boolean isAtEnd() {
        return next == bytes.length;
    }

    public int u8() {
        return bytes[next++] & 0xFF;
    }

    public int u16() {
        return u8() << 8 | u8();
    }

    public int int4() {
        return u16() << 16 | u16();
    }

    public long long8() {
        return (long) int4() << 32 | int4() & 0xFFFF_FFFFL;
    }

    public long varint() {
        long value = 0;
        for (int shift = 0; shift < 70; shift += 7) {
            byte b = bytes[next++];
            value |= (b & 0x7FL) << shift;
            if (b >= 0) {
                return value;
            }
        }
        throw new IndexOutOfBoundsException("varint of more than 10 bytes at " + next);
    }

    /**
     * @return a varint that counts or measures something in these bytes
     */
    public int size() {
        long size = varint();
        if (size < 0 || size > bytes.length - next) {
            throw new IndexOutOfBoundsException("size " + size + " at " + next);
        }
        return (int) size;
    }

    public int smallInt() {
        long value = varint();
        if (value < 0 || value > Integer.MAX_VALUE) {
            throw new IndexOutOfBoundsException("number " + value + " at " + next);
        }
        return (int) value;
    }

    public long signed() {
        long value = varint();
        return value >>> 1 ^ -(value & 1);
    }

    public byte[] sized() {
        return raw(size());
    }

    /** Skips what {@link #sized} would return if it is the same as these bytes. */
    boolean skipSized(byte[] same) {
        int before = next;
        int length = size();
        if (length == same.length
                && length <= bytes.length - next
                && Arrays.equals(bytes, next, next + length, same, 0, length)) {
            next += length;
            return true;
        }
        next = before;
        return false;
    }

    public byte[] raw(int length) {
        if (length > bytes.length - next) {
            throw new IndexOutOfBoundsException(length + " bytes at " + next);
        }
        next += length;
        return Arrays.copyOfRange(bytes, next - length, next);
    }

    /** Everything that is left. */
    public byte[] rest() {
        return raw(bytes.length - next);
    }

    public int[] ints() {
        int count = size();
        if (count == 0) {
            return NO_INTS;
        }
        int[] values = new int[count];
        for (int i = 0; i < count; i++) {
            values[i] = smallInt();
        }
        return values;
    }
}
