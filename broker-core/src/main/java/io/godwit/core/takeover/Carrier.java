package io.godwit.core.takeover;

import io.godwit.core.packet.ClientId;
import io.godwit.core.session.Session;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;
import org.jspecify.annotations.Nullable;

/** Brings the steps of takeovers from shard to shard, as mail. */
final class Carrier {
    private final Shard shard;

    /** The takeovers of all shards; each is touched on its own thread only. */
    private final Takeover[] all;

    Carrier(Shard shard, Takeover[] all) {
        this.shard = shard;
        this.all = all;
    }

    /** Brings a claim to the registrar of the client id. */
    void claim(Claim claim) {
        send(registrar(claim.clientId()), at -> at.registrar().claim(claim));
    }

    /** Tells the registrar that the connection which claims has ended. */
    void withdraw(ClientId clientId, Token token) {
        send(registrar(clientId), at -> at.registrar().withdraw(clientId, token));
    }

    /** Tells the claimant that the registrar has forgotten the claim. */
    void withdrawn(Token token) {
        send(token.shard(), at -> at.onWithdrawn(token));
    }

    /** Tells the session's owner to give it up for a claim. */
    void recall(Claim claim, Session session) {
        send(session.owner(), at -> at.onRecall(claim, session));
    }

    /** Tells the claimant that the session stays where it is. */
    void kept(Token token) {
        send(token.shard(), at -> at.onKept(token));
    }

    /**
     * Tells the claimant that the client id is its own, behind everything that was said here
     * before.
     *
     * @param session null when there is none to continue
     */
    void granted(Claim claim, @Nullable Session session) {
        Token token = claim.token();
        int from = shard.index();
        shard.sendAfterAll(
                token.shard(),
                new Step(all[token.shard()], at -> at.onGranted(claim, from, session)));
    }

    /** Tells the registrar that the claim is done with, and which session the client id has. */
    void settled(ClientId clientId, @Nullable Session session) {
        Holder holder = session == null ? Holder.UNKNOWN : Holder.Here.of(session);
        send(registrar(clientId), at -> at.registrar().settled(clientId, holder));
    }

    /** Tells the registrar that the client id does not have the session any more. */
    void ended(Session session) {
        send(registrar(session.clientId()), at -> at.registrar().removed(session));
    }

    /** Asks every other shard to say with a marker that this one hears nothing more. */
    void askForMarkers(Token token) {
        int oldOwner = shard.index();
        for (int i = 0; i < all.length; i++) {
            if (i != oldOwner) {
                send(i, at -> at.onMarkerAsked(token, oldOwner));
            }
        }
    }

    /** Passes a marker on. */
    void marker(int to, Marker marker) {
        send(to, at -> at.onMarker(marker));
    }

    private int registrar(ClientId clientId) {
        return Registrar.shardOf(clientId, all.length);
    }

    private void send(int to, Action action) {
        shard.send(to, new Step(all[to], action));
    }

    /** What a shard's part in takeovers is to do. */
    private interface Action {
        void on(Takeover at);
    }

    private static final class Step extends Mail {
        private final Takeover to;
        private final Action action;

        Step(Takeover to, Action action) {
            this.to = to;
            this.action = action;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            action.on(to);
            return true;
        }
    }
}
