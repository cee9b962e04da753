package io.godwit.cluster.transport;

import java.util.function.BooleanSupplier;

/** The threads that links run on: real ones, or the simulator's scheduler. */
public interface LinkThreads {
    /** Runs a task on the thread of the links, after those of earlier calls; from any thread. */
    void execute(Runnable task);

    /**
     * Starts a thread that sends to one endpoint.
     *
     * @param step sends one frame, and may wait for it; false when there was nothing to send: it is
     *     called again after {@link Sending#wake}
     */
    Sending startSending(Endpoint to, BooleanSupplier step);

    /** A thread that sends. */
    interface Sending {
        /** There may be something to send; from any thread, cheap when it is awake already. */
        void wake();

        /** It ends after the step that runs now. */
        void stop();
    }
}
