package io.godwit.cluster.node;

import io.godwit.cluster.transport.LinkSettings;
import io.godwit.core.time.TimeSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A thread of its own for links, where there is no shard. */
public final class OwnLinksThread implements LinksThread, Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(OwnLinksThread.class);

    private final TimeSource time;
    private final MpscUnboundedArrayQueue<Runnable> tasks = new MpscUnboundedArrayQueue<>(64);
    private final Thread thread =
            Thread.ofPlatform().daemon().name("cluster-links").unstarted(this);
    private volatile boolean closed;
    private @Nullable LongConsumer tick;

    public OwnLinksThread(TimeSource time) {
        this.time = time;
    }

    @Override
    public void start(LongConsumer tick) {
        this.tick = tick;
        thread.start();
    }

    @Override
    public void execute(Runnable task) {
        tasks.offer(task);
        LockSupport.unpark(thread);
    }

    @Override
    public void run() {
        long nextTickMs = time.monotonicMs();
        while (!closed) {
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                guarded(task);
            }
            long nowMs = time.monotonicMs();
            if (nowMs >= nextTickMs) {
                LongConsumer each = tick;
                if (each != null) {
                    guarded(() -> each.accept(nowMs));
                }
                nextTickMs = nowMs + LinkSettings.TICK_MS;
            }
            if (tasks.isEmpty()) {
                LockSupport.parkNanos(
                        TimeUnit.MILLISECONDS.toNanos(
                                Math.max(1, nextTickMs - time.monotonicMs())));
            }
        }
    }

    /** One thing that goes wrong ends neither the thread nor the other links. */
    private static void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            LOG.error("A fault in what is known of other nodes", e);
        }
    }

    @Override
    public void close() {
        execute(() -> closed = true);
        try {
            thread.join(TimeUnit.SECONDS.toMillis(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
