package io.godwit.core.takeover;

import io.godwit.core.packet.ClientId;
import io.godwit.core.session.Session;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;
import org.jspecify.annotations.Nullable;

/** Mail between claimants, registrars and owners. */
final class TakeoverMail {
    private TakeoverMail() {}

    /** To the registrar: a connection wants its client id. */
    static final class Claimed extends Mail {
        private final Registrar registrar;
        private final Claim claim;

        Claimed(Registrar registrar, Claim claim) {
            this.registrar = registrar;
            this.claim = claim;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            registrar.claim(claim);
            return true;
        }
    }

    /** To the owner: give the session up for this claim. */
    static final class Release extends Mail {
        private final Takeover[] peers;
        private final Session session;
        private final Claim claim;

        Release(Takeover[] peers, Session session, Claim claim) {
            this.peers = peers;
            this.session = session;
            this.claim = claim;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            peers[at.index()].onRelease(session, claim);
            return true;
        }
    }

    /** To the claimant: the client id is its own, with this session if there is one. */
    static final class Granted extends Mail {
        private final Takeover to;
        private final Claim claim;
        private final @Nullable Session session;
        private final int oldOwner;

        Granted(Takeover to, Claim claim, @Nullable Session session, int oldOwner) {
            this.to = to;
            this.claim = claim;
            this.session = session;
            this.oldOwner = oldOwner;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            to.onGranted(claim, session, oldOwner);
            return true;
        }
    }

    /** To the registrar: the claim is done with. */
    static final class Settled extends Mail {
        private final Registrar registrar;
        private final ClientId clientId;
        private final @Nullable Session session;

        Settled(Registrar registrar, ClientId clientId, @Nullable Session session) {
            this.registrar = registrar;
            this.clientId = clientId;
            this.session = session;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            registrar.settled(clientId, session);
            return true;
        }
    }

    /** To the registrar: the session has ended. */
    static final class Removed extends Mail {
        private final Registrar registrar;
        private final Session session;

        Removed(Registrar registrar, Session session) {
            this.registrar = registrar;
            this.session = session;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            registrar.removed(session);
            return true;
        }
    }
}
