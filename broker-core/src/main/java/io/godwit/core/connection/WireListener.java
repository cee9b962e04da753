package io.godwit.core.connection;

import io.netty.buffer.ByteBuf;

/** What a {@link Wire} tells; on the shard's thread. */
public interface WireListener {
    /** Takes bytes from the wire: all of them, borrowed for the call. */
    void onBytes(ByteBuf in);

    /** The wire takes bytes again after {@link Wire#isWritable} was false. */
    void onWritable();

    /**
     * The wire ends, since what waits in it takes most of the memory for outgoing bytes, or there
     * is no more of it; {@link #onClosed} follows.
     */
    void onOverdrawn();

    /** The wire is gone; the last call. */
    void onClosed();
}
