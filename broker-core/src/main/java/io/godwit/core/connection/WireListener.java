package io.godwit.core.connection;

import io.netty.buffer.ByteBuf;

/** Hears what a {@link Wire} has to tell, on the shard's thread. */
public interface WireListener {
    /** Takes bytes from the wire: all of them, borrowed for the call. */
    void onBytes(ByteBuf in);

    /** Called when the wire takes bytes again after {@link Wire#isWritable} was false. */
    void onWritable();

    /**
     * Called when the wire ends, since what waits in it takes most of the memory for outgoing
     * bytes, or there is no more of it; {@link #onClosed} follows.
     */
    void onOverdrawn();

    /**
     * Called before the wire is closed, since the client's certificate was revoked: what is written
     * now still goes out.
     */
    default void onRevoked() {}

    /** Called last, when the wire is gone. */
    void onClosed();
}
