package io.godwit.server.security.users;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** BLAKE2b without a key (RFC 7693), for Argon2. Used once. */
final class Blake2b {
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int BLOCK = 128;
    private static final int ROUNDS = 12;
    private static final long[] IV = {
        0x6a09e667f3bcc908L, 0xbb67ae8584caa73bL, 0x3c6ef372fe94f82bL, 0xa54ff53a5f1d36f1L,
        0x510e527fade682d1L, 0x9b05688c2b3e6c1fL, 0x1f83d9abfb41bd6bL, 0x5be0cd19137e2179L,
    };
    private static final byte[][] SIGMA = {
        {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
        {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
        {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
        {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
        {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
        {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
        {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
        {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
        {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
        {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
    };

    private final long[] h = IV.clone();
    private final long[] v = new long[16];
    private final long[] m = new long[16];
    private final byte[] block = new byte[BLOCK];
    private final int length;
    private int inBlock;
    private long before;

    /**
     * @param length of the hash in bytes, 1..64
     */
    Blake2b(int length) {
        this.length = length;
        h[0] ^= 0x01010000L ^ length;
    }

    Blake2b add(byte[] bytes) {
        int from = 0;
        while (from < bytes.length) {
            if (inBlock == BLOCK) { // not the last one: that is compressed otherwise
                before += BLOCK;
                compress(false);
                inBlock = 0;
            }
            int count = Math.min(BLOCK - inBlock, bytes.length - from);
            System.arraycopy(bytes, from, block, inBlock, count);
            inBlock += count;
            from += count;
        }
        return this;
    }

    /** Adds four bytes, the lowest first. */
    Blake2b add(int number) {
        return add(
                new byte[] {
                    (byte) number,
                    (byte) (number >>> 8),
                    (byte) (number >>> 16),
                    (byte) (number >>> 24)
                });
    }

    /** Returns the hash, and forgets what was added. */
    byte[] hash() {
        Arrays.fill(block, inBlock, BLOCK, (byte) 0);
        before += inBlock;
        compress(true);
        byte[] whole = new byte[h.length * Long.BYTES];
        for (int i = 0; i < h.length; i++) {
            LONG.set(whole, i * Long.BYTES, h[i]);
        }
        Arrays.fill(block, (byte) 0);
        Arrays.fill(m, 0);
        Arrays.fill(v, 0);
        return Arrays.copyOf(whole, length);
    }

    private void compress(boolean isLast) {
        System.arraycopy(h, 0, v, 0, 8);
        System.arraycopy(IV, 0, v, 8, 8);
        v[12] ^= before;
        if (isLast) {
            v[14] = ~v[14];
        }
        for (int i = 0; i < m.length; i++) {
            m[i] = (long) LONG.get(block, i * Long.BYTES);
        }
        for (int round = 0; round < ROUNDS; round++) {
            byte[] s = SIGMA[round % SIGMA.length];
            mix(0, 4, 8, 12, m[s[0]], m[s[1]]);
            mix(1, 5, 9, 13, m[s[2]], m[s[3]]);
            mix(2, 6, 10, 14, m[s[4]], m[s[5]]);
            mix(3, 7, 11, 15, m[s[6]], m[s[7]]);
            mix(0, 5, 10, 15, m[s[8]], m[s[9]]);
            mix(1, 6, 11, 12, m[s[10]], m[s[11]]);
            mix(2, 7, 8, 13, m[s[12]], m[s[13]]);
            mix(3, 4, 9, 14, m[s[14]], m[s[15]]);
        }
        for (int i = 0; i < h.length; i++) {
            h[i] ^= v[i] ^ v[i + 8];
        }
    }

    private void mix(int a, int b, int c, int d, long x, long y) {
        v[a] += v[b] + x;
        v[d] = Long.rotateRight(v[d] ^ v[a], 32);
        v[c] += v[d];
        v[b] = Long.rotateRight(v[b] ^ v[c], 24);
        v[a] += v[b] + y;
        v[d] = Long.rotateRight(v[d] ^ v[a], 16);
        v[c] += v[d];
        v[b] = Long.rotateRight(v[b] ^ v[c], 63);
    }
}
