package io.godwit.core.operation;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Writes into an array that grows; reused after {@link #clear}. */
public final class ByteWriter {
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    /** An array of this length grows by quarters, and no more by its own length. */
    private static final int STEPS_BELOW = 1 << 20;

    private byte[] bytes;
    private int length;

    public ByteWriter(int capacity) {
        bytes = new byte[capacity];
    }

    /** The array written to; valid up to {@link #length} until the next write. */
    public byte[] array() {
        return bytes;
    }

    public int length() {
        return length;
    }

    public byte[] toBytes() {
        return Arrays.copyOf(bytes, length);
    }

    /** Empties it; an array that has grown large is given up. */
    public void clear() {
        if (bytes.length > 1 << 22) {
            bytes = new byte[1 << 16];
        }
        length = 0;
    }

    public ByteWriter u8(int value) {
        room(1);
        bytes[length++] = (byte) value;
        return this;
    }

    public ByteWriter u16(int value) {
        room(2);
        bytes[length++] = (byte) (value >>> 8);
        bytes[length++] = (byte) value;
        return this;
    }

    /** Writes a server id of 3 bytes. */
    public ByteWriter server3(int server) {
        room(3);
        bytes[length++] = (byte) (server >>> 16);
        bytes[length++] = (byte) (server >>> 8);
        bytes[length++] = (byte) server;
        return this;
    }

    public ByteWriter int4(int value) {
        room(4);
        INT.set(bytes, length, value);
        length += 4;
        return this;
    }

    public ByteWriter long8(long value) {
        room(8);
        LONG.set(bytes, length, value);
        length += 8;
        return this;
    }

    /** Writes an unsigned varint of 1 to 10 bytes. */
    public ByteWriter varint(long value) {
        room(10);
        byte[] to = bytes;
        int at = length;
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            to[at++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        to[at] = (byte) rest;
        length = at + 1;
        return this;
    }

    /** Leaves room for a length that {@link #patch} sets: 1 byte, or 4. */
    public ByteWriter reserve(int count) {
        room(count);
        length += count;
        return this;
    }

    /**
     * Sets a reserved length to that of what was written behind it: as a varint of just so many
     * bytes. What does not fit into one byte moves up to make room for four.
     *
     * @param at where the reserved bytes begin
     */
    public void patch(int at, int reserved) {
        int size = length - at - reserved;
        if (reserved == 1 && size < 0x80) {
            bytes[at] = (byte) size;
            return;
        }
        if (reserved == 1) {
            room(3);
            System.arraycopy(bytes, at + 1, bytes, at + 4, size);
            length += 3;
        }
        bytes[at] = (byte) (size | 0x80);
        bytes[at + 1] = (byte) (size >>> 7 | 0x80);
        bytes[at + 2] = (byte) (size >>> 14 | 0x80);
        bytes[at + 3] = (byte) (size >>> 21 & 0x7F);
    }

    /**
     * @param to not included
     */
    public ByteWriter range(byte[] from, int start, int to) {
        room(to - start);
        System.arraycopy(from, start, bytes, length, to - start);
        length += to - start;
        return this;
    }

    /** Appends everything that another writer holds. */
    ByteWriter all(ByteWriter from) {
        room(from.length);
        System.arraycopy(from.bytes, 0, bytes, length, from.length);
        length += from.length;
        return this;
    }

    /** Writes a difference, which may be negative, as a varint. */
    public ByteWriter signed(long value) {
        return varint(value << 1 ^ value >> 63);
    }

    public ByteWriter raw(byte[] from) {
        room(from.length);
        System.arraycopy(from, 0, bytes, length, from.length);
        length += from.length;
        return this;
    }

    /** Writes the array's length as a varint, then the bytes. */
    public ByteWriter sized(byte[] from) {
        varint(from.length);
        return raw(from);
    }

    /** Writes the number of values as a varint, then each. */
    public ByteWriter ints(int[] values) {
        varint(values.length);
        for (int value : values) {
            varint(value);
        }
        return this;
    }

    /** Makes room for what is to come, at once: growing step by step copies what is there. */
    public void room(int more) {
        if (bytes.length - length < more) {
            int step = bytes.length < STEPS_BELOW ? bytes.length : bytes.length / 4;
            bytes = Arrays.copyOf(bytes, Math.max(length + more, bytes.length + step));
        }
    }
}
