package io.godwit.persistence.disk;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Puts and deletes that are written together, in the wire format of RocksDB's {@code WriteBatch}:
 * what is encoded here is what goes to the log. Reused after {@link #clear}.
 *
 * <pre>
 * sequence 8 (little-endian, 0) | count 4 (little-endian) | record ...
 * record: tag 1 | family varint | key length varint | key | value length varint | value
 * </pre>
 */
public final class Batch {
    private static final int HEADER = 12;

    /** A buffer of this length grows by quarters, and no more by its own length. */
    private static final int STEPS_BELOW = 1 << 20;

    /** Behind a long value come the rows that refer to it. */
    private static final int ROOM_BEHIND = 4 << 10;

    private static final byte PUT = 5;
    private static final byte DELETE = 4;
    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private byte[] bytes;
    private int length = HEADER;
    private int count;

    public Batch() {
        this(1024);
    }

    public Batch(int capacity) {
        bytes = new byte[Math.max(HEADER, capacity)];
    }

    public void put(Family family, byte[] key, byte[] value) {
        put(family, key, key.length, value, 0, value.length);
    }

    public void put(
            Family family, byte[] key, int keyLength, byte[] value, int from, int valueLength) {
        begin(PUT, family, keyLength + valueLength);
        string(key, 0, keyLength);
        string(value, from, valueLength);
    }

    public void delete(Family family, byte[] key) {
        begin(DELETE, family, key.length);
        string(key, 0, key.length);
    }

    public int count() {
        return count;
    }

    public boolean isEmpty() {
        return count == 0;
    }

    /** Length of the whole batch in bytes. */
    public int length() {
        return length;
    }

    /** The wire format; a copy of its exact length. */
    public byte[] toBytes() {
        INT.set(bytes, 8, count);
        return Arrays.copyOf(bytes, length);
    }

    /** Empties it; a buffer that has grown large is given up. */
    public void clear() {
        if (bytes.length > 1 << 22) {
            bytes = new byte[1 << 16];
        }
        length = HEADER;
        count = 0;
    }

    private void begin(byte tag, Family family, int payload) {
        int needed = length + 1 + 1 + 5 + 5 + payload;
        if (needed > bytes.length) {
            int step = bytes.length < STEPS_BELOW ? bytes.length : bytes.length / 4;
            bytes = Arrays.copyOf(bytes, Math.max(needed + ROOM_BEHIND, bytes.length + step));
        }
        bytes[length++] = tag;
        bytes[length++] = (byte) family.ordinal();
        count++;
    }

    private void string(byte[] from, int index, int bytesCount) {
        int rest = bytesCount;
        while (rest > 0x7F) {
            bytes[length++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[length++] = (byte) rest;
        System.arraycopy(from, index, bytes, length, bytesCount);
        length += bytesCount;
    }

    /** Shows what the wire format of a batch holds, in order. */
    public static void read(byte[] wire, Visitor visitor) {
        Reader reader = new Reader(wire);
        while (reader.next < wire.length) {
            byte tag = wire[reader.next++];
            Family family = Family.values()[wire[reader.next++]];
            byte[] first = reader.string();
            switch (tag) {
                case PUT -> visitor.put(family, first, reader.string());
                case DELETE -> visitor.delete(family, first);
                default -> throw new IllegalArgumentException("record of type " + tag);
            }
        }
    }

    /** Takes the records of a batch. */
    public interface Visitor {
        void put(Family family, byte[] key, byte[] value);

        void delete(Family family, byte[] key);
    }

    private static final class Reader {
        private final byte[] wire;
        private int next = HEADER;

        Reader(byte[] wire) {
            this.wire = wire;
        }

        byte[] string() {
            int size = 0;
            int shift = 0;
            byte b;
            do {
                b = wire[next++];
                size |= (b & 0x7F) << shift;
                shift += 7;
            } while (b < 0);
            next += size;
            return Arrays.copyOfRange(wire, next - size, next);
        }
    }
}
