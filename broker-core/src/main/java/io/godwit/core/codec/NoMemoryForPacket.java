package io.godwit.core.codec;

/**
 * There was no memory for what a client has sent, as much of it as the client likes. Thrown before
 * anything was changed that others see, so the connection is closed and everything else goes on. An
 * {@link OutOfMemoryError} anywhere else may have left state half changed, and stays one.
 */
public final class NoMemoryForPacket extends RuntimeException {
    /** Made beforehand: where memory is short is no place to make one. */
    public static final NoMemoryForPacket INSTANCE = new NoMemoryForPacket();

    private NoMemoryForPacket() {
        super("no memory for a packet", null, false, false);
    }
}
