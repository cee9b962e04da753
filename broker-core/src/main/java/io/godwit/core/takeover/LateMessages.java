package io.godwit.core.takeover;

import io.godwit.core.ack.Receipt;
import io.godwit.core.id.IngressId;
import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.session.Session;
import io.godwit.core.settings.Rule;
import io.godwit.core.shard.Shard;
import io.godwit.core.store.SessionMoves;
import io.godwit.core.time.Timer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Messages that came for a session where it was before: they go after it, and come to it here. */
final class LateMessages {
    /**
     * What was sent again over a link that was silent for a while comes within so long, though its
     * sender has heard meanwhile that it is there.
     */
    private static final long AGAIN_MS = 5_000;

    private final Shard shard;
    private final Errands<?> errands;
    private final SessionsByGrant arrived;
    private final SessionsByGrant copies;
    private final EarlyMessages early;

    LateMessages(
            Shard shard,
            Errands<?> errands,
            SessionsByGrant arrived,
            SessionsByGrant copies,
            EarlyMessages early) {
        this.shard = shard;
        this.errands = errands;
        this.arrived = arrived;
        this.copies = copies;
        this.early = early;
    }

    /** A message of a session that was given. @see Homes#forward */
    void forward(
            Session session,
            Message message,
            int qos,
            boolean retain,
            int[] ids,
            @Nullable Receipt receipt) {
        SessionMoves.Given to = session.life().moves().given();
        if (to == null || to.equals(SessionMoves.Given.ASIDE)) {
            Receipt.done(receipt); // It was routed before the session was set aside.
        } else if (qos > 0) {
            errands.homes()
                    .forward(
                            to,
                            new Forwarded(session.clientId(), message, qos, retain, ids),
                            receipt);
        }
    }

    /**
     * See {@link Answers#forwarded}.
     *
     * @param isBack see {@link Answers#forwardedBack}
     */
    void forwarded(long changes, Forwarded what, @Nullable Receipt receipt, boolean isBack) {
        Session to = arrived.latest(what.clientId(), changes);
        if (to == null) {
            to = copies.latest(what.clientId(), changes + 1); // It has gone on since.
        }
        if (to == null) {
            to = errands.registrar().find(what.clientId());
        }
        if (to != null) {
            deliver(to, changes, what, receipt, isBack);
        } else {
            early.add(changes, what, receipt);
        }
    }

    /** See {@link Answers#over}. One that has gone on from here tells its next home in turn. */
    void over(ClientId clientId, List<IngressId> publishes) {
        List<Session> all = new ArrayList<>(arrived.all(clientId));
        all.addAll(copies.all(clientId));
        for (Session each : all) {
            errands.atOwnerInTurn(each, session -> session.forgetIngress(publishes));
        }
    }

    /**
     * Runs a task when nothing comes any more that a session has taken: directly, of what its
     * former home has passed on, or for a second time.
     */
    void whenGone(Session session, Runnable task) {
        Timer again = Timer.of(nowMs -> errands.homes().whenNothingComesAgain(session, task));
        shard.timers().arm(again, shard.nowMs() + AGAIN_MS);
    }

    /** The session of that grant has come. */
    void arrived(Session session, long changes) {
        early.take(
                session.clientId(),
                changes,
                (what, receipt) -> deliver(session, changes, what, receipt, false));
    }

    /**
     * What a former home passes on comes behind what is given to a session itself that is back: it
     * may be newer.
     */
    private void deliver(
            Session session,
            long changes,
            Forwarded what,
            @Nullable Receipt receipt,
            boolean isBack) {
        Message message = what.message();
        if (isBack) {
            errands.atOwner(
                    session,
                    to -> to.deliverBack(message, what.qos(), what.retain(), what.ids(), receipt));
            return;
        }
        Consumer<Session> word =
                to ->
                        to.deliverRound(
                                changes, message, what.qos(), what.retain(), what.ids(), receipt);
        if (shard.rules().holds(Rule.RETURN_WAITS)) {
            errands.atOwnerInTurn(session, word);
        } else {
            errands.atOwner(session, word);
        }
    }
}
