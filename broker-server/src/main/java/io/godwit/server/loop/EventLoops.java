package io.godwit.server.loop;

import java.util.concurrent.TimeUnit;

/** One event loop for each shard. */
public final class EventLoops {
    private final Transport transport;
    private final ShardEventLoop[] loops;

    public EventLoops(int shards, Transport transport, FaultHandler faults) {
        this.transport = transport;
        loops = new ShardEventLoop[shards];
        for (int i = 0; i < shards; i++) {
            loops[i] = new ShardEventLoop(i, transport.ioHandler(), faults);
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

    /** The event loops in the order of the shards. */
    public ShardEventLoop[] all() {
        return loops.clone();
    }

    /**
     * Closes what is still open and ends the threads.
     *
     * @return whether they ended in time
     */
    public boolean stop(long timeoutMs) {
        for (ShardEventLoop loop : loops) {
            loop.shutdownGracefully(0, timeoutMs, TimeUnit.MILLISECONDS);
        }
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        boolean ended = true;
        for (ShardEventLoop loop : loops) {
            long left = Math.max(0, deadline - System.nanoTime());
            ended &= loop.terminationFuture().awaitUninterruptibly(left, TimeUnit.NANOSECONDS);
        }
        return ended;
    }
}
