package io.godwit.cluster.transport;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Carries frames between processes: JGroups, or the simulator's network. Between two endpoints what
 * arrives arrives whole, once and in order; that something arrives at all is not promised, nor is
 * it told what was lost.
 */
public interface Transport extends AutoCloseable {
    /**
     * How long frames become where there is enough to send: beyond that nothing is gained. Some are
     * a little longer, since a message is not cut for a few bytes.
     */
    int FRAME_BYTES = 64 * 1024;

    /**
     * Finds others and begins to call. Waits until the transport is ready to be found itself.
     *
     * @throws TransportFailure when it can't: an address in use, a certificate that does not fit
     */
    void open(TransportListener listener) throws TransportFailure;

    /**
     * Sends a frame, or loses it. May wait for as long as the other side takes nothing: only
     * threads that send to this one endpoint call.
     *
     * @param frame from its beginning; the transport's own from here on
     */
    void send(Endpoint to, byte[] frame, int length);

    /**
     * Returns the address at which an endpoint takes connections; null when that is not known, or
     * there is none. Any thread.
     */
    default @Nullable InetSocketAddress address(Endpoint of) {
        return null;
    }

    /** Leaves in order, and calls no more. */
    @Override
    void close();
}
