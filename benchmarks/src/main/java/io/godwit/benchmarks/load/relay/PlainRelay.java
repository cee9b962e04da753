package io.godwit.benchmarks.load.relay;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.InetSocketAddress;

/** Forwards what one socket brings to another one, on one loop: the hop of sockets by itself. */
final class PlainRelay extends ChannelInboundHandlerAdapter {
    private final Channel target;

    private PlainRelay(Channel target) {
        this.target = target;
    }

    static void start(Sockets sockets, InetSocketAddress at, InetSocketAddress broker)
            throws InterruptedException {
        sockets.listen(
                at,
                client -> {
                    client.config().setAutoRead(false);
                    Channel opened =
                            Sockets.connect(client.eventLoop(), broker, new PlainRelay(client));
                    client.pipeline().addLast(new PlainRelay(opened));
                });
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        target.config().setAutoRead(true);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object bytes) {
        target.write(bytes, target.voidPromise());
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        target.flush();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        target.config().setAutoRead(ctx.channel().isWritable());
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        target.close();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }
}
