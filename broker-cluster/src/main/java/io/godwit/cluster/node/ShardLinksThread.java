package io.godwit.cluster.node;

import io.godwit.cluster.transport.LinkSettings;
import io.godwit.core.shard.Shard;
import io.godwit.core.time.Timer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * A shard's own thread: what changes links is its mail, their time is its timers. There are a few
 * for each peer and tick; messages pass it by.
 */
public final class ShardLinksThread implements LinksThread {
    private static final long CLOSE_SECONDS = 5;

    private final Shard shard;
    private volatile boolean closed;

    public ShardLinksThread(Shard shard) {
        this.shard = shard;
    }

    @Override
    public void execute(Runnable task) {
        shard.execute(task);
    }

    @Override
    public void start(LongConsumer tick) {
        Timer timer =
                new Timer() {
                    @Override
                    protected void onTimer(long nowMs) {
                        if (!closed) {
                            tick.accept(nowMs);
                            shard.timers().arm(this, nowMs + LinkSettings.TICK_MS);
                        }
                    }
                };
        shard.execute(() -> shard.timers().arm(timer, shard.nowMs()));
    }

    @Override
    public void close() {
        closed = true;
        CountDownLatch over = new CountDownLatch(1);
        shard.execute(over::countDown);
        try {
            over.await(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
