package io.godwit.core.session;

import io.godwit.core.shard.Shard;
import org.jspecify.annotations.Nullable;

/**
 * When something is due of a session while it is offline: its will after the delay, its end after
 * the expiry. A class of its own, and no object, since every session has one.
 */
abstract class ExpiringSession extends RecordedSession implements OfflineTimer.Listener {
    /** Session Expiry Interval that never ends. */
    public static final long NEVER = 0xFFFF_FFFFL;

    private long expirySeconds;
    private @Nullable OfflineTimer timer;

    ExpiringSession(Session session, long expirySeconds) {
        super(session, session.context().serverId());
        this.expirySeconds = expirySeconds;
    }

    final Shard shard() {
        return session.context().shard();
    }

    @Override
    public final long expirySeconds() {
        return expirySeconds;
    }

    final void expiresAfter(long seconds) {
        expirySeconds = seconds;
    }

    /** Whether the timer would have something to do after so long offline. */
    public final boolean isDue(long offlineMs) {
        return isExpired(offlineMs) || offlineMs >= willDelayMs();
    }

    /**
     * Milliseconds offline after which the will is published here. Clients of a node that leaves
     * were told to go elsewhere: one without delay is not, unless the session stays.
     */
    final long willDueMs() {
        return isWillSuppressed() ? Long.MAX_VALUE : willDelayMs();
    }

    final boolean isWillSuppressed() {
        return session.context().isNodeLeaving() && willDelayMs() == 0;
    }

    final boolean isExpired(long offlineMs) {
        return expirySeconds != NEVER && offlineMs >= expirySeconds * 1000;
    }

    /**
     * Arms the timer for the next of will delay and expiry.
     *
     * @param sinceMs monotonic milliseconds at which it went offline; counts when no timer runs yet
     */
    final void armTimer(long sinceMs) {
        long expiryMs = expirySeconds == NEVER ? Long.MAX_VALUE : expirySeconds * 1000;
        long afterMs = Math.min(expiryMs, willDueMs());
        if (afterMs == Long.MAX_VALUE) {
            return;
        }
        OfflineTimer armed = timer;
        if (armed == null) {
            armed = new OfflineTimer(this, sinceMs);
            timer = armed;
        }
        shard().timers().arm(armed, armed.sinceMs() + afterMs);
    }

    final void cancelTimer() {
        OfflineTimer armed = timer;
        if (armed != null) {
            shard().timers().cancel(armed);
            timer = null;
        }
    }

    /** Does what is due, though the tick, or the start, has not come to it. */
    final void runTimerNow() {
        OfflineTimer armed = timer;
        if (armed != null) {
            onOfflineTimer(shard().nowMs() - armed.sinceMs());
        }
    }
}
