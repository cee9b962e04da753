package io.godwit.server.listener;

import io.godwit.server.tls.ListenerTls;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.AbstractSniHandler;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Reads the host name that a client of TLS asks for, then puts the handler with that name's
 * certificate in its own place.
 */
final class ServerNameHandler extends AbstractSniHandler<Boolean> {
    private static final int CLIENT_HELLO_BYTES_MAX = 16 << 10;

    private final ListenerTls tls;

    ServerNameHandler(ListenerTls tls) {
        super(CLIENT_HELLO_BYTES_MAX, 0); // the time limit of CONNECT covers it
        this.tls = tls;
    }

    @Override
    protected Future<Boolean> lookup(ChannelHandlerContext ctx, @Nullable String host) {
        return ctx.executor().newSucceededFuture(true);
    }

    @Override
    protected void onLookupComplete(
            ChannelHandlerContext ctx, @Nullable String host, Future<Boolean> found) {
        SslHandler handler = ChannelSetup.handler(tls, ctx.alloc(), host);
        boolean isPlaced = false;
        try {
            ctx.pipeline().replace(this, null, handler);
            isPlaced = true;
        } finally {
            if (!isPlaced) {
                ReferenceCountUtil.release(handler.engine());
            }
        }
    }
}
