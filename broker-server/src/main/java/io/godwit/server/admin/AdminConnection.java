package io.godwit.server.admin;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How far one connection of the admin port is, and the time that it has left:
 *
 * <pre>
 * REQUEST  from the accept, or the first byte of a later request, until the request is whole
 * WORK     until there is an answer
 * ANSWER   until the kernel has taken it
 * IDLE     until the next request
 * </pre>
 *
 * The first three share one limit, so that a client can stretch none of them by a byte now and
 * then. Stands first in the pipeline, before anything gathers what came in part.
 */
final class AdminConnection extends ChannelInboundHandlerAdapter {
    private static final long IDLE_MS = 60_000;

    private enum Phase {
        REQUEST,
        WORK,
        ANSWER,
        IDLE
    }

    private final AdminConnections connections;
    private final AdminRefusals refusals;
    private final long requestMs;
    private final boolean healthOnly;
    private Phase phase = Phase.REQUEST;
    private @Nullable ChannelHandlerContext context;
    private @Nullable Future<?> limit;

    /**
     * @param requestMs admin.request-timeout
     * @param healthOnly it has a place of the reserve
     */
    AdminConnection(
            AdminConnections connections,
            AdminRefusals refusals,
            long requestMs,
            boolean healthOnly) {
        this.connections = connections;
        this.refusals = refusals;
        this.requestMs = requestMs;
        this.healthOnly = healthOnly;
    }

    boolean isHealthOnly() {
        return healthOnly;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
        connections.opened(this);
        limitRequest();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (phase == Phase.IDLE) {
            phase = Phase.REQUEST;
            connections.waiting(this);
            limitRequest();
        }
        ctx.fireChannelRead(message);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        closed();
        ctx.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        closed();
    }

    private void closed() {
        endLimit();
        connections.closed(this);
    }

    boolean isWorking() {
        return phase == Phase.WORK || phase == Phase.ANSWER;
    }

    /**
     * The request is whole.
     *
     * @param limited false for what may take as long as it needs
     */
    void working(boolean limited) {
        phase = Phase.WORK;
        connections.working(this);
        if (!limited) {
            endLimit();
        }
    }

    /** The answer is handed to the kernel from now on. */
    void answering() {
        phase = Phase.ANSWER;
        connections.waiting(this);
        if (limit == null) {
            limitRequest();
        }
    }

    /** The answer has left, and another request may come. */
    void idle() {
        phase = Phase.IDLE;
        connections.waiting(this);
        endLimit();
        limit = after(IDLE_MS, this::close);
    }

    private void limitRequest() {
        endLimit();
        limit =
                after(
                        requestMs,
                        () -> {
                            refusals.count(AdminRefusal.TIMEOUT);
                            close();
                        });
    }

    private void endLimit() {
        if (limit != null) {
            limit.cancel(false);
            limit = null;
        }
    }

    private @Nullable Future<?> after(long ms, Runnable what) {
        ChannelHandlerContext ctx = context;
        return ctx == null ? null : ctx.executor().schedule(what, ms, TimeUnit.MILLISECONDS);
    }

    /** Closes it now; on the admin thread. */
    void close() {
        closed();
        if (context != null) {
            context.close();
        }
    }
}
