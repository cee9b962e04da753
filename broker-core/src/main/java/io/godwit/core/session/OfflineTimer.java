package io.godwit.core.session;

import io.godwit.core.time.Timer;

/** Runs while a session is offline: for its will's delay, then for its expiry. */
final class OfflineTimer extends Timer {
    private final SessionLife life;
    private final long sinceMs;

    /**
     * @param sinceMs monotonic milliseconds at which the session went offline
     */
    OfflineTimer(SessionLife life, long sinceMs) {
        this.life = life;
        this.sinceMs = sinceMs;
    }

    long sinceMs() {
        return sinceMs;
    }

    @Override
    protected void onTimer(long nowMs) {
        life.onOfflineTimer(nowMs - sinceMs);
    }
}
