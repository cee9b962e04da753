package io.godwit.conformance.wire;

import java.io.IOException;

/** A connection that carries bytes both ways: TCP, or binary frames of a WebSocket. */
public interface Transport extends AutoCloseable {
    void send(byte[] bytes) throws IOException;

    /**
     * @return a byte, -1 when the peer has closed (or reset) the connection
     * @throws java.net.SocketTimeoutException nothing came within the time
     */
    int read(long timeoutMs) throws IOException;

    /** Closes at once, without a word of MQTT. */
    @Override
    void close();
}
