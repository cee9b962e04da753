package io.godwit.core.session;

import io.godwit.core.time.Timer;

/** Runs while a session is offline: for its will's delay, then for its expiry. */
final class OfflineTimer extends Timer {
    private final Session session;
    private final long sinceMs;

    /**
     * @param sinceMs monotonic milliseconds at which the session went offline
     */
    OfflineTimer(Session session, long sinceMs) {
        this.session = session;
        this.sinceMs = sinceMs;
    }

    long sinceMs() {
        return sinceMs;
    }

    @Override
    protected void onTimer(long nowMs) {
        session.onOfflineTimer(nowMs - sinceMs);
    }
}
