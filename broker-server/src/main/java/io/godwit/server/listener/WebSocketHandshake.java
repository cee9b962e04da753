package io.godwit.server.listener;

import io.godwit.core.connection.CloseCause;
import io.godwit.core.metrics.Metric;
import io.godwit.server.config.ListenerConfig;
import io.godwit.server.http.OriginPolicy;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The opening handshake of a WebSocket (RFC 6455, 4.2); afterwards the HTTP handlers are gone and
 * {@link WebSocketFrames} stands in their place. A request that is none gets its answer and the
 * connection is closed.
 */
final class WebSocketHandshake extends ChannelInboundHandlerAdapter {
    private static final Logger log = LoggerFactory.getLogger(WebSocketHandshake.class);
    private static final String GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

    /** The one that MQTT 3.1.1 and 5.0 name [MQTT-6.0.0-3], and the one of 3.1's time. */
    private static final List<String> SUBPROTOCOLS = List.of("mqtt", "mqttv3.1");

    private final ListenerShard home;
    private final ListenerConfig listener;
    private final OriginPolicy origins;
    private final long frameBytesMax;
    private boolean answered;

    WebSocketHandshake(
            ListenerShard home, ListenerConfig listener, OriginPolicy origins, long frameBytesMax) {
        this.home = home;
        this.listener = listener;
        this.origins = origins;
        this.frameBytesMax = frameBytesMax;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        FullHttpRequest request = (FullHttpRequest) message;
        try {
            if (answered) {
                return;
            }
            answered = true;
            readForwardedFor(ctx.channel(), request.headers());
            String subprotocol = subprotocol(request.headers());
            FullHttpResponse refusal = refusal(request, subprotocol);
            if (refusal != null) {
                home.handshakeFailed(
                        ctx.channel(),
                        Metric.HANDSHAKES_FAILED,
                        CloseCause.WEBSOCKET,
                        explain(refusal));
                refusal.headers()
                        .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE)
                        .set(HttpHeaderNames.CONTENT_TYPE, "text/plain; charset=utf-8")
                        .setInt(HttpHeaderNames.CONTENT_LENGTH, refusal.content().readableBytes());
                ctx.writeAndFlush(refusal);
                close(ctx);
            } else if (subprotocol != null) {
                accept(ctx, request.headers(), subprotocol);
            }
        } finally {
            request.release();
        }
    }

    /** Whoever says that it speaks for others is a proxy; who they are is believed of some. */
    private void readForwardedFor(Channel channel, HttpHeaders headers) {
        List<String> lines = headers.getAll(ForwardedFor.NAME);
        boolean trusted =
                ProxiedPeer.addressOf(channel) instanceof InetSocketAddress from
                        && listener.proxies().isTrusted(from.getAddress().getAddress());
        if (!trusted && lines.isEmpty()) {
            return;
        }
        ProxiedPeer known = ProxiedPeer.of(channel);
        ProxiedPeer peer = known == null ? ProxiedPeer.UNNAMED : known;
        InetSocketAddress client = trusted ? ForwardedFor.client(lines, listener.proxies()) : null;
        (client == null ? peer : peer.withAddress(client)).setOn(channel);
    }

    private static String explain(FullHttpResponse refusal) {
        String text = refusal.content().toString(StandardCharsets.UTF_8).strip();
        return "WebSocket handshake refused with " + refusal.status().code() + ", " + text;
    }

    private @Nullable FullHttpResponse refusal(
            FullHttpRequest request, @Nullable String subprotocol) {
        HttpHeaders headers = request.headers();
        if (!request.decoderResult().isSuccess()) {
            return unreadable(request.decoderResult().cause());
        }
        String uri = request.uri();
        int query = uri.indexOf('?');
        if (!listener.paths().contains(query < 0 ? uri : uri.substring(0, query))) {
            return response(
                    HttpResponseStatus.NOT_FOUND,
                    "MQTT over WebSocket is at "
                            + String.join(" and ", listener.paths())
                            + " (listeners."
                            + listener.name()
                            + ".paths).");
        }
        if (!request.method().equals(HttpMethod.GET)) {
            FullHttpResponse refusal =
                    response(HttpResponseStatus.METHOD_NOT_ALLOWED, "Only GET opens a WebSocket.");
            refusal.headers().set(HttpHeaderNames.ALLOW, "GET");
            return refusal;
        }
        if (!headers.containsValue(HttpHeaderNames.UPGRADE, "websocket", true)
                || !headers.containsValue(HttpHeaderNames.CONNECTION, "upgrade", true)
                || !"13".equals(headers.get(HttpHeaderNames.SEC_WEBSOCKET_VERSION))) {
            FullHttpResponse refusal =
                    response(
                            HttpResponseStatus.UPGRADE_REQUIRED,
                            "This is MQTT over WebSocket, version 13.");
            refusal.headers()
                    .set(HttpHeaderNames.UPGRADE, "websocket")
                    .set(HttpHeaderNames.SEC_WEBSOCKET_VERSION, "13");
            return refusal;
        }
        if (!origins.allows(headers)) {
            return foreignPage(headers.get(HttpHeaderNames.ORIGIN));
        }
        if (!isKey(headers.get(HttpHeaderNames.SEC_WEBSOCKET_KEY))) {
            return response(
                    HttpResponseStatus.BAD_REQUEST,
                    "Sec-WebSocket-Key must be 16 bytes in Base64.");
        }
        if (subprotocol == null) {
            return response(
                    HttpResponseStatus.BAD_REQUEST,
                    "The client must offer the subprotocol mqtt [MQTT-6.0.0-3].");
        }
        return null;
    }

    private FullHttpResponse unreadable(Throwable cause) {
        if (cause instanceof TooLongHttpHeaderException) {
            return response(
                    HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
                    "The headers are larger than "
                            + listener.headerBytesMax()
                            + " bytes (listeners."
                            + listener.name()
                            + ".header-size).");
        }
        if (cause instanceof TooLongHttpLineException) {
            return response(HttpResponseStatus.REQUEST_URI_TOO_LONG, "The path is too long.");
        }
        return response(HttpResponseStatus.BAD_REQUEST, "This is not an HTTP request.");
    }

    private FullHttpResponse foreignPage(@Nullable String origin) {
        home.admission().node().refuseForeignPage();
        String shown = origin != null && origin.matches("[ -~]{1,200}") ? origin : "?";
        long count = home.foreignPages().due();
        if (count > 0) {
            log.warn(
                    "Listener {}: refused {} WebSockets opened by web pages, the last one by {}:"
                            + " it is not in listeners.{}.origins",
                    home.listener(),
                    count,
                    shown,
                    home.listener());
        }
        return response(
                HttpResponseStatus.FORBIDDEN,
                "Pages of " + shown + " are not in listeners." + home.listener() + ".origins.");
    }

    private static boolean isKey(@Nullable String key) {
        try {
            return key != null && Base64.getDecoder().decode(key.strip()).length == 16;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** The first that we know of those offered; null if there is none. */
    private static @Nullable String subprotocol(HttpHeaders headers) {
        for (String line : headers.getAll(HttpHeaderNames.SEC_WEBSOCKET_PROTOCOL)) {
            for (String offered : line.split(",", -1)) {
                int known = SUBPROTOCOLS.indexOf(offered.strip());
                if (known >= 0) {
                    return SUBPROTOCOLS.get(known);
                }
            }
        }
        return null;
    }

    private void accept(ChannelHandlerContext ctx, HttpHeaders request, String subprotocol) {
        FullHttpResponse response = response(HttpResponseStatus.SWITCHING_PROTOCOLS, "");
        response.headers()
                .set(HttpHeaderNames.UPGRADE, "websocket")
                .set(HttpHeaderNames.CONNECTION, "Upgrade")
                .set(HttpHeaderNames.SEC_WEBSOCKET_ACCEPT, acceptKey(request))
                .set(HttpHeaderNames.SEC_WEBSOCKET_PROTOCOL, subprotocol);
        ctx.writeAndFlush(response);
        // The codec goes last: it hands on what it has read beyond the request.
        ctx.pipeline().addAfter(ctx.name(), null, new WebSocketFrames(frameBytesMax));
        ctx.pipeline().remove(HttpObjectAggregator.class);
        ctx.pipeline().remove(this);
        ctx.pipeline().remove(HttpServerCodec.class);
    }

    private static String acceptKey(HttpHeaders request) {
        String key = request.get(HttpHeaderNames.SEC_WEBSOCKET_KEY, "").strip() + GUID;
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-1")
                            .digest(key.getBytes(StandardCharsets.US_ASCII));
            return Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-1", e);
        }
    }

    private static FullHttpResponse response(HttpResponseStatus status, String text) {
        return new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                status,
                text.isEmpty()
                        ? Unpooled.EMPTY_BUFFER
                        : Unpooled.copiedBuffer(text + "\n", StandardCharsets.UTF_8));
    }

    private static void close(ChannelHandlerContext ctx) {
        if (ctx.pipeline().get(SslHandler.class) == null) {
            OrderlyClose.close(ctx.channel());
        } else {
            ctx.close();
        }
    }
}
