package io.godwit.benchmarks.load.relay;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.util.concurrent.EventExecutor;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Event loops, as many as a broker has shards here, and the sockets on them. */
final class Sockets {
    /** Netty pools no larger buffers where the heap is small. */
    private static final int READ_BYTES = 16 << 10;

    private final List<EventLoop> loops = new ArrayList<>();
    private final MultiThreadIoEventLoopGroup group =
            new MultiThreadIoEventLoopGroup(
                    Runtime.getRuntime().availableProcessors(), EpollIoHandler.newFactory());

    Sockets() {
        for (EventExecutor each : group) loops.add((EventLoop) each);
    }

    List<EventLoop> loops() {
        return loops;
    }

    /**
     * Accepts connections.
     *
     * @param onAccepted called on the loop of the connection, before anything is read
     */
    void listen(InetSocketAddress at, Consumer<Channel> onAccepted) throws InterruptedException {
        new ServerBootstrap()
                .group(group)
                .channel(EpollServerSocketChannel.class)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.RECVBUF_ALLOCATOR, oneReadPerTurn())
                .childHandler(
                        new ChannelInitializer<>() {
                            @Override
                            protected void initChannel(Channel channel) {
                                onAccepted.accept(channel);
                            }
                        })
                .bind(at)
                .sync();
    }

    /** Opens a connection whose bytes are handled on this loop; returns at once. */
    static Channel connect(EventLoop loop, InetSocketAddress to, ChannelHandler handler) {
        return new Bootstrap()
                .group(loop)
                .channel(EpollSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.RECVBUF_ALLOCATOR, oneReadPerTurn())
                .handler(handler)
                .connect(to)
                .channel();
    }

    private static FixedRecvByteBufAllocator oneReadPerTurn() {
        FixedRecvByteBufAllocator allocator = new FixedRecvByteBufAllocator(READ_BYTES);
        allocator.maxMessagesPerRead(1);
        return allocator;
    }
}
