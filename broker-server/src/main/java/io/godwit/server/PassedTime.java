package io.godwit.server;

import io.godwit.core.time.TimeSource;
import java.util.function.LongSupplier;

/**
 * A time that a test moves ahead. How long turns last is measured by the machine's alone.
 *
 * @param passedMs by how much it is ahead; never falls
 */
record PassedTime(TimeSource machine, LongSupplier passedMs) implements TimeSource {
    @Override
    public long monotonicMs() {
        return machine.monotonicMs() + passedMs.getAsLong();
    }

    @Override
    public long nanos() {
        return machine.nanos();
    }

    @Override
    public long cpuNanos() {
        return machine.cpuNanos();
    }

    @Override
    public long wallMs() {
        return machine.wallMs() + passedMs.getAsLong();
    }

    @Override
    public long sureMs() {
        return machine.sureMs() + passedMs.getAsLong();
    }
}
