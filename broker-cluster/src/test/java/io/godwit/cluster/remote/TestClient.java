package io.godwit.cluster.remote;

import io.godwit.core.connection.Placement;
import io.godwit.core.connection.Wire;
import io.godwit.core.connection.WireListener;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A client's socket at an edge: it takes everything at a flush, or nothing. */
final class TestClient implements Wire, Opening {
    final ByteArrayOutputStream got = new ByteArrayOutputStream();
    private @Nullable WireListener listener;
    private int unflushed;
    private int pending;
    boolean takes = true;
    boolean isReading = true;
    boolean isClosed;
    boolean isLost;
    boolean isUnreachable;
    int notLeader;

    WireListener listening() {
        return Objects.requireNonNull(listener);
    }

    /** Sends bytes, as a read of the socket brings them. */
    void send(byte[] some) {
        ByteBuf in = Unpooled.wrappedBuffer(some);
        listening().onBytes(in);
        in.release();
    }

    @Override
    public void replaceListener(WireListener next) {
        listener = next;
    }

    @Override
    public void opened(Placement.Pipe pipe) {
        listener = pipe.open(this);
    }

    @Override
    public void notLeader(byte[] row) {
        notLeader++;
    }

    @Override
    public void closed() {
        throw new AssertionError("closed");
    }

    @Override
    public void unreachable() {
        isUnreachable = true;
    }

    @Override
    public void lost() {
        isLost = true;
    }

    @Override
    public ByteBuf allocate(int bytes) {
        return Unpooled.buffer(bytes);
    }

    @Override
    public void write(ByteBuf bytes) {
        byte[] some = new byte[bytes.readableBytes()];
        bytes.readBytes(some);
        bytes.release();
        got.writeBytes(some);
        unflushed += some.length;
    }

    @Override
    public void write(byte[] bytes, int from, int length) {
        throw new AssertionError("bytes of its own alone");
    }

    @Override
    public void flush() {
        pending += unflushed;
        unflushed = 0;
        if (takes) {
            pending = 0;
        }
    }

    void takeAll() {
        takes = true;
        pending = 0;
    }

    @Override
    public boolean isWritable() {
        return true;
    }

    @Override
    public long pendingBytes() {
        return (long) pending + unflushed;
    }

    @Override
    public void read(boolean wanted) {
        isReading = wanted;
    }

    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            listening().onClosed();
        }
    }

    @Override
    public boolean isPeerGone() {
        return false;
    }

    @Override
    public String remoteAddress() {
        return "10.0.0.1:5";
    }

    @Override
    public boolean isLoopback() {
        return false;
    }

    @Override
    public String listener() {
        return "tcp";
    }
}
