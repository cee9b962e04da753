package io.godwit.core.takeover;

import io.godwit.core.ack.Receipt;
import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.session.HeaderCodec;
import io.godwit.core.session.Session;
import io.godwit.core.session.SessionArrival;
import io.godwit.core.session.SessionContext;
import io.godwit.core.session.SessionHeader;
import io.godwit.core.shard.Shard;
import io.godwit.core.store.CopyPage;
import io.godwit.core.store.SessionMoves;
import io.godwit.core.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A shard's part in moves of sessions between nodes: what {@link Homes} answers and asks for, for
 * the client ids whose registrar is here, and what the sessions of this shard want of other nodes.
 *
 * <pre>
 * old home                                        new home
 *   giveUp: the session stops, durably
 *      -- header ------------------------------------>  arrive: it is here, durably; its client is served
 *      <---------------------------- askForPage -----   while its queue is filled
 *      -- page -------------------------------------->
 *   what still comes for it is forwarded ------------>  forwarded
 *      <--------------------------------- whole -----   all of it is here, durably
 *   drop
 * </pre>
 */
public final class Moves implements Answers {
    private final Shard shard;
    private final int server;
    private final SessionContext sessions;
    private final Errands errands;
    private final Filling filling;
    private final ObjIntConsumer<ClientId> claimOffered;

    // Of client ids whose registrar is here.
    private final SessionsByGrant copies = new SessionsByGrant();
    private final SessionsByGrant moved = new SessionsByGrant();
    private final EarlyMessages early;

    /**
     * @param claimOffered claims a session that the node of this server id has offered
     */
    Moves(
            Shard shard,
            int server,
            SessionContext sessions,
            Store store,
            ObjIntConsumer<ClientId> claimOffered) {
        this.claimOffered = claimOffered;
        this.shard = shard;
        this.server = server;
        this.sessions = sessions;
        errands = new Errands(shard);
        early = new EarlyMessages(shard, sessions.load(), id -> registrar().asked(id));
        filling = new Filling(shard, errands, moved, copies, store);
    }

    void connect(Homes others, Registrar its) {
        errands.connect(others, its);
    }

    /** Called once, with those of all shards, before anything else. */
    void connect(Carrier between, Moves[] all) {
        errands.connect(between, all);
    }

    /** What the parts of other shards say through this one. */
    Errands errands() {
        return errands;
    }

    private Homes homes() {
        return errands.homes();
    }

    private Registrar registrar() {
        return errands.registrar();
    }

    // ---------------------------------------------------------------- answers to a claim

    @Override
    public void offered(ClientId clientId, int from) {
        shard.assertInside();
        if (!registrar().knows(clientId)) {
            claimOffered.accept(clientId, from);
        }
    }

    @Override
    public void nobody(ClientId clientId, Token token, long changes) {
        shard.assertInside();
        registrar().nobody(clientId, token, changes);
    }

    @Override
    public void outOfReach(ClientId clientId, Token token) {
        shard.assertInside();
        registrar().outOfReach(clientId, token);
    }

    @Override
    public void arrive(ClientId clientId, Token token, int from, long changes, byte[] bytes) {
        shard.assertInside();
        SessionHeader header = HeaderCodec.read(bytes);
        List<SessionMoves.Home> former = new ArrayList<>(header.record().moves().former());
        former.add(new SessionMoves.Home(from, changes));
        Session[] made = new Session[1];
        Session session =
                SessionArrival.make(
                        sessions, header, from, changes, () -> arrived(made[0], token, former));
        if (session == null) {
            // Queue ids are being reserved: soon there are some.
            shard.afterCommit(durable -> arrive(clientId, token, from, changes, bytes));
            return;
        }
        made[0] = session;
        moved.add(session, changes);
        early.take(clientId, changes, (what, receipt) -> deliver(session, what, receipt));
    }

    private void arrived(Session session, Token token, List<SessionMoves.Home> former) {
        ClientId clientId = session.clientId();
        homes().arrived(clientId, token, former);
        for (SessionMoves.Home each : former) {
            if (each.server() == server) {
                drop(clientId, each.changes()); // What has come is what became of it.
            }
        }
        if (session.isFilling()) {
            session.askForPage();
        } else {
            homes().whole(clientId, former.getLast().changes());
        }
        registrar().arrived(token, session);
    }

    // ---------------------------------------------------------------- given to other nodes

    @Override
    public void giveUp(ClientId clientId, boolean cleanStart, SessionMoves.Given to) {
        shard.assertInside();
        Claim claim = Claim.of(clientId, cleanStart, to);
        Session returned = to.server() == server ? registrar().takeReturned(clientId) : null;
        if (returned == null) {
            registrar().claim(claim);
        } else {
            // It is this node's own claim that waits: it takes back what it is given.
            errands.atOwner(
                    returned, session -> errands.movesOfOwner(session).give(claim, session));
        }
    }

    void nothing(ClientId clientId) {
        homes().gaveUp(clientId, null);
    }

    /** At its owner: whether the session can't go to the node of a claim. */
    boolean mustStay(Claim claim, Session session) {
        SessionMoves.Given to = claim.given();
        return to != null
                && to.server() != server
                && !claim.cleanStart()
                && !session.isEnded()
                && session.isDurable()
                && session.isBound();
    }

    /** It goes on here, its connection too; the claim that asked for it is refused. */
    void stays(ClientId clientId) {
        homes().stays(clientId);
        registrar().stays(clientId);
    }

    /** It has ended, at its owner, for a claim of another node. */
    void endedFor(ClientId clientId) {
        homes().gaveUp(clientId, null);
        registrar().released(clientId);
    }

    /** At its owner: everyone who waited for it to stop has let go of it. */
    void give(Claim claim, Session session) {
        SessionMoves.Given to = claim.given();
        if (to == null) {
            throw new IllegalArgumentException("a claim of this node: " + claim);
        }
        if (filling.holdsBack(session, claim)) {
            return;
        }
        byte[] header = HeaderCodec.write(SessionHeader.of(session));
        session.give(to);
        errands.atRegistrarWhenKept(session.clientId(), at -> at.gave(session, to, header));
    }

    private void gave(Session session, SessionMoves.Given to, byte[] header) {
        ClientId clientId = session.clientId();
        copies.add(session, to.changes());
        moved.remove(session);
        homes().gaveUp(clientId, header);
        registrar().released(clientId);
    }

    @Override
    public void giveAgain(ClientId clientId, long changes, SessionMoves.Given to) {
        shard.assertInside();
        Session copy = copies.find(clientId, changes);
        if (copy == null) {
            return;
        }
        copies.grantedAgain(copy, to.changes());
        errands.atOwner(
                copy,
                session -> {
                    session.life().giveAgain(to);
                    Errands here = errands.ofOwner(session);
                    here.homes().forwardElsewhere(clientId, changes, to);
                    here.atRegistrarWhenKept(clientId, there -> there.homes().gaveAgain(clientId));
                });
    }

    @Override
    public void takeBack(ClientId clientId, SessionMoves.Given claim, long given) {
        shard.assertInside();
        Session copy = copies.remove(clientId, given);
        if (copy == null) {
            return;
        }
        moved.add(copy, claim.changes());
        errands.atOwner(
                copy,
                session -> {
                    session.takeBack(claim.changes());
                    Errands here = errands.ofOwner(session);
                    here.homes().forwardElsewhere(clientId, given, claim);
                    here.atRegistrarWhenKept(clientId, there -> there.tookBack(session, claim));
                });
    }

    private void tookBack(Session session, SessionMoves.Given claim) {
        ClientId clientId = session.clientId();
        List<SessionMoves.Home> former = session.life().moves().former();
        if (former.isEmpty()) {
            moved.remove(session); // Nobody sends anything after it.
        }
        homes().tookBack(clientId, claim, former);
        Token token = new Token(new Place(claim.server(), claim.shard()), claim.claim());
        if (registrar().isAsking(clientId, token)) {
            registrar().arrived(token, session);
        } else {
            registrar().tookBack(session);
        }
    }

    @Override
    public void withdraw(ClientId clientId, long changes) {
        shard.assertInside();
        Session copy = copies.find(clientId, changes);
        if (copy != null) {
            errands.atOwner(copy, Session::withdraw);
        }
    }

    @Override
    public void drop(ClientId clientId, long changes) {
        shard.assertInside();
        Session copy = copies.remove(clientId, changes);
        if (copy != null) {
            errands.atOwner(copy, Session::dropCopy);
        }
    }

    @Override
    public void lose(ClientId clientId) {
        shard.assertInside();
        Session lost = registrar().lose(clientId);
        if (lost != null) {
            errands.atOwner(
                    lost,
                    session -> {
                        session.life().loseConnectionToNewer(false);
                        if (!session.isEnded() && !session.life().isAway()) {
                            session.setAside();
                        }
                    });
        }
    }

    @Override
    public void dropped(ClientId clientId, SessionMoves.Home home) {
        shard.assertInside();
        for (Session each : moved.all(clientId)) {
            errands.atOwner(
                    each,
                    session -> {
                        session.life().formerHomeDropped(home);
                        if (session.life().moves().former().isEmpty()) {
                            session.comesOnce();
                            errands.ofOwner(session)
                                    .atRegistrar(clientId, there -> there.moved.remove(session));
                        }
                    });
        }
    }

    // ---------------------------------------------------------------- pages

    /** A session of this shard wants the next page of its queue. */
    void askForPage(Session session, HybridId above) {
        filling.askForPage(session, above);
    }

    @Override
    public void linked(int peer) {
        shard.assertInside();
        filling.linked(peer);
    }

    @Override
    public void readPage(ClientId clientId, long changes, HybridId above, CopyPage.Reader to) {
        shard.assertInside();
        filling.read(clientId, changes, above, to);
    }

    @Override
    public void page(ClientId clientId, long changes, CopyPage page) {
        shard.assertInside();
        filling.page(clientId, changes, page);
    }

    /**
     * All of a session's queue is here, durably.
     *
     * @return the claim that has waited for that
     */
    @Nullable Claim filled(Session session) {
        return filling.filled(session);
    }

    // ---------------------------------------------------------------- messages that came too late

    void forward(
            Session session,
            Message message,
            int qos,
            boolean retain,
            int[] ids,
            @Nullable Receipt receipt) {
        SessionMoves.Given to = session.life().moves().given();
        if (to == null || to.equals(SessionMoves.Given.ASIDE)) {
            Receipt.done(receipt); // It was routed before the session was set aside.
        } else if (qos > 0) {
            homes().forward(
                            to,
                            new Forwarded(session.clientId(), message, qos, retain, ids),
                            receipt);
        }
    }

    @Override
    public void forwarded(long changes, Forwarded what, @Nullable Receipt receipt) {
        shard.assertInside();
        Session to = moved.latest(what.clientId(), changes);
        if (to == null) {
            to = copies.latest(what.clientId(), changes + 1); // It has gone on since.
        }
        if (to == null) {
            to = registrar().find(what.clientId());
        }
        if (to != null) {
            deliver(to, what, receipt);
        } else {
            early.add(changes, what, receipt);
        }
    }

    private void deliver(Session session, Forwarded what, @Nullable Receipt receipt) {
        errands.atOwner(
                session,
                to -> to.deliver(what.message(), what.qos(), what.retain(), what.ids(), receipt));
    }

    // ---------------------------------------------------------------- at start

    /** A session was kept that this node is the home of. */
    public void recovered(Session session) {
        SessionMoves moves = session.life().moves();
        homes().recovered(session.clientId(), session.life().homeChanges());
        if (!moves.former().isEmpty()) {
            moved.add(session, session.life().homeChanges());
            homes().recoveredFormer(session.clientId(), moves.former(), moves.filling() != null);
            session.comesTwice();
        }
        if (moves.filling() != null) {
            shard.execute(() -> {
                if (session.owner() == shard.index()) {
                    session.askForPage();
                }
            });
        }
    }

    /** The same, of one that has ended, but may not be forgotten yet. */
    public void recoveredEnded(Session session) {
        SessionMoves moves = session.life().moves();
        if (!moves.former().isEmpty()) {
            moved.add(session, session.life().homeChanges());
            homes().recoveredLeft(session.clientId(), moves.former(), false);
        }
    }

    /** The same, of one that was set aside. */
    public void recoveredAside(ClientId clientId, SessionMoves moves) {
        homes().recoveredLeft(clientId, moves.former(), moves.filling() != null);
    }

    /** A session was kept that was given to another node. */
    public void recoveredGiven(Session session, SessionMoves.Given to, SessionHeader header) {
        copies.add(session, to.changes());
        homes().recoveredGiven(session.clientId(), to, HeaderCodec.write(header));
    }
}
