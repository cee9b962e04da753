package io.godwit.core.takeover;

import io.godwit.core.ack.Receipt;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.TopicFilter;
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
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
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
 *
 * <p>Its length is that of {@link Answers}: a method for each thing that another node can say, most
 * of a few lines.
 */
public final class Moves implements Answers {
    private final Shard shard;
    private final int server;
    private final SessionContext sessions;
    private final Errands<Moves> errands;
    private final Filling filling;
    private final Departures departures;
    private final ObjIntConsumer<ClientId> claimOffered;
    private final Consumer<Session> whenReturned;
    private final Returns returns;
    private final KeptMoves kept;

    // Of client ids whose registrar is here.
    private final SessionsByGrant copies = new SessionsByGrant();
    private final SessionsByGrant moved = new SessionsByGrant();
    private final LateMessages late;

    /**
     * @param claimOffered claims a session that the node of this server id has offered
     * @param whenFree gives up, for a claim, a session that nothing keeps here any more
     * @param whenReturned told of a session of this shard that has got what went before it
     */
    Moves(
            Shard shard,
            int server,
            SessionContext sessions,
            Store store,
            ObjIntConsumer<ClientId> claimOffered,
            BiConsumer<Claim, Session> whenFree,
            Consumer<Session> whenReturned) {
        this.claimOffered = claimOffered;
        this.shard = shard;
        this.server = server;
        this.sessions = sessions;
        errands = new Errands<>(shard);
        EarlyMessages early =
                new EarlyMessages(shard, sessions.load(), id -> registrar().asked(id));
        late = new LateMessages(shard, errands, moved, copies, early);
        filling = new Filling(shard, errands, moved, copies, store);
        departures = new Departures(shard, whenFree);
        returns = new Returns(shard, errands, copies, this::returnedAtOwner);
        this.whenReturned = whenReturned;
        kept = new KeptMoves(shard, errands, copies, moved);
    }

    void connect(Homes others, Registrar its) {
        errands.connect(others, its);
    }

    /** Called once, with those of all shards, before anything else. */
    void connect(Carrier between, List<Moves> all) {
        List<Errands<Moves>> theirs = all.stream().map(each -> each.errands).toList();
        errands.connect(between::toRegistrar, all, theirs);
    }

    /** What it takes up at start. */
    public KeptMoves kept() {
        return kept;
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
        List<SessionMoves.Home> here = ofThisNode(former);
        Session[] made = new Session[1];
        Session session =
                SessionArrival.make(
                        sessions,
                        header,
                        from,
                        changes,
                        returns.stayed(clientId, here),
                        () -> arrived(made[0], token, former, changes));
        if (session == null) {
            // Queue ids are being reserved: soon there are some.
            shard.afterCommit(durable -> arrive(clientId, token, from, changes, bytes));
            return;
        }
        made[0] = session;
        returns.arrives(session, here, changes);
        moved.add(session, changes);
        late.arrived(session, changes);
        filling.arrives(session);
    }

    private List<SessionMoves.Home> ofThisNode(List<SessionMoves.Home> homes) {
        return homes.stream().filter(each -> each.server() == server).toList();
    }

    private void arrived(
            Session session, Token token, List<SessionMoves.Home> former, long changes) {
        ClientId clientId = session.clientId();
        homes().arrived(clientId, token, former);
        returns.arrived(clientId, ofThisNode(former), changes); // It is what became of those.
        filling.arrived(session);
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
            errands.atOwnerInTurn(
                    returned, session -> errands.partOfOwner(session).give(claim, session));
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
        if (departures.holdsBack(session, claim)) {
            return;
        }
        filling.leaves(session);
        session.takeFromGroups();
        byte[] header = HeaderCodec.write(SessionHeader.of(session));
        List<TopicFilter> filters = session.filters();
        List<SessionMoves.Home> former = session.life().moves().former();
        boolean goesBack = !former.isEmpty() && former.getLast().server() == to.server();
        long waited = session.waited();
        session.give(to);
        if (goesBack) {
            session.goesBack(); // Who has passed on to this one is where it goes.
        }
        errands.atRegistrarWhenKept(
                session.clientId(), at -> at.gave(session, to, header, filters, waited));
    }

    private void gave(
            Session session,
            SessionMoves.Given to,
            byte[] header,
            List<TopicFilter> filters,
            long waited) {
        ClientId clientId = session.clientId();
        copies.add(session, to.changes(), filters, waited);
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
                    Errands<Moves> here = errands.ofOwner(session);
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
        returns.takesBack(copy, claim.changes());
        errands.atOwner(
                copy,
                session -> {
                    session.takeBack(claim.changes());
                    returns.takeBack(session, given, claim);
                    errands.ofOwner(session)
                            .atRegistrarWhenKept(clientId, there -> there.tookBack(session, claim));
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
    public void caughtUp(ClientId clientId, long changes) {
        shard.assertInside();
        returns.caughtUp(clientId, changes);
    }

    private void returnedAtOwner(Session session) {
        Moves its = errands.partOfOwner(session);
        session.returned(its.shard, () -> its.whenReturned.accept(session));
    }

    @Override
    public void oldest(ClientId clientId, long changes) {
        shard.assertInside();
        Session copy = copies.find(clientId, changes);
        if (copy != null) {
            errands.atOwner(copy, Session::isOldest);
        }
    }

    @Override
    public void withdraw(ClientId clientId, long changes, Consumer<Set<IngressId>> whenPassedOn) {
        shard.assertInside();
        Session copy = copies.find(clientId, changes);
        if (copy == null) {
            whenPassedOn.accept(Set.of());
            return;
        }
        copies.leavesIndex(clientId, changes);
        errands.atOwner(
                copy,
                session ->
                        session.withdraw(() ->
                                errands.ofOwner(session)
                                        .atOwnerAfterAll(
                                                session, any -> whenPassedOn.accept(any.over()))));
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
            errands.atOwnerInTurn(
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
        for (Session each : copies.all(clientId)) {
            errands.atOwner(
                    each,
                    copy -> {
                        List<SessionMoves.Home> former = copy.life().moves().former();
                        if (!former.isEmpty() && former.getLast().equals(home)) {
                            copy.comesOnce();
                        }
                    });
        }
        for (Session each : moved.all(clientId)) {
            errands.atOwnerInTurn(
                    each,
                    session -> {
                        session.life().formerHomeDropped(home);
                        formerDropped(session);
                        if (session.life().moves().former().isEmpty()) {
                            session.comesOnce();
                            errands.ofOwner(session)
                                    .atRegistrar(clientId, there -> there.comesOnce(session));
                        }
                    });
        }
    }

    /** At its owner: what waits for what comes round by that one does not wait for it any more. */
    private void formerDropped(Session session) {
        List<SessionMoves.Home> inOrder = session.waitsFor();
        if (inOrder.isEmpty()) {
            session.roundIsComplete(true);
        } else {
            Returns.waitsFor(inOrder, session, errands.ofOwner(session));
        }
    }

    private void comesOnce(Session session) {
        moved.remove(session);
        late.whenGone(session, () -> errands.atOwnerInTurn(session, Session::comesNoMore));
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

    @Override
    public void noMorePages(ClientId clientId, long changes) {
        shard.assertInside();
        filling.noMorePages(clientId, changes);
    }

    /** All of a session's queue is here, durably. */
    void filled(Session session) {
        filling.filled(session);
        if (session.owner() == shard.index()) {
            mayGo(session);
        } else {
            errands.atOwner(session, each -> errands.partOfOwner(each).filled(each));
        }
    }

    void mayGo(Session session) {
        departures.mayGo(session);
    }

    // ---------------------------------------------------------------- messages that came too late

    void forward(
            Session session,
            Message message,
            int qos,
            boolean retain,
            int[] ids,
            @Nullable Receipt receipt) {
        late.forward(session, message, qos, retain, ids, receipt);
    }

    @Override
    public void forwarded(long changes, Forwarded what, @Nullable Receipt receipt) {
        shard.assertInside();
        late.forwarded(changes, what, receipt, false);
    }

    @Override
    public void over(ClientId clientId, List<IngressId> publishes) {
        shard.assertInside();
        late.over(clientId, publishes);
    }

    @Override
    public void forwardedBack(long changes, Forwarded what, @Nullable Receipt receipt) {
        shard.assertInside();
        late.forwarded(changes, what, receipt, true);
    }
}
