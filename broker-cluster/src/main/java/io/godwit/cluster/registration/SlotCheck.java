package io.godwit.cluster.registration;

import io.godwit.core.time.Timer;
import java.util.function.BooleanSupplier;

/** Repeats a look after a period, as long as the look asks for more. */
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
