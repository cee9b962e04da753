package io.godwit.server.admin;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One HTTP connection of the admin port: one request at a time, each answered in its turn. */
final class AdminHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
    private static final Logger log = LoggerFactory.getLogger(AdminHandler.class);

    private final AdminRoutes routes;
    private final AdminAccess access;
    private final AdminConnection connection;
    private final AdminRefusals refusals;
    private final AdminTimes times;
    private AdminTimes.Page page = AdminTimes.Page.OTHER;
    private long readNanos;

    AdminHandler(
            AdminRoutes routes,
            AdminAccess access,
            AdminConnection connection,
            AdminRefusals refusals,
            AdminTimes times) {
        this.routes = routes;
        this.access = access;
        this.connection = connection;
        this.refusals = refusals;
        this.times = times;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
        boolean keepAlive = HttpUtil.isKeepAlive(request) && !connection.isHealthOnly();
        boolean head = request.method().equals(HttpMethod.HEAD);
        if (connection.isWorking()) { // Nobody pipelines requests to an admin port in earnest.
            ctx.close();
            return;
        }
        connection.working(true);
        page = AdminRoutes.page(request.method(), request.uri());
        readNanos = System.nanoTime();
        if (!request.decoderResult().isSuccess()) {
            HttpAnswer bad =
                    HttpAnswer.error(HttpResponseStatus.BAD_REQUEST, "this is not an HTTP request");
            write(ctx, bad, false, false);
        } else if (connection.isHealthOnly() && !AdminRoutes.isHealth(request.uri())) {
            refusals.count(AdminRefusal.BUSY);
            HttpAnswer busy =
                    HttpAnswer.error(
                            HttpResponseStatus.SERVICE_UNAVAILABLE,
                            "too many requests are being processed; only /health is answered now");
            write(ctx, busy, false, head);
        } else {
            answer(ctx, request, keepAlive, head);
        }
    }

    private void answer(
            ChannelHandlerContext ctx, FullHttpRequest request, boolean keepAlive, boolean head) {
        String command = AdminRoutes.command(request.method(), request.uri());
        InetSocketAddress from =
                ctx.channel().remoteAddress() instanceof InetSocketAddress address ? address : null;
        HttpAnswer refusal = access.refusal(request, command, from);
        if (refusal != null) {
            write(ctx, refusal, keepAlive, head);
        } else if (command != null) {
            command(ctx, command, request, keepAlive);
        } else if (!head && !request.method().equals(HttpMethod.GET)) {
            HttpAnswer answer =
                    routes.knows(request.uri())
                            ? HttpAnswer.onlyAllowed(AdminRoutes.readingMethods(request.uri()))
                            : AdminRoutes.NOT_FOUND;
            write(ctx, answer, keepAlive, false);
        } else {
            later(ctx, routes.answer(request), keepAlive, head);
        }
    }

    private void command(
            ChannelHandlerContext ctx, String command, FullHttpRequest request, boolean keepAlive) {
        HttpMethod expected = AdminRoutes.methodOf(command);
        if (!request.method().equals(expected)) {
            HttpAnswer no = HttpAnswer.onlyAllowed(expected.name());
            write(ctx, no, keepAlive, request.method().equals(HttpMethod.HEAD));
            return;
        }
        connection.working(false);
        later(ctx, routes.execute(command, request.uri()), false, false);
    }

    private void later(
            ChannelHandlerContext ctx,
            CompletableFuture<HttpAnswer> answered,
            boolean keepAlive,
            boolean head) {
        answered.whenCompleteAsync(
                (answer, failure) -> {
                    try {
                        write(ctx, failure == null ? answer : failed(failure), keepAlive, head);
                    } catch (OutOfMemoryError e) {
                        exceptionCaught(ctx, e);
                    }
                },
                ctx.executor());
    }

    private static HttpAnswer failed(Throwable failure) {
        log.error("An admin request failed", failure);
        return HttpAnswer.error(
                HttpResponseStatus.INTERNAL_SERVER_ERROR,
                "an internal error of the broker; its log has the details");
    }

    private void write(
            ChannelHandlerContext ctx, HttpAnswer answer, boolean keepAlive, boolean head) {
        byte[] body = answer.body();
        FullHttpResponse response =
                new DefaultFullHttpResponse(
                        HttpVersion.HTTP_1_1,
                        answer.status(),
                        head ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(body));
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, answer.contentType())
                .set(HttpHeaderNames.CACHE_CONTROL, "no-store")
                .setInt(HttpHeaderNames.CONTENT_LENGTH, body.length);
        if (answer.contentType().equals(StatusPage.CONTENT_TYPE)) {
            response.headers()
                    .set(HttpHeaderNames.CONTENT_SECURITY_POLICY, StatusPage.POLICY)
                    .set("x-content-type-options", "nosniff")
                    .set("referrer-policy", "no-referrer");
        }
        if (answer.allow() != null) {
            response.headers().set(HttpHeaderNames.ALLOW, answer.allow());
        }
        if (answer.status().equals(HttpResponseStatus.UNAUTHORIZED)) {
            response.headers().set(HttpHeaderNames.WWW_AUTHENTICATE, "Bearer");
        }
        response.headers()
                .set(
                        HttpHeaderNames.CONNECTION,
                        keepAlive ? HttpHeaderValues.KEEP_ALIVE : HttpHeaderValues.CLOSE);
        times.of(page).add(System.nanoTime() - readNanos, 1);
        connection.answering();
        ctx.writeAndFlush(response)
                .addListener(done -> {
                    if (!done.isSuccess()) {
                        exceptionCaught(ctx, done.cause());
                    } else if (keepAlive) {
                        connection.idle();
                    } else {
                        ctx.close();
                    }
                });
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        refusals.failed(ctx.channel().remoteAddress(), cause);
        ctx.close();
    }
}
