package io.godwit.server.loop;

import io.godwit.core.shard.Shard;
import io.godwit.core.shard.ShardLoop;
import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadEventLoop;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The event loop that runs one shard: its mail, its ticks and the end of its turns. */
public final class ShardEventLoop implements ShardLoop {
    private final int index;
    private final SingleThreadEventLoop loop;
    private final FaultHandler faults;
    private final Runnable mail = () -> run(Shard::onMail);
    private final Runnable turnEnd = () -> run(Shard::onTurnEnd);
    private @Nullable Shard shard;

    ShardEventLoop(int index, SingleThreadEventLoop loop, FaultHandler faults) {
        this.index = index;
        this.loop = loop;
        this.faults = faults;
    }

    private interface Step {
        void on(Shard shard);
    }

    /** Lets the shard live here; called once, before any socket is accepted. */
    public void start(Shard shard) {
        loop.execute(() -> {
            Thread.currentThread().setName("shard-" + index);
            this.shard = shard;
        });
        // A delay, not a rate: after a pause of the machine one tick is enough.
        loop.scheduleWithFixedDelay(
                () -> run(Shard::onTick), Shard.TICK_MS, Shard.TICK_MS, TimeUnit.MILLISECONDS);
    }

    private void run(Step step) {
        Shard shard = this.shard;
        if (shard == null) {
            return;
        }
        try {
            step.on(shard);
        } catch (Throwable fault) {
            faults.onFault(index, fault);
        }
    }

    public EventLoop eventLoop() {
        return loop;
    }

    @Override
    public void wakeup() {
        try {
            loop.execute(mail);
        } catch (RejectedExecutionException stopped) {
            // The loop has ended: so has everything that the mail was for.
        }
    }

    @Override
    public void endTurnSoon() {
        // After the ready sockets and the tasks of this iteration, mail among them.
        loop.executeAfterEventLoopIteration(turnEnd);
    }

    @Override
    public boolean isInside() {
        return loop.inEventLoop();
    }
}
