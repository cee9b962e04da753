package io.godwit.server.listener;

import io.godwit.core.connection.CloseCause;
import io.godwit.core.failure.FileCauses;
import io.godwit.core.metrics.Metric;
import io.godwit.server.config.ProxyConfig;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.haproxy.HAProxyProtocolException;
import java.net.InetSocketAddress;

/**
 * Stands first in the pipeline of a listener with proxy-protocol: lets only the trusted proxies in,
 * reads the PROXY header, and leaves. What the header says is then the channel's {@link
 * ProxiedPeer}. The time limit of CONNECT covers the header too.
 */
final class ProxyHandshake extends ChannelInboundHandlerAdapter {
    private final ListenerShard home;
    private final ProxyConfig proxies;
    private final ProxyHeader header = new ProxyHeader();
    private boolean refused;

    ProxyHandshake(ListenerShard home, ProxyConfig proxies) {
        this.home = home;
        this.proxies = proxies;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        if (ctx.channel().remoteAddress() instanceof InetSocketAddress from
                && proxies.isTrusted(from.getAddress().getAddress())) {
            ctx.fireChannelActive();
        } else {
            refuse(ctx, "not in listeners." + home.listener() + ".trusted-proxies");
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
        ByteBuf in = (ByteBuf) message;
        boolean goesOn = false;
        try {
            if (!refused && header.read(in)) {
                ProxiedPeer peer = header.decode(ctx).ofSocket(ctx.channel().remoteAddress());
                peer.setOn(ctx.channel());
                ctx.pipeline().remove(this);
                goesOn = in.isReadable();
            }
        } catch (HAProxyProtocolException invalid) {
            refuse(
                    ctx,
                    "no valid PROXY header, "
                            + FileCauses.text(invalid.getMessage(), "undecodable"));
        } finally {
            if (!goesOn) {
                in.release();
            }
        }
        if (goesOn) {
            ctx.fireChannelRead(in);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (header.isEmpty() && !refused) {
            ProxiedPeer.QUIET.setOn(ctx.channel()); // a proxy that looks whether somebody listens
        } else if (!refused) {
            refuse(ctx, "no valid PROXY header, it ended too early");
        }
        ctx.fireChannelInactive();
    }

    private void refuse(ChannelHandlerContext ctx, String why) {
        refused = true;
        home.handshakeFailed(ctx.channel(), Metric.REFUSED_PROXY, CloseCause.PROXY, why);
        ProxiedPeer.QUIET.setOn(ctx.channel()); // Whatever fails from now on fails for this.
        OrderlyClose.now(ctx.channel());
    }
}
