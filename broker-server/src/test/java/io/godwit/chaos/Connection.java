package io.godwit.chaos;

import io.godwit.conformance.wire.Frame;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A client's socket, driven by one thread: packets in, bytes out; nothing blocks. */
final class Connection {
    private static final int READ_BYTES = 64 << 10;

    private final SocketChannel channel;
    private final SelectionKey key;
    private final boolean v5;
    private ByteBuffer in = ByteBuffer.allocate(READ_BYTES); // ready to be read into
    private ByteBuffer out = ByteBuffer.allocate(READ_BYTES); // ready to be filled
    private boolean ended;

    private Connection(SocketChannel channel, SelectionKey key, boolean v5) {
        this.channel = channel;
        this.key = key;
        this.v5 = v5;
    }

    /** Null when nobody listens there. */
    static @Nullable Connection open(
            Selector selector, InetSocketAddress at, Client owner, boolean v5) {
        SocketChannel channel = null;
        try {
            channel = SocketChannel.open();
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.connect(at);
            channel.configureBlocking(false);
            return new Connection(
                    channel, channel.register(selector, SelectionKey.OP_READ, owner), v5);
        } catch (IOException e) {
            close(channel);
            return null;
        }
    }

    void send(byte[] packet) {
        if (out.remaining() < packet.length) {
            out.flip();
            int needed = out.remaining() + packet.length;
            out = ByteBuffer.allocate(Math.max(out.capacity(), needed * 2)).put(out);
        }
        out.put(packet);
    }

    /** Writes what the socket takes; the selector says when it takes more. */
    void flush() {
        if (ended || out.position() == 0) {
            return;
        }
        out.flip();
        try {
            channel.write(out);
        } catch (IOException e) {
            ended = true; // what it had sent before may still be read
        }
        out.compact();
        key.interestOps(
                SelectionKey.OP_READ | (out.position() > 0 && !ended ? SelectionKey.OP_WRITE : 0));
    }

    /** Reads what is there. False at the end of the stream; packets may still wait. */
    boolean fill() {
        try {
            int read;
            do {
                if (!in.hasRemaining()) {
                    in.flip();
                    in = ByteBuffer.allocate(in.capacity() * 2).put(in);
                }
                read = channel.read(in);
            } while (read > 0);
            return read == 0;
        } catch (IOException e) {
            return false;
        }
    }

    /** The next whole packet, or null. */
    @Nullable Frame next() {
        in.flip();
        int length = 0;
        Frame frame = null;
        for (int i = 1; i < 5 && i < in.limit(); i++) {
            int digit = in.get(i);
            length |= (digit & 0x7F) << 7 * (i - 1);
            if (digit >= 0) {
                if (in.limit() >= 1 + i + length) {
                    int end = 1 + i + length;
                    frame =
                            new Frame(
                                    in.get(0) & 0xFF,
                                    Arrays.copyOfRange(in.array(), 1 + i, end),
                                    v5);
                    in.position(end);
                }
                break;
            }
        }
        in.compact();
        return frame;
    }

    void close() {
        key.cancel();
        close(channel);
    }

    private static void close(@Nullable SocketChannel channel) {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException e) {
                // It is gone either way.
            }
        }
    }
}
