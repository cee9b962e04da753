package io.godwit.core.connection;

import io.godwit.core.auth.PeerTls;
import io.netty.buffer.ByteBuf;

/**
 * The outgoing side of a connection and the switch of its incoming side: the port behind which a
 * Netty channel stands, or the simulator's. Only the shard's thread calls it. Nothing here blocks.
 */
public interface Wire {
    /** Stands for this node where a server id, which is 0 or above, names another one. */
    int HERE = -1;

    /** An empty buffer to encode into, of at least the given room; given back by {@link #write}. */
    ByteBuf allocate(int bytes);

    /**
     * Queues the bytes for sending; takes over the buffer. They leave with the next {@link #flush}.
     */
    void write(ByteBuf bytes);

    /**
     * Queues bytes of an array that nobody changes any more. Other wires may be given the same
     * ones, and may share one copy of them.
     */
    void write(byte[] bytes, int from, int length);

    void flush();

    /**
     * Whether more may be written; false when the bytes queued for sending are above the high-water
     * mark; see {@code onWritable}.
     */
    boolean isWritable();

    /** Bytes written and not yet taken by the socket. */
    long pendingBytes();

    /** Whether the socket is read; true at first. What that brings comes later than the call. */
    void read(boolean wanted);

    /**
     * Puts another listener in the place of the one that hears the wire now. If the wire is gone,
     * it is told so within the call.
     */
    void replaceListener(WireListener next);

    /** Sends what was written, then closes; {@code ClientConnection.onClosed} follows. */
    void close();

    /**
     * Whether the peer has closed its side, though not all that it sent is read. False where the
     * transport can't tell.
     */
    boolean isPeerGone();

    /** For logs and the admin port, such as {@code 127.0.0.1:50412}. */
    String remoteAddress();

    /**
     * Whether the peer is on this machine, by its loopback address or by the address of this
     * machine that it has connected to (security.anonymous: loopback).
     */
    boolean isLoopback();

    /** Returns how the client uses TLS, for rules and the admin port. */
    default PeerTls tls() {
        return PeerTls.NONE;
    }

    /** Name of the listener, as in {@code listeners.<name>}. */
    String listener();

    /** Returns the server id of the node that has the client's socket; {@link #HERE}: this one. */
    default int edge() {
        return HERE;
    }
}
