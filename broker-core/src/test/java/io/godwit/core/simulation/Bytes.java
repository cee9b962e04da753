package io.godwit.core.simulation;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/** Bytes in a pipe, first in, first out. */
final class Bytes {
    private byte[] bytes = new byte[256];
    private int from;
    private int to;

    int size() {
        return to - from;
    }

    boolean isEmpty() {
        return from == to;
    }

    void add(ByteBuf more) {
        int length = more.readableBytes();
        room(length);
        more.readBytes(bytes, to, length);
        to += length;
    }

    /** Takes up to {@code count} bytes. */
    byte[] take(int count) {
        int length = Math.min(count, size());
        byte[] taken = Arrays.copyOfRange(bytes, from, from + length);
        from += length;
        if (from == to) {
            from = 0;
            to = 0;
        }
        return taken;
    }

    /** Forgets all but the first {@code count} bytes. */
    void cut(int count) {
        to = from + Math.min(count, size());
    }

    private void room(int length) {
        if (to + length > bytes.length) {
            int size = size();
            byte[] larger =
                    size + length > bytes.length / 2 ? new byte[(size + length) * 2] : bytes;
            System.arraycopy(bytes, from, larger, 0, size);
            bytes = larger;
            from = 0;
            to = size;
        }
    }
}
