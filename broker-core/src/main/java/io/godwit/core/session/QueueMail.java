package io.godwit.core.session;

import io.godwit.core.id.HybridId;
import io.godwit.core.mail.SessionMail;
import io.godwit.core.queue.QueueEntry;
import io.godwit.core.queue.QueueOwner;
import io.godwit.core.queue.QueuePost;
import io.godwit.core.shard.Mailer;
import io.godwit.core.shard.Shard;

/** Mail from a shard's store about queues, to the sessions that have them now. */
public final class QueueMail implements QueuePost {
    private final Mailer mailer;

    public QueueMail(Mailer mailer) {
        this.mailer = mailer;
    }

    @Override
    public void appendDone(QueueOwner to, QueueEntry entry, boolean isKept) {
        Session session = (Session) to;
        if (session.isHere(mailer.index())) {
            session.onAppendDone(entry, isKept);
        } else {
            mailer.send(session.owner(), new AppendDone(session, entry, isKept));
        }
    }

    @Override
    public void rowsWritten(QueueOwner to, HybridId upTo) {
        Session session = (Session) to;
        mailer.send(session.owner(), new Rows(session, upTo));
    }

    private static final class AppendDone extends SessionMail<Session> {
        private final QueueEntry entry;
        private final boolean isKept;

        AppendDone(Session session, QueueEntry entry, boolean isKept) {
            super(session);
            this.entry = entry;
            this.isKept = isKept;
        }

        @Override
        public boolean deliver(Shard at) {
            session.onAppendDone(entry, isKept);
            return true;
        }
    }

    /** Tells a session that the entries of its queue up to this id are rows. */
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
