package io.godwit.benchmarks.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One client connection. It finds the packets in what was read without allocating; the bytes of a
 * packet that isn't complete yet wait in {@code rest}. Only the thread of its {@link LoadLoop} uses
 * it.
 */
abstract class Link {
    final LoadLoop loop;
    private final String clientId;
    private final List<String> filters;
    private final int qos;
    private @Nullable SocketChannel channel;
    private @Nullable Wire wire;
    private @Nullable SelectionKey key;
    private byte[] rest = new byte[0];
    private int restBytes;
    private boolean writeWanted;
    private boolean waitsForSocket;
    private boolean connectSent;

    /**
     * @param filters what it subscribes to before it counts as ready; none = ready at the CONNACK
     */
    Link(LoadLoop loop, String clientId, List<String> filters, int qos) {
        this.loop = loop;
        this.clientId = clientId;
        this.filters = filters;
        this.qos = qos;
    }

    /** Begins to connect from {@code source} (a loopback address), or from any when it is null. */
    final void open(InetSocketAddress broker, @Nullable InetSocketAddress source)
            throws IOException {
        SocketChannel opened = SocketChannel.open();
        channel = opened;
        opened.configureBlocking(false);
        opened.setOption(StandardSocketOptions.TCP_NODELAY, true);
        tune(opened);
        if (source != null) opened.bind(source);
        wire = loop.wires().make(opened, broker);
        boolean connected = opened.connect(broker);
        key =
                opened.register(
                        loop.selector(),
                        connected ? SelectionKey.OP_READ : SelectionKey.OP_CONNECT,
                        this);
        if (connected) start();
    }

    private void start() throws IOException {
        wire().start();
        sendConnect();
    }

    private void sendConnect() throws IOException {
        if (!connectSent && wire().isOpen()) {
            connectSent = true;
            write(Frames.connect(clientId, keepAliveSeconds(), cleanSession(), secret()));
        }
        updateInterest();
    }

    /** Socket options beyond TCP_NODELAY. */
    void tune(SocketChannel opened) throws IOException {}

    int keepAliveSeconds() {
        return 600;
    }

    boolean cleanSession() {
        return true;
    }

    /** The password; empty = it has no credentials. */
    String secret() {
        return loop.transport().known() ? KnownClients.Stored.TOKEN.secret() : "";
    }

    /**
     * A packet other than CONNACK; its variable header and payload stand at {@code from} to {@code
     * to}.
     */
    abstract void onPacket(int first, ByteBuffer in, int from, int to);

    /** A SUBSCRIBE after the first one was granted. */
    void onSubscribed() {}

    /** All complete packets of one read have been seen. */
    void onReadComplete() throws IOException {}

    void onWritable() throws IOException {}

    /** CONNACK came, and SUBACK if it subscribes. */
    void onGranted() throws IOException {
        loop.onLinkReady();
    }

    /** CONNACK came with a return code that refuses. */
    void onRefused(int code) throws IOException {
        throw new IOException(clientId + ": CONNACK with return code " + code);
    }

    /** The connection is broken, or what came was not understood. */
    void onFault(IOException fault) {
        loop.fail(String.valueOf(fault.getMessage()));
    }

    /** The broker has closed the connection. */
    void onEnd() throws IOException {
        throw new IOException("the broker closed the connection of " + clientId);
    }

    final void onReady(SelectionKey ready) throws IOException {
        int ops = ready.readyOps();
        if ((ops & SelectionKey.OP_CONNECT) != 0) {
            channel().finishConnect();
            ready.interestOps(SelectionKey.OP_READ);
            start();
            return;
        }
        if ((ops & SelectionKey.OP_READ) != 0) onReadable();
        if ((ops & SelectionKey.OP_WRITE) != 0 && ready.isValid()) {
            if (wire().flush()) onWritable();
            updateInterest();
        }
    }

    private SocketChannel channel() {
        if (channel == null) throw new IllegalStateException(clientId + " is not open");
        return channel;
    }

    private Wire wire() {
        if (wire == null) throw new IllegalStateException(clientId + " is not open");
        return wire;
    }

    /** Asks to be told when the socket takes bytes, or no longer. */
    final void wantWrite(boolean wanted) {
        writeWanted = wanted;
        updateInterest();
    }

    private void updateInterest() {
        SelectionKey registered = key;
        boolean wanted = writeWanted || wire().isBacklogged();
        if (registered == null || !registered.isValid() || wanted == waitsForSocket) return;
        waitsForSocket = wanted;
        registered.interestOps(
                wanted ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
    }

    /** Writes as many bytes of whole packets as the socket takes. */
    final void send(ByteBuffer packets) throws IOException {
        wire().write(packets);
    }

    /**
     * Writes a small packet whole; a socket that can't take it is an error, since only rare packets
     * go this way.
     */
    final void write(ByteBuffer packet) throws IOException {
        send(packet);
        updateInterest();
        if (packet.hasRemaining())
            throw new IOException(clientId + ": the socket did not take a small packet");
    }

    final void close() {
        try {
            if (channel != null) channel.close();
            if (wire != null) wire.release();
            wire = null;
        } catch (IOException e) {
            loop.fail(clientId + ": " + e);
        }
    }

    private void onReadable() throws IOException {
        ByteBuffer in = loop.readBuffer();
        in.clear().put(rest, 0, restBytes);
        if (wire().read(in) < 0) {
            onEnd();
            return;
        }
        sendConnect();
        int end = in.position();
        int at = 0;
        while (end - at >= 2) {
            int length = in.get(at + 1);
            int body = at + 2;
            if (length < 0) {
                length &= 0x7F;
                int shift = 7;
                int more = -1;
                while (more < 0 && body < end) {
                    more = in.get(body++);
                    length |= (more & 0x7F) << shift;
                    shift += 7;
                }
                if (more < 0) break;
            }
            if (length > end - body) break;
            packet(in.get(at) & 0xFF, in, body, body + length);
            at = body + length;
        }
        keepRest(in, at, end);
        onReadComplete();
    }

    private void packet(int first, ByteBuffer in, int from, int to) throws IOException {
        if ((first & 0xF0) == Frames.CONNACK) onConnAck(in.get(from + 1));
        else if ((first & 0xF0) == Frames.SUBACK) onSubAck(in, from, to);
        else onPacket(first, in, from, to);
    }

    private void onConnAck(int code) throws IOException {
        if (code != 0) onRefused(code);
        else if (filters.isEmpty()) onGranted();
        else write(Frames.subscribe(1, filters, qos));
    }

    private void onSubAck(ByteBuffer in, int from, int to) throws IOException {
        for (int i = from + 2; i < to; i++) {
            if (in.get(i) < 0) throw new IOException(clientId + ": a subscription was refused");
        }
        if (in.getShort(from) == 1) onGranted();
        else onSubscribed();
    }

    private void keepRest(ByteBuffer in, int at, int end) {
        restBytes = end - at;
        if (restBytes > rest.length) rest = new byte[Integer.highestOneBit(restBytes) << 1];
        in.get(at, rest, 0, restBytes);
    }
}
