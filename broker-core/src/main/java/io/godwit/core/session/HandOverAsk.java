package io.godwit.core.session;

import io.godwit.core.group.HandOverAnswer;
import io.godwit.core.id.IngressId;
import io.godwit.core.mail.SessionMail;
import io.godwit.core.queue.ClientQueue;
import io.godwit.core.shard.Shard;
import org.jspecify.annotations.Nullable;

/** Asks a session whether its queue has, or had, what a group was handing over to it. */
public final class HandOverAsk extends SessionMail<Session> {
    private final IngressId id;
    private final Taker taker;

    /** Takes what a session says of an entry that a group was handing over to it. */
    public interface Taker {
        /**
         * Called once, on any thread.
         *
         * @param session null when it is not at this node
         */
        void answered(HandOverAnswer answer, @Nullable Session session);
    }

    /**
     * @param id of the hand-over
     */
    public HandOverAsk(Session session, IngressId id, Taker taker) {
        super(session);
        this.id = id;
        this.taker = taker;
    }

    @Override
    public boolean deliver(Shard at) {
        if (session.isEnded()) {
            answer(session.isElsewhere() ? HandOverAnswer.UNKNOWN : HandOverAnswer.GONE);
            return true;
        }
        ClientQueue queue = session.queueIfMade();
        if (queue == null || !queue.whenHad(id.server(), id.counter(), this::isKept)) {
            answer(HandOverAnswer.NO);
        }
        return true;
    }

    private void isKept(boolean isKept) {
        boolean isSure = isKept && !session.isElsewhere();
        answer(isSure ? HandOverAnswer.YES : HandOverAnswer.UNKNOWN);
    }

    private void answer(HandOverAnswer answer) {
        taker.answered(answer, session);
    }
}
