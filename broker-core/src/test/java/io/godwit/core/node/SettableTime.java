package io.godwit.core.node;

import io.godwit.core.time.TimeSource;

/** A clock that stands still until the test moves it. */
public final class SettableTime implements TimeSource {
    static final long WALL_START_MS = 1_700_000_000_000L;

    private long nowMs = 1_000_000;

    public void advance(long ms) {
        nowMs += ms;
    }

    @Override
    public long monotonicMs() {
        return nowMs;
    }

    @Override
    public long nanos() {
        return nowMs * 1_000_000;
    }

    @Override
    public long wallMs() {
        return WALL_START_MS + nowMs;
    }
}
