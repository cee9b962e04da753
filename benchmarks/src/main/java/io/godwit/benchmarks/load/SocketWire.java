package io.godwit.benchmarks.load;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Writes packets to the socket as they are, perhaps behind a PROXY header. */
final class SocketWire implements Wire {
    private final SocketChannel channel;
    private final ByteBuffer header;

    /**
     * @param header that stands before everything else; may be empty
     */
    SocketWire(SocketChannel channel, ByteBuffer header) {
        this.channel = channel;
        this.header = header;
    }

    @Override
    public void start() throws IOException {
        channel.write(header);
        if (header.hasRemaining()) throw new IOException("the socket did not take a PROXY header");
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        return channel.read(into);
    }

    @Override
    public void write(ByteBuffer packets) throws IOException {
        channel.write(packets);
    }

    @Override
    public boolean flush() {
        return true;
    }

    @Override
    public boolean isBacklogged() {
        return false;
    }

    @Override
    public void release() {}
}
