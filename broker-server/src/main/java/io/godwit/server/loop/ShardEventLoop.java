package io.godwit.server.loop;

import io.godwit.core.shard.LoopShard;
import io.godwit.core.shard.Shard;
import io.godwit.core.shard.ShardLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.concurrent.RejectedExecutionHandlers;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The event loop that runs one shard. Each iteration is one turn of the shard:
 *
 * <pre>
 * ready sockets | tasks and timers | mail, one slice | end of the turn
 * </pre>
 *
 * Mail and turn end are flags and no tasks: whatever mail arrives meanwhile, and however much is
 * left of it, the sockets have their turn before the next slice, and nothing is allocated to ask.
 */
public final class ShardEventLoop extends SingleThreadIoEventLoop implements ShardLoop {
    /** How long tasks may keep the sockets waiting; Netty looks at the clock every 64 tasks. */
    private static final long TASKS_MS = 5;

    private final int index;
    private final FaultHandler faults;
    private @Nullable LoopShard shard;
    private volatile boolean mailWaits;
    private boolean turnEnds;
    private boolean ending;

    ShardEventLoop(int index, IoHandlerFactory ioHandler, FaultHandler faults) {
        super(
                (IoEventLoopGroup) null,
                (ThreadFactory) task -> new FastThreadLocalThread(task, "shard-" + index),
                ioHandler,
                Integer.MAX_VALUE,
                RejectedExecutionHandlers.reject(),
                TASKS_MS);
        this.index = index;
        this.faults = faults;
    }

    /** Lets the shard live here; called once, before any socket is accepted. */
    public void start(LoopShard shard) {
        execute(() -> this.shard = shard);
        // A delay, not a rate: after a pause of the machine one tick is enough.
        scheduleWithFixedDelay(this::tick, Shard.TICK_MS, Shard.TICK_MS, TimeUnit.MILLISECONDS);
    }

    /** Netty ends the loop of a thread that meets an error outside of all handlers. */
    @Override
    protected void run() {
        try {
            super.run();
        } catch (Throwable fault) {
            onFault(fault);
            throw fault;
        }
    }

    /** Tells of a fault that the shard's state may not have survived. */
    public void onFault(Throwable fault) {
        faults.onFault(index, fault);
    }

    private void tick() {
        LoopShard shard = this.shard;
        if (shard != null) {
            try {
                shard.onTick();
            } catch (Throwable fault) {
                onFault(fault);
            }
        }
    }

    @Override
    protected void afterRunningAllTasks() {
        super.afterRunningAllTasks();
        LoopShard shard = this.shard;
        if (shard == null) {
            return; // what was asked for is done when it is there
        }
        try {
            if (mailWaits) {
                mailWaits = false;
                shard.onMail();
            }
            if (turnEnds) {
                turnEnds = false;
                shard.onTurnEnd();
            }
        } catch (Throwable fault) {
            onFault(fault);
        }
    }

    /** Whether the loop may not sleep. */
    @Override
    protected boolean hasTasks() {
        return super.hasTasks() || mailWaits || turnEnds;
    }

    /**
     * Netty closes the channels at the beginning of a turn, and without a quiet period may end in
     * the very turn in which it was told to: then they would stay open. So one turn more.
     */
    @Override
    protected boolean confirmShutdown() {
        if (isShuttingDown() && !ending) {
            ending = true;
            execute(() -> {}); // the next turn must not wait for sockets
            return false;
        }
        return super.confirmShutdown();
    }

    @Override
    public void wakeup() {
        mailWaits = true;
        if (!inEventLoop()) {
            wakeup(false);
        }
    }

    @Override
    public void endTurnSoon() {
        turnEnds = true;
    }

    @Override
    public void gatherFor(int ms) {
        schedule(this::gathered, ms, TimeUnit.MILLISECONDS);
    }

    private void gathered() {
        LoopShard shard = this.shard;
        if (shard != null) {
            try {
                shard.onGathered();
            } catch (Throwable fault) {
                onFault(fault);
            }
        }
    }

    @Override
    public boolean isInside() {
        return inEventLoop();
    }
}
