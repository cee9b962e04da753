package io.godwit.benchmarks.load;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Holds encoded bytes of one connection that the wire below has not taken. */
final class Leftover {
    private final Wire below;
    private @Nullable ByteBuffer bytes;

    Leftover(Wire below) {
        this.below = below;
    }

    boolean isEmpty() {
        return bytes == null;
    }

    /**
     * Writes bytes and keeps a copy of those that are not taken. Call only when it is empty, but
     * for a few bytes of a handshake.
     */
    void write(ByteBuffer encoded) throws IOException {
        ByteBuffer first = bytes;
        if (first == null) below.write(encoded);
        if (!encoded.hasRemaining()) return;
        int kept = first == null ? 0 : first.remaining();
        ByteBuffer all = ByteBuffer.allocateDirect(kept + encoded.remaining());
        if (first != null) all.put(first);
        bytes = all.put(encoded).flip();
    }

    /**
     * Writes what it holds.
     *
     * @return whether it is empty, and nothing below holds anything either
     */
    boolean flush() throws IOException {
        if (!below.flush()) return false;
        ByteBuffer held = bytes;
        if (held != null) {
            below.write(held);
            if (held.hasRemaining()) return false;
            bytes = null;
        }
        return !below.isBacklogged();
    }
}
