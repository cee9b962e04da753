package io.godwit.benchmarks.load.relay;

import io.godwit.cluster.node.LinksThread;
import io.godwit.cluster.transport.LinkSettings;
import io.godwit.core.time.TimeSource;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/** The thread of the links where there is no shard: an executor with one thread. */
final class TimerLinksThread implements LinksThread {
    private final TimeSource time;
    private final ScheduledExecutorService executor =
            Executors.newSingleThreadScheduledExecutor(
                    task -> Thread.ofPlatform().daemon().name("links").unstarted(task));

    TimerLinksThread(TimeSource time) {
        this.time = time;
    }

    @Override
    public void execute(Runnable task) {
        executor.execute(task);
    }

    @Override
    public void start(LongConsumer tick) {
        executor.scheduleAtFixedRate(
                () -> tick.accept(time.monotonicMs()),
                0,
                LinkSettings.TICK_MS,
                TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        executor.shutdown();
    }
}
