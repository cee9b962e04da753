package io.godwit.benchmarks.load;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * Makes the wires of all connections of one {@link LoadLoop}, and has the buffers that they share:
 * their content counts within one call only.
 */
final class Wires {
    /** A TLS record of 16 KiB with all that belongs to it. */
    static final int RECORD_BYTES_MAX = 16 * 1024 + 2_048;

    private static final int TLS_BUFFER_BYTES = 128 * 1024;
    private static final int MASK = 0x37FA213D;
    private static final int PROXY_HEADER_BYTES = 28;
    private static final byte[] PROXY_SIGNATURE = {
        '\r', '\n', '\r', '\n', 0, '\r', '\n', 'Q', 'U', 'I', 'T', '\n'
    };

    /** Clients are announced as those of 10.0.0.0/8, each with an address of its own. */
    private static final int ANNOUNCED_NETWORK = 10 << 24;

    private static final int ANNOUNCED_PORT = 40_000;

    private final Transport transport;
    private final @Nullable SslContext tls;
    private final ByteBuffer received;
    private final ByteBuffer sent;
    private ByteBuffer frames = ByteBuffer.allocateDirect(64);
    private int made;

    Wires(Transport transport) throws IOException {
        this.transport = transport;
        boolean encrypted = transport.kind().encrypted();
        tls = encrypted ? transport.newTlsContext() : null;
        received = ByteBuffer.allocateDirect(encrypted ? TLS_BUFFER_BYTES : 0);
        sent = ByteBuffer.allocateDirect(encrypted ? TLS_BUFFER_BYTES : 0);
    }

    Transport transport() {
        return transport;
    }

    /** Makes the wire of a socket that is about to connect to the broker. */
    Wire make(SocketChannel channel, InetSocketAddress broker) {
        int number = made++;
        ByteBuffer header =
                transport.proxyHeader()
                        ? proxyHeader(ANNOUNCED_NETWORK + 1 + number, broker)
                        : ByteBuffer.allocate(0);
        Wire wire = new SocketWire(channel, header);
        SslContext context = tls;
        if (context != null) {
            wire = new TlsWire(context.newEngine(UnpooledByteBufAllocator.DEFAULT), this, wire);
        }
        if (transport.kind().webSocket()) wire = new WebSocketWire(MASK + number, this, wire);
        return wire;
    }

    /**
     * Encodes a header of version 2 for TCP over IPv4.
     *
     * @param source address of the client
     */
    static ByteBuffer proxyHeader(int source, InetSocketAddress broker) {
        InetAddress address = broker.getAddress();
        return ByteBuffer.allocate(PROXY_HEADER_BYTES)
                .put(PROXY_SIGNATURE)
                .put((byte) 0x21) // version 2, PROXY
                .put((byte) 0x11) // TCP over IPv4
                .putShort((short) 12)
                .putInt(source)
                .put(address.getAddress())
                .putShort((short) ANNOUNCED_PORT)
                .putShort((short) broker.getPort())
                .flip();
    }

    /** The buffer for TLS records that have come. */
    ByteBuffer received() {
        return received;
    }

    /** The buffer for TLS records that leave. */
    ByteBuffer sent() {
        return sent;
    }

    /** An empty buffer for the frames around so many bytes of packets. */
    ByteBuffer frames(int packetBytes) {
        int wanted = WebSocketWire.framedBytesMax(packetBytes);
        if (frames.capacity() < wanted) frames = ByteBuffer.allocateDirect(wanted);
        return frames.clear();
    }

    /** Gives back what belongs to no garbage collector; the wires were released before. */
    void release() {
        if (tls != null) ReferenceCountUtil.release(tls);
    }
}
