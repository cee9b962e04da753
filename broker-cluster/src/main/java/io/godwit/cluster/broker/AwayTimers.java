package io.godwit.cluster.broker;

import io.godwit.core.shard.Shard;
import io.godwit.core.time.Timer;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;

/** Nodes whose link has ended, until another has come or they count as away. */
final class AwayTimers {
    private final Shard shard;
    private final long timeoutMs;
    private final BooleanSupplier wasPaused;
    private final IntConsumer whenAway;
    private final Map<Integer, Timer> timers = new HashMap<>();

    /**
     * @param wasPaused whether time has passed in which this node did not run: {@link #again}
     *     follows
     * @param whenAway told the server of a node when its time is over
     */
    AwayTimers(Shard shard, long timeoutMs, BooleanSupplier wasPaused, IntConsumer whenAway) {
        this.shard = shard;
        this.timeoutMs = timeoutMs;
        this.wasPaused = wasPaused;
        this.whenAway = whenAway;
    }

    void begin(int server) {
        end(server);
        Timer timer =
                new Timer() {
                    @Override
                    protected void onTimer(long nowMs) {
                        if (!wasPaused.getAsBoolean()) {
                            timers.remove(server);
                            whenAway.accept(server);
                        }
                    }
                };
        timers.put(server, timer);
        arm(timer);
    }

    void end(int server) {
        Timer timer = timers.remove(server);
        if (timer != null) {
            shard.timers().cancel(timer);
        }
    }

    /** What has passed so far does not count. */
    void again() {
        for (Timer timer : timers.values()) {
            shard.timers().cancel(timer);
            arm(timer);
        }
    }

    private void arm(Timer timer) {
        shard.timers().arm(timer, shard.nowMs() + timeoutMs);
    }
}
