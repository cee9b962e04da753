package io.godwit.cluster.node;

import io.godwit.cluster.transport.Endpoint;
import io.godwit.cluster.transport.LinkThreads;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends to one endpoint: the only thread that may have to wait for it. */
final class SendingThread implements LinkThreads.Sending, Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(SendingThread.class);

    private final BooleanSupplier step;
    private final AtomicBoolean asleep = new AtomicBoolean();
    private final Thread thread;
    private volatile boolean stopped;

    SendingThread(Endpoint to, BooleanSupplier step) {
        this.step = step;
        thread = Thread.ofPlatform().daemon().name("cluster-send-" + to).start(this);
    }

    @Override
    public void run() {
        while (!stopped) {
            if (!step()) {
                asleep.set(true);
                // Looked at once more: who came before saw a thread that was awake.
                if (!step() && !stopped) {
                    while (asleep.get() && !stopped) {
                        LockSupport.park(this);
                    }
                } else {
                    asleep.set(false);
                }
            }
        }
    }

    private boolean step() {
        try {
            return step.getAsBoolean();
        } catch (RuntimeException e) {
            LOG.error("Internal error while sending to another node", e);
            return false;
        }
    }

    @Override
    public void wake() {
        if (asleep.get() && asleep.compareAndSet(true, false)) {
            LockSupport.unpark(thread);
        }
    }

    @Override
    public void stop() {
        stopped = true;
        LockSupport.unpark(thread);
    }
}
