package io.godwit.benchmarks.load.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One end of a channel: reads its socket while fewer bytes are under way than the mark, and counts
 * what the socket takes. Only its loop calls.
 */
final class RelayedSocket extends ChannelInboundHandlerAdapter {
    private final RelayLoop loop;
    private final int channel;
    private final int farLoop;
    private final FlowControl flow;
    private @Nullable Channel socket;

    /** Sent to the other node and not given back by it. */
    private int pendingBytes;

    private int markBytes;
    private boolean isReading = true;

    /** Written to the socket, and not known to be taken by it. */
    private int writtenBytes;

    /** Taken by the socket, and not given back to the other node. */
    private int takenBytes;

    private boolean hasUnflushed;
    private boolean isWaitingForSocket;

    RelayedSocket(RelayLoop loop, int channel, int farLoop, FlowControl flow) {
        this.loop = loop;
        this.channel = channel;
        this.farLoop = farLoop;
        this.flow = flow;
        markBytes = flow.markBytes();
    }

    void attach(Channel opened) {
        socket = opened;
    }

    int channel() {
        return channel;
    }

    /** Index of the loop that has the channel at the other node. */
    int farLoop() {
        return farLoop;
    }

    // ---- from the socket ----

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        flush(); // What came before the connection was there.
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object bytes) {
        ByteBuf data = (ByteBuf) bytes;
        pendingBytes += data.readableBytes();
        loop.addData(this, data);
        data.release();
        if (pendingBytes >= markBytes && isReading) {
            isReading = false;
            ctx.channel().config().setAutoRead(false);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        loop.addClose(this);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }

    // ---- from the other node ----

    /** The other node's socket has taken bytes: this one may be read again. */
    void onWindow(int takenBytes) {
        pendingBytes -= takenBytes;
        Channel open = socket;
        if (!isReading && pendingBytes < markBytes && open != null) {
            markBytes = Math.min(2 * markBytes, flow.markBytesMax());
            isReading = true;
            open.config().setAutoRead(true);
        }
    }

    /**
     * Writes without a flush.
     *
     * @return whether a flush is owed from now on
     */
    boolean write(byte[] from, int start, int length) {
        Channel open = socket;
        if (open == null) {
            return false;
        }
        open.write(
                open.alloc().directBuffer(length).writeBytes(from, start, length),
                open.voidPromise());
        writtenBytes += length;
        boolean isFirst = !hasUnflushed;
        hasUnflushed = true;
        return isFirst;
    }

    /** Lets out what was written, and gives back what the socket has taken. */
    void flush() {
        hasUnflushed = false;
        Channel open = socket;
        if (open != null && open.isActive()) {
            open.flush();
            countTaken(open);
        }
    }

    private void countTaken(Channel open) {
        ChannelOutboundBuffer left = open.unsafe().outboundBuffer();
        if (left == null || isWaitingForSocket) {
            return;
        }
        int written = writtenBytes;
        if (left.isEmpty()) {
            took(written);
        } else {
            isWaitingForSocket = true;
            open.writeAndFlush(Unpooled.EMPTY_BUFFER)
                    .addListener(result -> {
                        isWaitingForSocket = false;
                        if (result.isSuccess()) {
                            took(written);
                            countTaken(open); // of what was written since
                        }
                    });
        }
    }

    private void took(int bytes) {
        writtenBytes -= bytes;
        takenBytes += bytes;
        loop.addTaken(this);
    }

    /** Bytes that the socket has taken and the other node was not told of. */
    int takenBytes() {
        return takenBytes;
    }

    void gaveBack() {
        takenBytes = 0;
    }

    void close() {
        Channel open = socket;
        if (open != null) {
            open.close();
        }
    }
}
