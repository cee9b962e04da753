package io.godwit.core.takeover;

import io.godwit.core.mail.SessionMail;
import io.godwit.core.packet.ClientId;
import io.godwit.core.session.Session;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Brings what a shard's part in moves has to say to those who have to do it: other nodes, the
 * registrar here, the owner of a session, the registrar of its client id.
 *
 * @param <M> the part of one shard
 */
final class Errands<M> {
    private final Shard shard;
    private @Nullable Homes homes;
    private @Nullable Registrar registrar;
    private @Nullable BiConsumer<ClientId, Consumer<M>> way;
    private List<M> parts = List.of();
    private List<Errands<M>> peers = List.of();

    Errands(Shard shard) {
        this.shard = shard;
    }

    void connect(Homes others, Registrar its) {
        homes = others;
        registrar = its;
    }

    /**
     * Called once, before anything else.
     *
     * @param toRegistrar the way to the part that has the registrar of a client id
     * @param all the parts of all shards
     * @param theirs what those are said by
     */
    void connect(
            BiConsumer<ClientId, Consumer<M>> toRegistrar, List<M> all, List<Errands<M>> theirs) {
        way = toRegistrar;
        parts = all;
        peers = theirs;
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
        shard.send(session.owner(), new SessionWord(session, word, false));
    }

    /** The same, behind the messages that wait there until a session is back. */
    void atOwnerInTurn(Session session, Consumer<Session> word) {
        shard.send(session.owner(), new SessionWord(session, word, true));
    }

    /** The same, behind what each shard has sent there until it hears of this. */
    void atOwnerAfterAll(Session session, Consumer<Session> word) {
        atOwnerAfterAll(word, (from, marker) -> from.atOwner(session, marker));
    }

    /** The same, and behind the messages that wait there until a session is back. */
    void atOwnerInTurnAfterAll(Session session, Consumer<Session> word) {
        atOwnerAfterAll(word, (from, marker) -> from.atOwnerInTurn(session, marker));
    }

    private void atOwnerAfterAll(
            Consumer<Session> word, BiConsumer<Errands<M>, Consumer<Session>> sender) {
        int[] missing = {peers.size()}; // Counted by the owner alone.
        Consumer<Session> marker =
                at -> {
                    if (--missing[0] == 0) {
                        word.accept(at);
                    }
                };
        for (Errands<M> each : peers) {
            shard.send(each.shard.index(), new Errand(() -> sender.accept(each, marker)));
        }
    }

    /** Has something done where the client id's registrar is. */
    void atRegistrar(ClientId clientId, Consumer<M> word) {
        connected(way).accept(clientId, word);
    }

    /** The same, once all that was told to the store is kept. */
    void atRegistrarWhenKept(ClientId clientId, Consumer<M> word) {
        shard.afterCommit(durable -> {
            if (durable) {
                atRegistrar(clientId, word);
            }
        });
    }

    /** The part of the shard that owns the session, called there. */
    M partOfOwner(Session session) {
        return parts.get(session.owner());
    }

    /** What is said by the shard that owns the session, called there. */
    Errands<M> ofOwner(Session session) {
        return peers.get(session.owner());
    }

    private static final class Errand extends Mail {
        private final Runnable task;

        Errand(Runnable task) {
            this.task = task;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            task.run();
            return true;
        }
    }

    private static final class SessionWord extends SessionMail<Session> {
        private final Consumer<Session> word;
        private final boolean waits;

        SessionWord(Session session, Consumer<Session> word, boolean waits) {
            super(session);
            this.word = word;
            this.waits = waits;
        }

        @Override
        protected boolean waitsForReturn() {
            return waits;
        }

        @Override
        public boolean deliver(Shard at) {
            word.accept(session);
            return true;
        }
    }
}
