package io.godwit.server.listener;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/**
 * The buffer into which all plain connections of one shard read, one after the other.
 *
 * <p><i>Why.</i> An idle connection holds no buffer and no statistics of its own; a flooding one is
 * read 64 KiB at a time from the first read on; and the memory stays in the processor's cache. Who
 * keeps a slice beyond the call keeps this buffer alive, and the next read gets a new one. It is
 * not pooled: it lives as long as the shard, and reading single bytes of a pooled one costs more.
 *
 * <p><i>One read per event.</i> Epoll is level-triggered: what is left makes the socket ready again
 * in the next turn, after the others had theirs. So no read is wasted on finding nothing.
 */
final class ReadBuffer implements RecvByteBufAllocator, RecvByteBufAllocator.ExtendedHandle {
    static final int BYTES = 64 * 1024;

    private ByteBuf buffer;
    private int attemptedBytes;
    private int lastBytes;

    ReadBuffer() {
        buffer = newBuffer();
    }

    private static ByteBuf newBuffer() {
        return Unpooled.directBuffer(BYTES, BYTES);
    }

    @Override
    @SuppressWarnings("deprecation") // Netty's own channels ask for the deprecated type
    public Handle newHandle() {
        return this;
    }

    @Override
    public ByteBuf allocate(ByteBufAllocator allocator) {
        if (buffer.refCnt() == 1) {
            buffer.clear();
        } else {
            buffer.release();
            buffer = newBuffer();
        }
        return buffer.retain();
    }

    @Override
    public int guess() {
        return BYTES;
    }

    @Override
    public void reset(ChannelConfig config) {}

    @Override
    public void incMessagesRead(int messages) {}

    @Override
    public void lastBytesRead(int bytes) {
        lastBytes = bytes;
    }

    @Override
    public int lastBytesRead() {
        return lastBytes;
    }

    @Override
    public void attemptedBytesRead(int bytes) {
        attemptedBytes = bytes;
    }

    @Override
    public int attemptedBytesRead() {
        return attemptedBytes;
    }

    @Override
    public boolean continueReading() {
        return false;
    }

    @Override
    public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
        return false;
    }

    @Override
    public void readComplete() {}

    /** Call on the shard's thread when no connection reads any more. */
    void release() {
        buffer.release();
    }
}
