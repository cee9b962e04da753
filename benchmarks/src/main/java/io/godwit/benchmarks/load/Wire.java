package io.godwit.benchmarks.load;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Carries the packets of one connection over its socket. Only the thread of its {@link LoadLoop}
 * uses it.
 */
interface Wire {
    /** Begins its handshake; the socket is connected. */
    void start() throws IOException;

    /** Returns whether packets can be sent: handshakes are over. */
    boolean isOpen();

    /**
     * Appends bytes of packets that have come.
     *
     * @return their number; 0 = none yet; -1 = the broker has closed the connection
     */
    int read(ByteBuffer into) throws IOException;

    /**
     * Takes bytes while the socket does. Those that it has taken and the socket has not, it keeps
     * for {@link #flush}.
     *
     * @param packets whole ones at first; later what was not taken of them
     */
    void write(ByteBuffer packets) throws IOException;

    /**
     * Writes what it keeps.
     *
     * @return whether nothing is left
     */
    boolean flush() throws IOException;

    /** Returns whether it keeps bytes that the socket has not taken. */
    boolean isBacklogged();

    /** Gives back what belongs to no garbage collector; the socket is closed by its owner. */
    void release();
}
