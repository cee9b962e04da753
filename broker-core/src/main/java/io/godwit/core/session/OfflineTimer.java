package io.godwit.core.session;

import io.godwit.core.time.Timer;

/** Runs while a session is offline: for its will's delay, then for its expiry. */
final class OfflineTimer extends Timer {
    /** Is told that the time has come. */
    interface Listener {
        /**
         * @param offlineMs how long the session has been offline, by the monotonic clock
         */
        void onOfflineTimer(long offlineMs);
    }

    private final Listener listener;
    private final long sinceMs;

    /**
     * @param sinceMs monotonic milliseconds at which the session went offline
     */
    OfflineTimer(Listener listener, long sinceMs) {
        this.listener = listener;
        this.sinceMs = sinceMs;
    }

    long sinceMs() {
        return sinceMs;
    }

    @Override
    protected void onTimer(long nowMs) {
        listener.onOfflineTimer(nowMs - sinceMs);
    }
}
