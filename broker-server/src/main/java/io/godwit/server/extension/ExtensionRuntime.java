package io.godwit.server.extension;

import io.godwit.extension.ExtensionInfo;
import io.godwit.extension.HealthReport;
import io.godwit.extension.service.ClientSetups;
import io.godwit.extension.service.ConnectionAttributes;
import io.godwit.extension.service.PublishService;
import io.godwit.extension.service.RetainedService;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.ScheduledExecutorService;

/** Runs the code of one loaded extension, and serves it. */
public interface ExtensionRuntime {
    /** Returns what runs the extension's own tasks, in threads of its own. */
    ScheduledExecutorService executor();

    /** Returns what publishes its messages. */
    PublishService publishes();

    /** Returns what takes its meters. */
    MeterRegistry meters();

    /** Returns what reads and changes retained messages. */
    RetainedService retained();

    /**
     * Has what it would be asked about wait, from now on until others run: it is stopped, and
     * another one is started in its place.
     */
    void pause();

    /** Returns what shows it the sessions of all nodes. */
    SessionServices sessions();

    /**
     * Waits until no call of it is under way. Nothing new is called: what it had registered was
     * withdrawn before.
     *
     * @return false: some are, and the time is over; they are given up
     */
    boolean awaitCalls(long timeoutMs) throws InterruptedException;

    /** Ends its threads. Called once, after {@code Extension.stop} has returned or was given up. */
    void close();

    /** Returns what changes its setups of clients. */
    ClientSetups setups();

    /** Returns what keeps notes about connections. */
    ConnectionAttributes attributes();

    /** Makes what runs an extension; called each time when one is loaded. */
    @FunctionalInterface
    interface Factory {
        /**
         * @param loader of its classes; the context class loader of each of its threads
         * @param callMs that a call may take
         * @param waiting calls that may wait
         * @param health is told when the extension cannot be called any more
         */
        ExtensionRuntime create(
                ExtensionInfo info,
                ExtensionThreads threads,
                ClassLoader loader,
                long callMs,
                int waiting,
                HealthReport health);
    }
}
