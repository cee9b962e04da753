package io.godwit.server.listener;

import io.godwit.server.loop.ShardEventLoop;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes connections from the kernel and places them on shards: its own one where each shard has a
 * server socket, else one after the other. When accepting fails (no file descriptor is left) it
 * pauses, longer each time, instead of spinning.
 */
final class Acceptor extends ChannelInboundHandlerAdapter {
    private static final Logger log = LoggerFactory.getLogger(Acceptor.class);
    private static final long PAUSE_FIRST_MS = 50;
    private static final long PAUSE_MAX_MS = 1_000;

    /** A shard that takes connections of this listener. */
    record Target(ShardEventLoop loop, ListenerShard home, ChannelSetup setup) {}

    private final Target[] targets;
    private int next;
    private long pauseMs = PAUSE_FIRST_MS;
    private boolean stopped;

    /**
     * @param targets the first is the shard on whose thread this acceptor runs
     */
    Acceptor(Target... targets) {
        this.targets = targets;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        Channel child = (Channel) message;
        pauseMs = PAUSE_FIRST_MS;
        ListenerShard here = targets[0].home();
        Admission.Verdict verdict = here.admission().admit();
        if (verdict != Admission.Verdict.ADMITTED) {
            here.refused(child, verdict);
        }
        if (verdict.isDropped() || stopped) {
            here.admission().release(verdict);
            child.unsafe().closeForcibly();
            return;
        }
        Target target = targets[next];
        next = next + 1 == targets.length ? 0 : next + 1;
        try {
            target.setup().apply(child, verdict);
        } catch (RuntimeException gone) {
            log.debug("{}: lost a connection while it was accepted", here.listener(), gone);
            here.admission().release(verdict);
            child.unsafe().closeForcibly();
            return;
        }
        target.loop()
                .register(child)
                .addListener(done -> {
                    if (done.isSuccess()) {
                        target.setup().registered(child);
                    } else {
                        here.admission().release(verdict);
                        child.unsafe().closeForcibly();
                    }
                });
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        Channel server = ctx.channel();
        if (!server.isOpen()) {
            return;
        }
        if (pauseMs == PAUSE_FIRST_MS) {
            log.warn(
                    "Listener {}: can't accept connections, pausing: {}",
                    targets[0].home().listener(),
                    cause.getMessage());
        }
        server.config().setAutoRead(false);
        ctx.executor()
                .schedule(
                        () -> {
                            if (!stopped) {
                                server.config().setAutoRead(true);
                            }
                        },
                        pauseMs,
                        TimeUnit.MILLISECONDS);
        pauseMs = Math.min(pauseMs * 2, PAUSE_MAX_MS);
    }

    /** Call on the server channel's thread: what the kernel still hands out is closed. */
    void stop() {
        stopped = true;
    }
}
