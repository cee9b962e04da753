package io.godwit.benchmarks.load.relay;

import io.godwit.core.time.TimeSource;

/** The machine's clocks as they are. */
record MachineTime() implements TimeSource {
    @Override
    public long monotonicMs() {
        return System.nanoTime() / 1_000_000;
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public long wallMs() {
        return System.currentTimeMillis();
    }
}
