package io.godwit.cluster.transport;

import java.util.Arrays;

/** A message that comes in pieces. Memory grows with what has come, not with what was announced. */
final class Partial {
    private static final byte[] NOTHING = new byte[0];
    private static final int FIRST_BYTES = 1 << 20;

    private byte[] bytes = NOTHING;
    private int code;
    private int length;
    private int whole = -1;

    void begin(int code, int whole) {
        if (this.whole >= 0 || whole > Frame.MESSAGE_MAX) {
            throw new IndexOutOfBoundsException("a message of " + whole + " bytes begins");
        }
        this.code = code;
        this.whole = whole;
        length = 0;
        bytes = new byte[Math.min(whole, FIRST_BYTES)];
    }

    void add(byte[] piece) {
        if (piece.length > whole - length) {
            throw new IndexOutOfBoundsException("more than the announced " + whole + " bytes");
        }
        if (length + piece.length > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.min(whole, bytes.length * 2));
        }
        System.arraycopy(piece, 0, bytes, length, piece.length);
        length += piece.length;
    }

    boolean isWhole() {
        return length == whole;
    }

    int code() {
        return code;
    }

    int length() {
        return length;
    }

    /** The whole message; the next may begin. */
    byte[] take() {
        byte[] all = bytes;
        bytes = NOTHING;
        whole = -1;
        return all;
    }
}
