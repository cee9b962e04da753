package io.godwit.core.message;

/**
 * What a queue holds, in 128 bits: the sum modulo 2^128 of a mixed hash of each entry with its
 * status and packet id, and of each message id under which it remembers an ingress id; or of each
 * of its records. Two copies with equal digests hold the same; adding and taking away costs nothing
 * but the hash.
 */
public final class Digest {
    /** Length as bytes: high 8, low 8. */
    public static final int LENGTH = 16;

    public static final int IDLE = 0;
    public static final int IN_FLIGHT = 1;
    public static final int RELEASED = 2;

    /** A session has got an entry of a group. */
    public static final int GOT = 3;

    /** The queue remembers an ingress id. */
    public static final int REMEMBERED = 4;

    private long high;
    private long low;

    public Digest() {}

    public Digest(long high, long low) {
        this.high = high;
        this.low = low;
    }

    public void add(long clock, int server, int status, int packetId) {
        long state = state(server, status, packetId);
        long more = mix(clock ^ mix(state));
        low += more;
        high += mix(clock + 0x6A09_E667_F3BC_C909L ^ mix(~state));
        if (Long.compareUnsigned(low, more) < 0) {
            high++;
        }
    }

    /** All that another one was made of. */
    public void add(Digest other) {
        low += other.low;
        high += other.high;
        if (Long.compareUnsigned(low, other.low) < 0) {
            high++;
        }
    }

    public void remove(long clock, int server, int status, int packetId) {
        long state = state(server, status, packetId);
        long less = mix(clock ^ mix(state));
        if (Long.compareUnsigned(low, less) < 0) {
            high--;
        }
        low -= less;
        high -= mix(clock + 0x6A09_E667_F3BC_C909L ^ mix(~state));
    }

    /** Adds a record: its key and its value, all bytes of both. */
    public void add(byte[] key, byte[] value) {
        long first = hash(hash(key.length, key), value);
        long second = hash(hash(~first, value), key);
        low += first;
        high += second;
        if (Long.compareUnsigned(low, first) < 0) {
            high++;
        }
    }

    private static long hash(long seed, byte[] bytes) {
        long hash = mix(seed + 0x9E37_79B9_7F4A_7C15L);
        long word = bytes.length;
        for (int i = 0; i < bytes.length; i++) {
            word = word << 8 | bytes[i] & 0xFF;
            if ((i & 7) == 7) {
                hash = mix(hash ^ word) + 0x9E37_79B9_7F4A_7C15L;
                word = 0;
            }
        }
        return mix(hash ^ word ^ (long) bytes.length << 56);
    }

    private static long state(int server, int status, int packetId) {
        return (long) server << 24 | (long) status << 16 | (status == IDLE ? 0 : packetId);
    }

    /** The finisher of MurmurHash3, over an odd multiple: each bit reaches each. */
    private static long mix(long value) {
        long mixed = (value ^ value >>> 33) * 0xFF51_AFD7_ED55_8CCDL;
        mixed = (mixed ^ mixed >>> 33) * 0xC4CE_B9FE_1A85_EC53L;
        return mixed ^ mixed >>> 33;
    }

    public long high() {
        return high;
    }

    public long low() {
        return low;
    }

    /** Tells whether it is that of nothing. */
    public boolean isEmpty() {
        return high == 0 && low == 0;
    }

    public boolean isSame(Digest other) {
        return high == other.high && low == other.low;
    }
}
