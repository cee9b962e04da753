package io.godwit.core.session;

/** What the store tells of a session's queue, on its way to the session's owner. */
final class QueueMail {
    private QueueMail() {}

    /** Entries up to this id are rows. */
    static final class Rows extends SessionMail {
        private final long upTo;

        Rows(Session session, long upTo) {
            super(session);
            this.upTo = upTo;
        }

        @Override
        boolean deliver(SessionShard at) {
            session.onRows(upTo);
            return true;
        }
    }

    /** These rows have expired. */
    static final class Expired extends SessionMail {
        private final long[] messageIds;

        Expired(Session session, long[] messageIds) {
            super(session);
            this.messageIds = messageIds;
        }

        @Override
        boolean deliver(SessionShard at) {
            session.onRowsExpired(messageIds);
            return true;
        }
    }
}
