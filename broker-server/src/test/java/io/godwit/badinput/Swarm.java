package io.godwit.badinput;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;

/**
 * Thousands of connections of one thread, the caller's: it works only inside {@code open} and
 * {@code await}. Sources are spread over 127.0.1.1 to 127.0.1.8, since one address has too few
 * ports.
 */
final class Swarm implements AutoCloseable {
    private static final int SOURCES = 8;
    private static final int CONNECTING_MAX = 1_000;

    /** What has come so far, over all connections. */
    static final class Counts {
        int connected;
        int sessionsPresent;
        int refused;
        int subscribed;
        int published;
        int disconnects;
        int pongs;
        int closed;

        @Override
        public String toString() {
            return "connected %d (session present %d), refused %d, subscribed %d, published %d, disconnects %d, pongs %d, closed %d"
                    .formatted(
                            connected,
                            sessionsPresent,
                            refused,
                            subscribed,
                            published,
                            disconnects,
                            pongs,
                            closed);
        }
    }

    private final Selector selector = Selector.open();
    private final InetSocketAddress broker;
    private final LinkedHashSet<Link> links = new LinkedHashSet<>();
    private final ByteBuffer readBuffer = ByteBuffer.allocateDirect(64 << 10);
    private final Counts counts = new Counts();
    private int connecting;

    Swarm(int port) throws IOException {
        broker = new InetSocketAddress("127.0.0.1", port);
    }

    Counts counts() {
        return counts;
    }

    /** Connections that stand or are being made. */
    int open() {
        return links.size();
    }

    /** Whether everything that was said has left. */
    boolean idle() {
        return connecting == 0 && links.stream().allMatch(link -> link.pending.isEmpty());
    }

    /**
     * Opens connections and has each say something at once, a thousand of them under way at a time.
     *
     * @param greeting what the i-th one says: read-only, shared buffers are fine
     */
    void open(int count, IntFunction<List<ByteBuffer>> greeting) throws IOException {
        for (int i = 0; i < count; i++) {
            SocketChannel channel = SocketChannel.open();
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.bind(new InetSocketAddress("127.0.1." + (1 + i % SOURCES), 0));
            Link link = new Link(channel, channel.register(selector, SelectionKey.OP_CONNECT));
            greeting.apply(i).forEach(buffer -> link.pending.add(buffer.duplicate()));
            links.add(link);
            connecting++;
            link.key.attach(link);
            if (channel.connect(broker)) {
                link.connected();
            }
            while (connecting >= CONNECTING_MAX) {
                turn(10);
            }
        }
    }

    /** Says something on each connection. */
    void sendAll(byte[] bytes) throws IOException {
        for (Link link : List.copyOf(links)) {
            link.pending.add(ByteBuffer.wrap(bytes));
            link.write();
        }
    }

    /** Works until the condition holds; fails when it doesn't in time. */
    void await(String what, Duration limit, BooleanSupplier condition) throws IOException {
        long end = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError(what + " not after " + limit + ": " + counts);
            }
            turn(20);
        }
    }

    /** Resets connections, all at once, without a word; the newest first. */
    void cut(int count) throws IOException {
        for (int i = 0; i < count && !links.isEmpty(); i++) {
            SocketChannel channel = links.removeLast().channel;
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            channel.close();
        }
        selector.selectNow(); // closed channels leave the selector
    }

    void cutAll() throws IOException {
        cut(links.size());
    }

    @Override
    public void close() throws IOException {
        cutAll();
        selector.close();
    }

    private void turn(long ms) throws IOException {
        selector.select(key -> ((Link) key.attachment()).ready(), ms);
    }

    private final class Link {
        private final SocketChannel channel;
        private final ArrayDeque<ByteBuffer> pending = new ArrayDeque<>();
        private byte[] partial = {};
        private final SelectionKey key;
        private boolean connecting = true;

        Link(SocketChannel channel, SelectionKey key) {
            this.channel = channel;
            this.key = key;
        }

        void ready() {
            try {
                // What another one has brought in this turn may have ended this connection.
                if (key.isValid() && key.isConnectable() && channel.finishConnect()) {
                    connected();
                } else if (key.isValid() && key.isWritable()) {
                    write();
                }
                if (key.isValid() && key.isReadable()) {
                    read();
                }
            } catch (IOException gone) {
                ended();
            }
        }

        void connected() throws IOException {
            connecting = false;
            Swarm.this.connecting--;
            write();
        }

        void write() throws IOException {
            while (!pending.isEmpty()) {
                channel.write(pending.peek());
                if (pending.peek().hasRemaining()) {
                    key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
                    return;
                }
                pending.remove();
            }
            key.interestOps(SelectionKey.OP_READ);
        }

        private void read() throws IOException {
            readBuffer.clear().put(partial);
            int count = channel.read(readBuffer);
            if (count < 0) {
                ended();
                return;
            }
            readBuffer.flip();
            for (int n = Bytes.packetLength(readBuffer);
                    n > 0;
                    n = Bytes.packetLength(readBuffer)) {
                received(readBuffer.slice(readBuffer.position(), n));
                readBuffer.position(readBuffer.position() + n);
            }
            partial = new byte[readBuffer.remaining()];
            readBuffer.get(partial);
        }

        private void received(ByteBuffer packet) throws IOException {
            switch (packet.get(0) & 0xF0) {
                case Bytes.CONNACK -> {
                    if (packet.get(3) == 0) {
                        counts.connected++;
                        counts.sessionsPresent += packet.get(2);
                    } else {
                        counts.refused++;
                    }
                }
                case Bytes.SUBACK -> counts.subscribed++;
                case Bytes.PUBLISH -> {
                    counts.published++;
                    acknowledge(packet);
                }
                case Bytes.PINGRESP -> counts.pongs++;
                case Bytes.DISCONNECT -> counts.disconnects++;
                default -> {}
            }
        }

        /** Only packets below 128 bytes are published to a swarm. */
        private void acknowledge(ByteBuffer publish) throws IOException {
            if ((publish.get(0) & 0x06) != 0) {
                int id = publish.getShort(4 + publish.getShort(2)) & 0xFFFF;
                pending.add(ByteBuffer.wrap(Bytes.puback(id)));
                write();
            }
        }

        private void ended() {
            if (connecting) {
                Swarm.this.connecting--;
            }
            counts.closed++;
            links.remove(this);
            try {
                channel.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
