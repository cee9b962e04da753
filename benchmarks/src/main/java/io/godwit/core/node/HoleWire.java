package io.godwit.core.node;

import io.godwit.core.connection.Wire;
import io.godwit.core.connection.WireListener;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;

/** A socket that takes everything at once, and that nobody reads. */
final class HoleWire implements Wire {
    /** Bytes taken. */
    long taken;

    @Override
    public ByteBuf allocate(int bytes) {
        return PooledByteBufAllocator.DEFAULT.directBuffer(bytes);
    }

    @Override
    public void write(ByteBuf bytes) {
        taken += bytes.readableBytes();
        bytes.release();
    }

    @Override
    public void write(byte[] bytes, int from, int length) {
        taken += length;
    }

    @Override
    public void flush() {}

    @Override
    public boolean isWritable() {
        return true;
    }

    @Override
    public long pendingBytes() {
        return 0;
    }

    @Override
    public void read(boolean wanted) {}

    @Override
    public void replaceListener(WireListener next) {}

    @Override
    public void close() {}

    @Override
    public String remoteAddress() {
        return "nowhere";
    }

    @Override
    public boolean isPeerGone() {
        return false;
    }

    @Override
    public boolean isLoopback() {
        return true;
    }

    @Override
    public String listener() {
        return "none";
    }
}
