package io.godwit.benchmarks.load.relay;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sockets from each loop of one node to each loop of the other one, instead of links: no other
 * thread has a part in a batch. The first frame of a socket tells the index of the sender's loop.
 *
 * <p>Only one loop uses this.
 */
final class SocketPeer implements RelayPeer {
    private static final int LENGTH_BYTES = 4;
    private static final int FRAME_BYTES_MAX = 1 << 20;
    private static final int READ_BYTES = 64 << 10;
    private static final int OPEN_SECONDS = 10;

    private final @Nullable Channel[] sockets;
    private int open;

    private SocketPeer(int loops) {
        sockets = new @Nullable Channel[loops];
    }

    /** Makes the loops of a node; each has sockets of its own to the other node. */
    static List<RelayLoop> loops(List<EventLoop> eventLoops, FlowControl flow, int giveBackBytes) {
        List<RelayLoop> loops = new ArrayList<>();
        int count = eventLoops.size();
        for (int i = 0; i < count; i++) {
            SocketPeer peer = new SocketPeer(count);
            loops.add(new RelayLoop(peer, eventLoops.get(i), i, count, flow, giveBackBytes));
        }
        return loops;
    }

    /** Lets the other node connect. */
    static void listen(Sockets sockets, InetSocketAddress at, List<RelayLoop> loops)
            throws InterruptedException {
        sockets.listen(at, channel -> begin(RelayLoop.of(channel, loops), channel));
    }

    /** Connects each loop to each of the other node, whose sockets go to its loops in turn. */
    static void connect(InetSocketAddress to, List<RelayLoop> loops) throws InterruptedException {
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(OPEN_SECONDS);
        for (RelayLoop from : loops) {
            int opened = 0;
            while (opened < loops.size()) {
                if (connectsOnce(to, from)) opened++;
                else if (System.nanoTime() > endNanos) RelayNode.fail("no connection to " + to);
                Thread.sleep(20); // The other node may not listen yet, or accepts this one first.
            }
        }
    }

    private static boolean connectsOnce(InetSocketAddress to, RelayLoop from)
            throws InterruptedException {
        Channel socket =
                Sockets.connect(
                        from.eventLoop(),
                        to,
                        new ChannelInboundHandlerAdapter() {
                            @Override
                            public void channelActive(ChannelHandlerContext ctx) {
                                begin(from, ctx.channel());
                                ctx.pipeline().remove(this);
                            }
                        });
        while (socket.isOpen() && !socket.isActive()) Thread.sleep(1);
        return socket.isActive();
    }

    private static void begin(RelayLoop loop, Channel socket) {
        SocketPeer peer = (SocketPeer) loop.peer();
        socket.config().setRecvByteBufAllocator(new FixedRecvByteBufAllocator(READ_BYTES));
        socket.pipeline()
                .addLast(
                        new LengthFieldBasedFrameDecoder(
                                FRAME_BYTES_MAX, 0, LENGTH_BYTES, 0, LENGTH_BYTES))
                .addLast(peer.new Frames(loop));
        ByteBuf first = socket.alloc().directBuffer(2 * LENGTH_BYTES);
        socket.eventLoop()
                .execute(() ->
                        socket.writeAndFlush(first.writeInt(LENGTH_BYTES).writeInt(loop.index())));
    }

    @Override
    public boolean isUp() {
        return open == sockets.length;
    }

    @Override
    public void send(RelayBatch batch) {
        Channel socket = sockets[batch.loop()];
        if (socket == null) {
            RelayNode.fail("a loop has no socket to loop " + batch.loop());
            return;
        }
        ByteBuf frame = socket.alloc().directBuffer(LENGTH_BYTES + batch.bytes());
        batch.write(frame);
        socket.writeAndFlush(frame, socket.voidPromise());
    }

    /** Reads the batches that come by one socket of the other node. */
    private final class Frames extends ChannelInboundHandlerAdapter {
        private final RelayLoop loop;
        private boolean isNamed;

        Frames(RelayLoop loop) {
            this.loop = loop;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object frame) {
            ByteBuf bytes = (ByteBuf) frame;
            if (isNamed) {
                byte[] records = new byte[bytes.readableBytes()];
                bytes.readBytes(records);
                loop.read(records);
            } else {
                isNamed = true;
                open++;
                sockets[bytes.readInt()] = ctx.channel();
            }
            bytes.release();
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            loop.endTurnSoon();
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            RelayNode.fail("a socket to the other node has ended");
        }
    }
}
