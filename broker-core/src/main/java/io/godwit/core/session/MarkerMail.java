package io.godwit.core.session;

import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;

/**
 * The markers of a hand-over: each shard's last word to the old owner, which passes it on to the
 * new one.
 */
final class MarkerMail {
    private MarkerMail() {}

    /** From the old owner to every shard: from now on the session is elsewhere. */
    static final class Request extends Mail {
        private final Session session;
        private final int oldOwner;

        Request(Session session, int oldOwner) {
            this.session = session;
            this.oldOwner = oldOwner;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            at.send(oldOwner, new Marker(session, at.index()));
            return true;
        }
    }

    /** Behind everything that {@code origin} has sent to the old owner. */
    private static final class Marker extends Mail {
        private final Session session;
        private final int origin;

        Marker(Session session, int origin) {
            this.session = session;
            this.origin = origin;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            if (session.owner() == at.index()) {
                session.onMarker(origin);
            } else {
                at.send(session.owner(), this);
            }
            return true;
        }
    }
}
