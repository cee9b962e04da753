package io.godwit.core.node;

import io.godwit.core.session.ClientLink;
import io.godwit.core.session.Goodbye;
import io.godwit.core.session.Session;
import io.godwit.core.session.SessionList;
import io.godwit.core.shard.Shard;
import io.godwit.core.time.Timer;

/**
 * Sends the clients of one shard with durable sessions to other nodes, some with each tick, so that
 * they do not all come there at one moment. On the shard's thread.
 */
final class SendingAway {
    /** So many clients of a shard are sent at a time, or more when the time would not be enough. */
    private static final long AT_A_TIME = 16;

    /** Sessions that are passed before other work has its turn. */
    private static final int SLICE = 500;

    private final Shard shard;
    private final Goodbye goodbye;
    private final long allByMs;
    private final Runnable whenDone;
    private final SessionList.Steps steps;
    private final long atATime;
    private long left;

    private final Timer timer =
            new Timer() {
                @Override
                protected void onTimer(long nowMs) {
                    begin();
                }
            };

    /**
     * @param clients how many there are, about
     * @param mostMs in which all of them go
     */
    SendingAway(
            Shard shard,
            SessionList sessions,
            Goodbye goodbye,
            long clients,
            long mostMs,
            Runnable whenDone) {
        this.shard = shard;
        this.goodbye = goodbye;
        this.allByMs = shard.nowMs() + mostMs;
        this.whenDone = whenDone;
        long ticks = Math.max(1, mostMs / Shard.TICK_MS);
        atATime = Math.max(AT_A_TIME, (clients + ticks - 1) / ticks);
        steps = sessions.steps(this::send);
    }

    /** Sends the first clients; the others follow. */
    void begin() {
        left = shard.nowMs() >= allByMs ? Long.MAX_VALUE : atATime;
        shard.slice(this::sendSome);
    }

    /** Passes some sessions, most of which may have no client. True when a timer goes on. */
    private boolean sendSome() {
        for (int i = 0; i < SLICE; i++) {
            if (left == 0) {
                shard.timers().arm(timer, shard.nowMs() + Shard.TICK_MS);
                return true;
            }
            if (steps.next()) {
                whenDone.run();
                return true;
            }
        }
        return false;
    }

    private void send(Session session) {
        ClientLink link = session.connection();
        if (link != null) {
            session.life().sendElsewhere(goodbye);
            left--;
        }
    }
}
