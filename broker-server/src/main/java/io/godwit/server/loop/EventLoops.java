package io.godwit.server.loop;

import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/** One event loop for each shard. */
public final class EventLoops {
    private final Transport transport;
    private final MultiThreadIoEventLoopGroup group;
    private final ShardEventLoop[] loops;

    public EventLoops(int shards, Transport transport, FaultHandler faults) {
        this.transport = transport;
        ThreadFactory threads = task -> new FastThreadLocalThread(task, "shard");
        group = new MultiThreadIoEventLoopGroup(shards, threads, transport.ioHandler());
        loops = new ShardEventLoop[shards];
        int i = 0;
        for (EventExecutor loop : group) {
            loops[i] = new ShardEventLoop(i, (SingleThreadEventLoop) loop, faults);
            i++;
        }
    }

    public Transport transport() {
        return transport;
    }

    public int count() {
        return loops.length;
    }

    public ShardEventLoop get(int shard) {
        return loops[shard];
    }

    /** For the broker: index = shard. */
    public ShardEventLoop[] all() {
        return loops.clone();
    }

    /**
     * Closes what is still open and ends the threads.
     *
     * @return whether they ended in time
     */
    public boolean stop(long timeoutMs) {
        group.shutdownGracefully(0, timeoutMs, TimeUnit.MILLISECONDS);
        return group.terminationFuture().awaitUninterruptibly(timeoutMs, TimeUnit.MILLISECONDS);
    }
}
