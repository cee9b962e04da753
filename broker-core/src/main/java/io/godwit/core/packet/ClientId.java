package io.godwit.core.packet;

/** A client identifier: any UTF-8 of 0 to 65 535 bytes; empty asks the server to assign one. */
public final class ClientId extends Utf8 implements Comparable<ClientId> {
    /** How many slots there are. */
    public static final int SLOTS = 4096;

    /**
     * @param bytes well-formed UTF-8, taken over
     */
    public ClientId(byte[] bytes) {
        super(bytes);
    }

    public static ClientId of(String text) {
        return new ClientId(encode(text));
    }

    /**
     * Computes the slot that the client id hashes to. The leader of a slot owns the durable
     * sessions of its client ids.
     *
     * @return 0 to {@link #SLOTS} - 1, the same on every node and for ever
     */
    public int slot() {
        long hash = 0xCBF2_9CE4_8422_2325L;
        for (byte each : bytes()) {
            hash = (hash ^ each & 0xFF) * 0x100_0000_01B3L;
        }
        return (int) (mix(hash) >>> Long.SIZE - 12);
    }

    /** Spreads every bit over all others (the finaliser of SplittableRandom). */
    private static long mix(long value) {
        long z = value + 0x9E37_79B9_7F4A_7C15L;
        z = (z ^ z >>> 30) * 0xBF58_476D_1CE4_E5B9L;
        z = (z ^ z >>> 27) * 0x94D0_49BB_1331_11EBL;
        return z ^ z >>> 31;
    }

    @Override
    public int compareTo(ClientId other) {
        return compareBytes(other);
    }
}
