package io.godwit.cluster.transport;

import io.godwit.core.operation.ByteWriter;

/**
 * A message for another node. It is kept as it is until the peer has received it, and written by
 * the thread that sends to the peer: what it refers to may not change once it was offered. One
 * object may be offered to several peers.
 */
public interface Outgoing {
    MessageType type();

    /**
     * About how many bytes {@link #write} writes: what it counts for in bounds and in the account
     * of memory until the peer has received it. The same each time.
     */
    int bytes();

    /**
     * Writes the body, without code and length. Called by a thread that sends, once for each peer
     * that it was offered to, and never for a link that has ended before.
     *
     * @param protocol version that both nodes speak; fields that it does not have are left out
     */
    void write(ByteWriter to, int protocol);
}
