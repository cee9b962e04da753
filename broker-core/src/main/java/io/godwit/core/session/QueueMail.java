package io.godwit.core.session;

import io.godwit.core.id.HybridId;
import io.godwit.core.mail.SessionMail;
import io.godwit.core.queue.QueueEntry;
import io.godwit.core.queue.QueueOwner;
import io.godwit.core.queue.QueuePost;
import io.godwit.core.shard.Mailer;
import io.godwit.core.shard.Shard;

/** What a shard's store has to say about queues, on its way to the sessions that have them now. */
public final class QueueMail implements QueuePost {
    private final Mailer mailer;

    public QueueMail(Mailer mailer) {
        this.mailer = mailer;
    }

    @Override
    public void appendDone(QueueOwner to, QueueEntry entry, boolean durable) {
        Session session = (Session) to;
        if (session.isHere(mailer.index())) {
            session.onAppendDone(entry, durable);
        } else {
            mailer.send(session.owner(), new AppendDone(session, entry, durable));
        }
    }

    @Override
    public void rowsWritten(QueueOwner to, HybridId upTo) {
        Session session = (Session) to;
        mailer.send(session.owner(), new Rows(session, upTo));
    }

    private static final class AppendDone extends SessionMail<Session> {
        private final QueueEntry entry;
        private final boolean durable;

        AppendDone(Session session, QueueEntry entry, boolean durable) {
            super(session);
            this.entry = entry;
            this.durable = durable;
        }

        @Override
        public boolean deliver(Shard at) {
            session.onAppendDone(entry, durable);
            return true;
        }
    }

    /** Entries up to this id are rows. */
    private static final class Rows extends SessionMail<Session> {
        private final HybridId upTo;

        Rows(Session session, HybridId upTo) {
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
