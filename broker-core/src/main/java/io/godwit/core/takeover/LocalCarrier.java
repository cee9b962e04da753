package io.godwit.core.takeover;

import io.godwit.core.packet.ClientId;
import io.godwit.core.session.Session;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Carries words between the shards of one node: by mail, and the session's object goes along. */
final class LocalCarrier implements Carrier {
    private final Shard shard;
    private final Place here;

    /** The takeovers of all shards; each is touched on its own thread only. */
    private final Takeover[] all;

    LocalCarrier(Shard shard, Place here, Takeover[] all) {
        this.shard = shard;
        this.here = here;
        this.all = all;
    }

    @Override
    public void claim(Claim claim) {
        send(registrar(claim.clientId()), at -> at.registrar().claim(claim));
    }

    @Override
    public void withdraw(ClientId clientId, Token token) {
        send(registrar(clientId), at -> at.registrar().withdraw(clientId, token));
    }

    @Override
    public void withdrawn(Token token) {
        send(shardAt(token.claimant()), at -> at.onWithdrawn(token));
    }

    @Override
    public void recall(Recall recall, Session session) {
        send(session.owner(), at -> at.onRecall(recall, session));
    }

    @Override
    public void refused(Claim claim) {
        send(shardAt(claim.token().claimant()), at -> at.onRefused(claim));
    }

    @Override
    public void toRegistrar(ClientId clientId, Consumer<Moves> word) {
        send(registrar(clientId), at -> word.accept(at.moves()));
    }

    @Override
    public void granted(Granted granted, @Nullable Session session) {
        int to = shardAt(granted.token().claimant());
        shard.sendAfterAll(to, new Said(all[to], at -> at.onGranted(granted, session)));
    }

    @Override
    public void settled(ClientId clientId, @Nullable Session session) {
        Holder holder = session == null ? Holder.UNKNOWN : new Holder.Here(session);
        send(registrar(clientId), at -> at.registrar().settled(clientId, holder));
    }

    @Override
    public void ended(Session session) {
        send(registrar(session.clientId()), at -> at.registrar().removed(session));
    }

    @Override
    public void askForMarkers(Token token) {
        for (int i = 0; i < all.length; i++) {
            if (i != shard.index()) {
                send(i, at -> at.onMarkerAsked(token, here));
            }
        }
    }

    @Override
    public void marker(Place to, Marker marker) {
        send(shardAt(to), at -> at.onMarker(marker));
    }

    private int registrar(ClientId clientId) {
        return Registrar.shardOf(clientId, all.length);
    }

    private int shardAt(Place place) {
        if (place.server() != here.server()) {
            throw new IllegalStateException("no way to " + place + " from one node alone");
        }
        return place.shard();
    }

    private void send(int to, Word word) {
        shard.send(to, new Said(all[to], word));
    }

    /** A word to a shard's part in takeovers. */
    private interface Word {
        void to(Takeover at);
    }

    private static final class Said extends Mail {
        private final Takeover to;
        private final Word word;

        Said(Takeover to, Word word) {
            this.to = to;
            this.word = word;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            word.to(to);
            return true;
        }
    }
}
