package io.godwit.core.session;

import io.godwit.core.mail.SessionMail;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.shard.Shard;
import io.godwit.core.shard.Sliced;
import java.util.LinkedHashMap;
import java.util.Map;

/** Entries that have become rows, on their way to the sessions that hold them; some at a time. */
final class RowsTold implements Sliced {
    private final SessionShard shard;
    private final QueuedMessage[] entries;
    private final Map<Session, Long> upTo = new LinkedHashMap<>();
    private int next;

    RowsTold(SessionShard shard, QueuedMessage[] entries) {
        this.shard = shard;
        this.entries = entries;
    }

    @Override
    public boolean slice() {
        int end = Math.min(entries.length, next + shard.overload().sliceSteps());
        for (; next < end; next++) {
            // Those of groups stay in memory; those of a gone connection's queue are gone.
            if (entries[next] instanceof QueueEntry entry
                    && entry.stored() == QueuedMessage.ROW
                    && entry.session() instanceof Session session) {
                upTo.merge(session, entry.messageId, Math::max);
            }
        }
        upTo.forEach((session, id) -> shard.send(session.owner(), new RowsMail(session, id)));
        upTo.clear();
        return next == entries.length;
    }

    /** To a session: its entries up to this id are rows. */
    private static final class RowsMail extends SessionMail<Session> {
        private final long upTo;

        RowsMail(Session session, long upTo) {
            super(session);
            this.upTo = upTo;
        }

        @Override
        public boolean deliver(Shard at) {
            session.onRows(upTo);
            return true;
        }
    }
}
