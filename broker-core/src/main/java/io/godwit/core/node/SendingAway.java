package io.godwit.core.node;

import io.godwit.core.session.ClientLink;
import io.godwit.core.session.Goodbye;
import io.godwit.core.session.Session;
import io.godwit.core.session.SessionList;
import io.godwit.core.shard.Shard;
import io.godwit.core.time.Timer;
import java.util.ArrayList;
import java.util.List;

/**
 * Sends the clients of one shard with durable sessions to other nodes, some at a time: as many as
 * come to them by then, each of which is without a node for the time that its own session takes.
 * Sent away together, the last one would wait for all others' sessions. Clients that do not come to
 * another node soon are not waited for. On the shard's thread.
 */
final class SendingAway {
    /** So many clients of a shard are on their way at a time. */
    private static final int ON_THEIR_WAY = 16;

    /** When nobody has arrived anywhere for so long the next are sent. */
    private static final long WAIT_MS = 500;

    /** Sessions that are passed before other work has its turn. */
    private static final int SLICE = 500;

    private final Shard shard;
    private final Goodbye goodbye;
    private final long allByMs;
    private final Runnable whenDone;
    private final SessionList.Steps steps;

    /**
     * Some may have gone to another shard meanwhile: of these nothing but the state is looked at.
     */
    private final List<Session> onTheirWay = new ArrayList<>();

    private long arrivedMs;
    private boolean atOnce;

    private final Timer timer =
            new Timer() {
                @Override
                protected void onTimer(long nowMs) {
                    look(nowMs);
                }
            };

    /**
     * @param allByMs in the shard's milliseconds: who is there then goes at once
     */
    SendingAway(
            Shard shard, SessionList sessions, Goodbye goodbye, long allByMs, Runnable whenDone) {
        this.shard = shard;
        this.goodbye = goodbye;
        this.allByMs = allByMs;
        this.whenDone = whenDone;
        arrivedMs = shard.nowMs();
        steps = sessions.steps(this::send);
    }

    void begin() {
        look(shard.nowMs());
    }

    private void look(long nowMs) {
        if (onTheirWay.removeIf(each -> !each.life().isOffline())) {
            arrivedMs = nowMs;
        } else if (nowMs - arrivedMs >= WAIT_MS) {
            onTheirWay.clear();
            arrivedMs = nowMs;
        }
        atOnce = nowMs >= allByMs;
        shard.slice(this::sendSome);
    }

    /** Passes some sessions, most of which may have no client. True when the next look goes on. */
    private boolean sendSome() {
        for (int i = 0; i < SLICE; i++) {
            if (!atOnce && onTheirWay.size() >= ON_THEIR_WAY) {
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
            if (session.life().isOffline()) {
                onTheirWay.add(session);
            }
        }
    }
}
