package io.godwit.core.simulation;

import java.nio.ByteBuffer;

/** A payload that begins with the number of its message, so that each can be told apart. */
final class Payload {
    private Payload() {}

    /**
     * @param bytes 0 for one that deletes what is retained, and has no number
     */
    static byte[] of(int number, int bytes) {
        if (bytes == 0) {
            return new byte[0];
        }
        byte[] payload = new byte[Math.max(4, bytes)];
        ByteBuffer.wrap(payload).putInt(number);
        for (int i = 4; i < payload.length; i++) {
            payload[i] = (byte) (number * 31 + i);
        }
        return payload;
    }

    static int number(byte[] payload) {
        return payload.length < 4 ? -1 : ByteBuffer.wrap(payload).getInt();
    }

    /** Whether it is, byte by byte, what {@link #of} made. */
    static boolean isWhole(byte[] payload) {
        int number = number(payload);
        for (int i = 4; i < payload.length; i++) {
            if (payload[i] != (byte) (number * 31 + i)) {
                return false;
            }
        }
        return true;
    }
}
