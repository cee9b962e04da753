package io.godwit.core.node;

import io.godwit.core.connection.Wire;
import io.godwit.core.connection.WireListener;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * A socket whose peer reads as the test says. Writability has the marks of the settings, and
 * changes where Netty's does: during write, and during flush.
 */
final class TestWire implements Wire {
    private int flushes;
    private final ArrayDeque<ByteBuf> pending = new ArrayDeque<>();
    private final List<byte[]> shared = new ArrayList<>();
    private final ByteBuf received = Unpooled.buffer();
    private final int high;
    private final int low;

    @SuppressWarnings("NullAway.Init") // set by listener(...)
    private WireListener listener;

    private long pendingBytes;
    private long pendingMost;
    private long takes = Long.MAX_VALUE;
    private boolean writable = true;
    private boolean read = true;
    private boolean closed;
    private boolean peerGone;
    private String address = "127.0.0.1:1";

    TestWire(int high, int low) {
        this.high = high;
        this.low = low;
    }

    void listener(WireListener to) {
        listener = to;
    }

    /** Who hears the wire now. */
    WireListener currentListener() {
        return listener;
    }

    void remoteAddress(String text) {
        address = text;
    }

    /** The peer reads nothing until {@link #take} or {@link #takeAll}. */
    void block() {
        takes = 0;
    }

    /** The peer reads so many bytes. */
    void take(long bytes) {
        takes = bytes;
        flush();
        takes = 0;
    }

    /** The peer reads as fast as it is written to. */
    void takeAll() {
        takes = Long.MAX_VALUE;
        flush();
    }

    /** What the peer has read. */
    ByteBuf received() {
        return received;
    }

    boolean isRead() {
        return read;
    }

    boolean isClosed() {
        return closed;
    }

    long pendingMost() {
        return pendingMost;
    }

    @Override
    public ByteBuf allocate(int bytes) {
        return Unpooled.buffer(bytes);
    }

    @Override
    public void write(ByteBuf bytes) {
        pendingBytes += bytes.readableBytes();
        pendingMost = Math.max(pendingMost, pendingBytes);
        pending.add(bytes);
        if (pendingBytes > high) {
            writable = false;
        }
    }

    @Override
    public void write(byte[] bytes, int from, int length) {
        shared.add(bytes);
        write(Unpooled.wrappedBuffer(bytes, from, length));
    }

    /** The arrays of which parts were written without a copy. */
    List<byte[]> shared() {
        return shared;
    }

    /** How often the broker has flushed something. */
    int flushes() {
        return flushes;
    }

    @Override
    public void flush() {
        if (!pending.isEmpty()) {
            flushes++;
        }
        while (takes > 0 && !pending.isEmpty()) {
            ByteBuf first = pending.peek();
            int n = (int) Math.min(takes, first.readableBytes());
            received.writeBytes(first, n);
            pendingBytes -= n;
            takes = takes == Long.MAX_VALUE ? takes : takes - n;
            if (!first.isReadable()) {
                pending.remove();
            }
            if (!writable && pendingBytes < low) {
                writable = true;
                listener.onWritable();
            }
        }
    }

    @Override
    public boolean isWritable() {
        return writable;
    }

    @Override
    public long pendingBytes() {
        return pendingBytes;
    }

    @Override
    public void read(boolean wanted) {
        read = wanted;
    }

    @Override
    public void replaceListener(WireListener next) {
        listener = next;
    }

    @Override
    public void close() {
        closed = true;
    }

    /** The peer closes its side, which the broker finds out by reading, or by asking. */
    void peerGone() {
        peerGone = true;
    }

    @Override
    public boolean isPeerGone() {
        return peerGone;
    }

    @Override
    public String remoteAddress() {
        return address;
    }

    @Override
    public boolean isLoopback() {
        return true;
    }

    @Override
    public String listener() {
        return "test";
    }
}
