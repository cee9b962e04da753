package io.godwit.core.operation;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;

/**
 * Reads what {@link ByteWriter} wrote; leaving the array is an {@link IndexOutOfBoundsException},
 * which whoever knows the record's place turns into a message about it.
 */
public final class ByteReader {
    private static final int[] NO_INTS = new int[0];

    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    private byte[] bytes;
    private int next;
    private int end;

    public ByteReader(byte[] bytes) {
        this.bytes = bytes;
        this.end = bytes.length;
    }

    /** Reads a range of an array. */
    public ByteReader(byte[] bytes, int from, int to) {
        this.bytes = bytes;
        open(bytes, from, to);
    }

    /** Starts anew with a range of an array. */
    public ByteReader open(byte[] other, int from, int to) {
        Objects.checkFromToIndex(from, to, other.length);
        bytes = other;
        next = from;
        end = to;
        return this;
    }

    public boolean isAtEnd() {
        return next == end;
    }

    /** Index in the array of what is read next. */
    public int next() {
        return next;
    }

    /** The array that is read from. */
    byte[] array() {
        return bytes;
    }

    /** Goes on at an index that is at or behind the next byte. */
    public void skipTo(int index) {
        if (index < next || index > end) {
            throw new IndexOutOfBoundsException("from " + next + " to " + index + " of " + end);
        }
        next = index;
    }

    private byte one() {
        if (next >= end) {
            throw new IndexOutOfBoundsException("nothing at " + next);
        }
        return bytes[next++];
    }

    public int u8() {
        return one() & 0xFF;
    }

    public int u16() {
        return u8() << 8 | u8();
    }

    /** Reads a server id of 3 bytes. */
    public int server3() {
        return u16() << 8 | u8();
    }

    public int int4() {
        if (end - next < 4) {
            throw new IndexOutOfBoundsException("4 bytes at " + next);
        }
        next += 4;
        return (int) INT.get(bytes, next - 4);
    }

    public long long8() {
        return (long) int4() << 32 | int4() & 0xFFFF_FFFFL;
    }

    public long varint() {
        byte first = one();
        return first >= 0 ? first : varint(first & 0x7FL);
    }

    /** Goes on behind the first byte. */
    private long varint(long first) {
        long value = first;
        for (int shift = 7; shift < 70; shift += 7) {
            byte b = one();
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
        if (size < 0 || size > end - next) {
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
                && length <= end - next
                && Arrays.equals(bytes, next, next + length, same, 0, length)) {
            next += length;
            return true;
        }
        next = before;
        return false;
    }

    public byte[] raw(int length) {
        if (length > end - next) {
            throw new IndexOutOfBoundsException(length + " bytes at " + next);
        }
        next += length;
        return Arrays.copyOfRange(bytes, next - length, next);
    }

    /** Another one of what is left, on the same array. */
    public ByteReader copy() {
        return new ByteReader(bytes, next, end);
    }

    public void skipAll() {
        next = end;
    }

    /** Everything that is left. */
    public byte[] rest() {
        return raw(end - next);
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
