package io.godwit.core.takeover;

import io.godwit.core.mail.SessionMail;
import io.godwit.core.packet.ClientId;
import io.godwit.core.session.Session;
import io.godwit.core.shard.Shard;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Brings what a shard's part in moves has to say to those who have to do it: other nodes, the
 * registrar here, the owner of a session, the registrar of its client id.
 */
final class Errands {
    private final Shard shard;
    private @Nullable Homes homes;
    private @Nullable Registrar registrar;
    private @Nullable Carrier carrier;
    private Moves[] peers = new Moves[0];

    Errands(Shard shard) {
        this.shard = shard;
    }

    void connect(Homes others, Registrar its) {
        homes = others;
        registrar = its;
    }

    /** Called once, with those of all shards, before anything else. */
    void connect(Carrier between, Moves[] all) {
        carrier = between;
        peers = all;
    }

    /** What is said to other nodes. */
    Homes homes() {
        return connected(homes);
    }

    /** The registrar of this shard. */
    Registrar registrar() {
        return connected(registrar);
    }

    private <T> T connected(@Nullable T to) {
        if (to == null) {
            throw new IllegalStateException("shard " + shard.index() + " is not connected");
        }
        return to;
    }

    /** Has something done with a session where it is, behind what is on its way there. */
    void atOwner(Session session, Consumer<Session> word) {
        shard.send(session.owner(), new SessionWord(session, word));
    }

    /** Has something done where the client id's registrar is. */
    void atRegistrar(ClientId clientId, Consumer<Moves> word) {
        connected(carrier).toRegistrar(clientId, word);
    }

    /** The same, once all that was told to the store is kept. */
    void atRegistrarWhenKept(ClientId clientId, Consumer<Moves> word) {
        shard.afterCommit(durable -> {
            if (durable) {
                atRegistrar(clientId, word);
            }
        });
    }

    /** The part of the shard that owns the session, called there. */
    Moves movesOfOwner(Session session) {
        return peers[session.owner()];
    }

    /** What is said by the shard that owns the session, called there. */
    Errands ofOwner(Session session) {
        return movesOfOwner(session).errands();
    }

    private static final class SessionWord extends SessionMail<Session> {
        private final Consumer<Session> word;

        SessionWord(Session session, Consumer<Session> word) {
            super(session);
            this.word = word;
        }

        @Override
        public boolean deliver(Shard at) {
            word.accept(session);
            return true;
        }
    }
}
