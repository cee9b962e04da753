package io.godwit.server.listener;

import io.godwit.server.config.ListenerConfig;
import io.godwit.server.http.OriginPolicy;
import io.godwit.server.tls.ListenerTls;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.SocketChannelConfig;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.ssl.SslHandler;
import org.jspecify.annotations.Nullable;

/** Prepares an accepted channel of one listener for one shard: its options and its pipeline. */
final class ChannelSetup {
    private static final int HTTP_LINE_BYTES_MAX = 4_096;

    /** Body of a request, and its chunks: none is expected. */
    private static final int HTTP_BODY_BYTES_MAX = 8_192;

    /**
     * For connections whose handlers may keep a piece of what was read (half a TLS record, half a
     * header): small pieces, so that a peer that stops in the middle holds little.
     */
    private static final RecvByteBufAllocator CAREFUL =
            new AdaptiveRecvByteBufAllocator(512, 2_048, ReadBuffer.BYTES).maxMessagesPerRead(1);

    private final ListenerConfig listener;
    private final ListenerShard home;
    private final @Nullable ListenerTls tls;
    private final RecvByteBufAllocator reads;
    private final HandshakeGate handshakes;
    private final OriginPolicy origins;
    private final long frameBytesMax;

    /**
     * @param reads the shard's buffer, used where nobody keeps a piece of it
     * @param frameBytesMax payload of a WebSocket frame
     */
    ChannelSetup(
            ListenerConfig listener,
            ListenerShard home,
            @Nullable ListenerTls tls,
            ReadBuffer reads,
            HandshakeGate handshakes,
            OriginPolicy origins,
            long frameBytesMax) {
        this.listener = listener;
        this.home = home;
        this.tls = tls;
        this.reads = home.plain() ? reads : CAREFUL;
        this.handshakes = handshakes;
        this.origins = origins;
        this.frameBytesMax = frameBytesMax;
    }

    void apply(Channel child, Admission.Verdict verdict) {
        SocketChannelConfig config = ((SocketChannel) child).config();
        config.setTcpNoDelay(true);
        config.setKeepAlive(true); // for a peer that vanished and has no keep alive of MQTT's
        if (listener.receiveBufferBytes() > 0) {
            config.setReceiveBufferSize(listener.receiveBufferBytes());
        }
        if (listener.sendBufferBytes() > 0) {
            config.setSendBufferSize(listener.sendBufferBytes());
        }
        config.setRecvByteBufAllocator(reads);
        config.setWriteBufferWaterMark(home.waterMark());

        ChannelPipeline pipeline = child.pipeline();
        if (listener.proxies().protocol()) {
            pipeline.addLast(new ProxyHandshake(home, listener.proxies()));
        }
        if (tls != null) {
            pipeline.addLast(
                    tls.hasNames()
                            ? new ServerNameHandler(tls)
                            : handler(tls, child.alloc(), null));
            config.setAutoRead(false); // until the gate opens
        }
        if (listener.type().webSocket()) {
            pipeline.addLast(
                    new HttpServerCodec(
                            HTTP_LINE_BYTES_MAX, listener.headerBytesMax(), HTTP_BODY_BYTES_MAX),
                    new HttpObjectAggregator(HTTP_BODY_BYTES_MAX, true),
                    new WebSocketHandshake(home, listener, origins, frameBytesMax));
        }
        ChannelHandler last =
                verdict == Admission.Verdict.ADMITTED
                        ? new ChannelWire(home)
                        : new RefusedConnection(home, verdict);
        pipeline.addLast(last);
    }

    /** See {@link ListenerTls#newHandler}. */
    static SslHandler handler(ListenerTls tls, ByteBufAllocator allocator, @Nullable String host) {
        SslHandler handler = tls.newHandler(allocator, host);
        handler.setHandshakeTimeoutMillis(0); // the time limit of CONNECT covers it
        return handler;
    }

    /** The channel has joined its shard; on the shard's thread. */
    void registered(Channel child) {
        if (tls != null) {
            handshakes.enter(child);
        }
    }
}
