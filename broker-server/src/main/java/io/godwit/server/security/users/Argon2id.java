package io.godwit.server.security.users;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Argon2id, version 0x13 (RFC 9106), with memory that is kept for the next hash. Lanes are filled
 * one after the other. Belongs to one thread; another may read {@link #memoryBytes}.
 */
final class Argon2id {
    /** Lane lengths are a multiple of this. */
    static final int SLICES = 4;

    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int VERSION = 0x13;
    private static final int TYPE = 2;
    private static final int BLOCK_BYTES = 1024;
    private static final int WORDS = BLOCK_BYTES / Long.BYTES;
    private static final int HASH_MAX = 64;
    private static final byte[] NONE = {};

    private final long[] mixed = new long[WORDS];
    private final long[] input = new long[WORDS];
    private final long[] addresses = new long[WORDS];
    private final long[] zero = new long[WORDS];
    private volatile long[] memory = new long[0];

    /** Says what a hash costs. */
    record Cost(int memoryKiB, int passes, int lanes) {}

    /** Returns the memory that is kept. */
    long memoryBytes() {
        return (long) memory.length * Long.BYTES;
    }

    /** Returns the memory that a hash takes. */
    static long bytes(Cost cost) {
        return (long) blocks(cost) * BLOCK_BYTES;
    }

    private static int blocks(Cost cost) {
        int unit = SLICES * cost.lanes;
        return Math.max(2 * unit, cost.memoryKiB / unit * unit);
    }

    /** Gives the memory back. */
    void release() {
        memory = new long[0];
    }

    byte[] hash(Cost cost, byte[] password, byte[] salt, int length) {
        return hash(cost, password, salt, NONE, NONE, length);
    }

    /** Hashes with a secret and data, too: as the RFC's examples do. */
    byte[] hash(Cost cost, byte[] password, byte[] salt, byte[] secret, byte[] data, int length) {
        int blocks = blocks(cost);
        if (memory.length < blocks * WORDS) {
            release(); // before, so that both are never held
            memory = new long[blocks * WORDS];
        }
        long[] words = memory;
        byte[] start =
                new Blake2b(HASH_MAX)
                        .add(cost.lanes)
                        .add(length)
                        .add(cost.memoryKiB)
                        .add(cost.passes)
                        .add(VERSION)
                        .add(TYPE)
                        .add(password.length)
                        .add(password)
                        .add(salt.length)
                        .add(salt)
                        .add(secret.length)
                        .add(secret)
                        .add(data.length)
                        .add(data)
                        .hash();
        int lane = blocks / cost.lanes;
        for (int i = 0; i < cost.lanes; i++) {
            for (int j = 0; j < 2; j++) {
                read(longHash(BLOCK_BYTES, start, j, i), words, (i * lane + j) * WORDS);
            }
        }
        Arrays.fill(start, (byte) 0);
        for (int pass = 0; pass < cost.passes; pass++) {
            for (int slice = 0; slice < SLICES; slice++) {
                for (int i = 0; i < cost.lanes; i++) {
                    fill(words, cost, lane, pass, slice, i);
                }
            }
        }
        byte[] hash = end(words, cost, lane, length);
        Arrays.fill(words, 0, blocks * WORDS, 0);
        Arrays.fill(mixed, 0);
        return hash;
    }

    private static byte[] end(long[] words, Cost cost, int lane, int length) {
        byte[] last = new byte[BLOCK_BYTES];
        for (int word = 0; word < WORDS; word++) {
            long sum = 0;
            for (int i = 0; i < cost.lanes; i++) {
                sum ^= words[((i + 1) * lane - 1) * WORDS + word];
            }
            LONG.set(last, word * Long.BYTES, sum);
        }
        byte[] hash = longHash(length, last);
        Arrays.fill(last, (byte) 0);
        return hash;
    }

    // ---------------------------------------------------------------- segments

    /** Fills a quarter of a lane. */
    private void fill(long[] words, Cost cost, int lane, int pass, int slice, int own) {
        boolean isIndependent = pass == 0 && slice < SLICES / 2;
        int segment = lane / SLICES;
        int first = pass == 0 && slice == 0 ? 2 : 0;
        if (isIndependent) {
            Arrays.fill(input, 0);
            input[0] = pass;
            input[1] = own;
            input[2] = slice;
            input[3] = (long) lane * cost.lanes;
            input[4] = cost.passes;
            input[5] = TYPE;
            nextAddresses();
        }
        for (int i = first; i < segment; i++) {
            int column = slice * segment + i;
            int previous = (own * lane + (column == 0 ? lane - 1 : column - 1)) * WORDS;
            if (isIndependent && i > 0 && i % WORDS == 0) {
                nextAddresses();
            }
            long pseudoRandom = isIndependent ? addresses[i % WORDS] : words[previous];
            int other =
                    pass == 0 && slice == 0
                            ? own
                            : (int) Long.remainderUnsigned(pseudoRandom >>> 32, cost.lanes);
            int reference =
                    other * lane + reference(pseudoRandom, lane, pass, slice, i, own == other);
            mix(
                    words,
                    previous,
                    words,
                    reference * WORDS,
                    words,
                    (own * lane + column) * WORDS,
                    pass > 0);
        }
    }

    /** Returns the column of the block that is mixed in (RFC 9106, 3.4.2). */
    private static int reference(
            long pseudoRandom, int lane, int pass, int slice, int i, boolean isOwnLane) {
        int segment = lane / SLICES;
        int whole = pass == 0 ? slice * segment : lane - segment;
        int area = isOwnLane ? whole + i - 1 : whole - (i == 0 ? 1 : 0);
        long low = pseudoRandom & 0xFFFF_FFFFL;
        long square = low * low >>> 32;
        int back = (int) (area * square >>> 32);
        int start = pass == 0 ? 0 : (slice + 1) % SLICES * segment;
        return (start + area - 1 - back) % lane;
    }

    private void nextAddresses() {
        input[6]++;
        mix(zero, 0, input, 0, addresses, 0, false);
        mix(zero, 0, addresses, 0, addresses, 0, false);
    }

    // ---------------------------------------------------------------- blocks

    /** The compression function G (RFC 9106, 3.5). */
    private void mix(
            long[] x, int xFrom, long[] y, int yFrom, long[] to, int toFrom, boolean isAdded) {
        long[] z = mixed;
        for (int i = 0; i < WORDS; i++) {
            z[i] = x[xFrom + i] ^ y[yFrom + i];
        }
        for (int i = 0; i < WORDS; i++) {
            to[toFrom + i] = isAdded ? to[toFrom + i] ^ z[i] : z[i];
        }
        for (int row = 0; row < WORDS; row += 16) {
            round(z, row, 2, 1);
        }
        for (int column = 0; column < 16; column += 2) {
            round(z, column, 16, 1);
        }
        for (int i = 0; i < WORDS; i++) {
            to[toFrom + i] ^= z[i];
        }
    }

    /** A round over sixteen words: eight pairs, so far apart as the step. */
    private static void round(long[] z, int from, int step, int next) {
        int i0 = from;
        int i2 = i0 + step;
        int i4 = i2 + step;
        int i6 = i4 + step;
        int i8 = i6 + step;
        int i10 = i8 + step;
        int i12 = i10 + step;
        int i14 = i12 + step;
        quarter(z, i0, i4, i8, i12);
        quarter(z, i0 + next, i4 + next, i8 + next, i12 + next);
        quarter(z, i2, i6, i10, i14);
        quarter(z, i2 + next, i6 + next, i10 + next, i14 + next);
        quarter(z, i0, i4 + next, i10, i14 + next);
        quarter(z, i0 + next, i6, i10 + next, i12);
        quarter(z, i2, i6 + next, i8, i12 + next);
        quarter(z, i2 + next, i4, i8 + next, i14);
    }

    private static void quarter(long[] z, int ia, int ib, int ic, int id) {
        long a = z[ia];
        long b = z[ib];
        long c = z[ic];
        long d = z[id];
        a += b + 2 * (a & 0xFFFF_FFFFL) * (b & 0xFFFF_FFFFL);
        d = Long.rotateRight(d ^ a, 32);
        c += d + 2 * (c & 0xFFFF_FFFFL) * (d & 0xFFFF_FFFFL);
        b = Long.rotateRight(b ^ c, 24);
        a += b + 2 * (a & 0xFFFF_FFFFL) * (b & 0xFFFF_FFFFL);
        d = Long.rotateRight(d ^ a, 16);
        c += d + 2 * (c & 0xFFFF_FFFFL) * (d & 0xFFFF_FFFFL);
        b = Long.rotateRight(b ^ c, 63);
        z[ia] = a;
        z[ib] = b;
        z[ic] = c;
        z[id] = d;
    }

    private static void read(byte[] bytes, long[] to, int from) {
        for (int i = 0; i < WORDS; i++) {
            to[from + i] = (long) LONG.get(bytes, i * Long.BYTES);
        }
        Arrays.fill(bytes, (byte) 0);
    }

    // ---------------------------------------------------------------- H'

    private static byte[] longHash(int length, byte[] start, int column, int lane) {
        byte[] with = Arrays.copyOf(start, start.length + 2 * Integer.BYTES);
        with[start.length] = (byte) column;
        with[start.length + Integer.BYTES] = (byte) lane;
        with[start.length + Integer.BYTES + 1] = (byte) (lane >>> 8);
        byte[] hash = longHash(length, with);
        Arrays.fill(with, (byte) 0);
        return hash;
    }

    /** The hash of any length (RFC 9106, 3.3). */
    private static byte[] longHash(int length, byte[] of) {
        if (length <= HASH_MAX) {
            return new Blake2b(length).add(length).add(of).hash();
        }
        byte[] hash = new byte[length];
        byte[] each = new Blake2b(HASH_MAX).add(length).add(of).hash();
        int at = 0;
        while (length - at > HASH_MAX) {
            System.arraycopy(each, 0, hash, at, HASH_MAX / 2);
            at += HASH_MAX / 2;
            int left = length - at;
            each = new Blake2b(Math.min(left, HASH_MAX)).add(each).hash();
        }
        System.arraycopy(each, 0, hash, at, length - at);
        return hash;
    }
}
