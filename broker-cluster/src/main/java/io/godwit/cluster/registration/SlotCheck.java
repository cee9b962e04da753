package io.godwit.cluster.registration;

import io.godwit.core.time.Timer;
import java.util.function.BooleanSupplier;

/** Looks again and again, as long as there is something to wait for. */
final class SlotCheck extends Timer {
    private final ShardTurns turns;
    private final long periodMs;
    private final BooleanSupplier look;

    /**
     * @param look returns whether to look again
     */
    SlotCheck(ShardTurns turns, long periodMs, BooleanSupplier look) {
        this.turns = turns;
        this.periodMs = periodMs;
        this.look = look;
    }

    void begin() {
        if (!isArmed()) {
            turns.arm(this, turns.nowMs() + periodMs);
        }
    }

    @Override
    protected void onTimer(long nowMs) {
        if (look.getAsBoolean()) {
            begin();
        }
    }
}
