package io.godwit.core.takeover;

import io.godwit.core.session.Session;
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
        private final Takeover[] peers;
        private final Session session;
        private final int oldOwner;

        Request(Takeover[] peers, Session session, int oldOwner) {
            this.peers = peers;
            this.session = session;
            this.oldOwner = oldOwner;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            at.send(oldOwner, new Marker(peers, session, at.index()));
            return true;
        }
    }

    /** Behind everything that {@code origin} has sent to the old owner. */
    private static final class Marker extends Mail {
        private final Takeover[] peers;
        private final Session session;
        private final int origin;

        Marker(Takeover[] peers, Session session, int origin) {
            this.peers = peers;
            this.session = session;
            this.origin = origin;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            if (session.owner() == at.index()) {
                peers[at.index()].onMarker(session, origin);
            } else {
                at.send(session.owner(), this);
            }
            return true;
        }
    }
}
