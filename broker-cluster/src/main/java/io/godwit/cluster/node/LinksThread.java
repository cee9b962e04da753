package io.godwit.cluster.node;

import java.util.function.LongConsumer;

/** The one thread that links and membership live on. */
public interface LinksThread {
    /** Runs a task there, after those of earlier calls; from any thread. */
    void execute(Runnable task);

    /**
     * Begins to call, on that thread.
     *
     * @param tick called with monotonic milliseconds about every {@link
     *     io.godwit.cluster.transport.LinkSettings#TICK_MS}
     */
    void start(LongConsumer tick);

    /** Ends the calls; returns when the tasks that are there have run, or after some seconds. */
    void close();
}
