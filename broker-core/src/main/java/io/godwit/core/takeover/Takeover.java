package io.godwit.core.takeover;

import io.godwit.core.ack.Receipt;
import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.session.Session;
import io.godwit.core.session.SessionContext;
import io.godwit.core.shard.Shard;
import io.godwit.core.store.Store;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A shard's part in takeovers: its connections claim their client ids, its registrar grants them,
 * its sessions are given up for connections of other places and arrive for its own.
 *
 * <pre>
 * claimant               registrar              owner
 *       -- claim -------------->
 *                              -- recall ----------->       the older connection ends
 *       <------------------------------------ granted --     with the session, or without
 *       -- settled ------------>                             the next claim begins
 *       <------------------------------------ marker ---     from each shard of the owner's node
 * </pre>
 *
 * All of it names places and tokens; only the {@link Carrier} knows how to get there.
 */
public final class Takeover implements Grants, SessionContext.Outside {
    private final Shard shard;
    private final SessionContext sessions;
    private final Place here;
    private final Registrar registrar;
    private final Moves moves;

    /** The connections that wait to be granted their client id, by number of the token. */
    private final Map<Long, Claimant> claimants = new HashMap<>();

    /** The sessions whose markers have not all come, by number of the token. */
    private final Map<Long, Session> arriving = new HashMap<>(0);

    /** Recalls of sessions that were still arriving when they were asked for. */
    private final Map<Session, Recall> recallsAfterHandOver = new HashMap<>(0);

    private Takeover[] peers = new Takeover[0];
    private @Nullable Carrier carrier;
    private long lastToken;

    /**
     * @param server server id of the node
     * @param homes what the node knows of other nodes
     * @param store where copies of what was given are read
     */
    public Takeover(
            Shard shard, int server, SessionContext sessions, Homes.Maker homes, Store store) {
        this.shard = shard;
        this.sessions = sessions;
        this.here = new Place(server, shard.index());
        this.moves =
                new Moves(
                        shard,
                        server,
                        sessions,
                        store,
                        this::claimOffered,
                        this::give,
                        this::returned);
        Homes others = homes.of(shard.index(), moves);
        this.registrar = new Registrar(shard.index(), shard.rules(), others, this);
        this.moves.connect(others, registrar);
        sessions.outside(this);
    }

    /** Called once, with those of all shards, before anything else. */
    public void connect(Takeover[] all) {
        peers = all;
        Carrier between = new LocalCarrier(shard, here, all);
        carrier = between;
        moves.connect(between, Arrays.stream(all).map(each -> each.moves).toList());
    }

    private Carrier carrier() {
        Carrier connected = carrier;
        if (connected == null) {
            throw new IllegalStateException("shard " + shard.index() + " is not connected");
        }
        return connected;
    }

    public Registrar registrar() {
        return registrar;
    }

    /** Its part in moves between nodes. */
    public Moves moves() {
        return moves;
    }

    /** The registrar that knows this client id. */
    public Registrar registrarOf(ClientId clientId) {
        return peers[Registrar.shardOf(clientId, peers.length)].registrar;
    }

    // ---------------------------------------------------------------- claimant
    /**
     * Claims the client id of a connection of this shard; {@link Claimant#granted} follows.
     *
     * @param cleanStart an existing session is ended, not continued
     * @param isDurable a session that is made is to outlive the connection
     * @return names the claim
     */
    public Token claim(
            ClientId clientId, boolean cleanStart, boolean isDurable, Claimant claimant) {
        Token token = new Token(here, ++lastToken);
        claimants.put(token.number(), claimant);
        carrier().claim(new Claim(clientId, token, cleanStart, isDurable));
        return token;
    }

    /** A connection ends while it waits for its client id: it may be granted all the same. */
    public void withdraw(ClientId clientId, Token token) {
        carrier().withdraw(clientId, token);
    }

    void onWithdrawn(Token token) {
        shard.assertInside();
        Claimant claimant = claimants.remove(token.number());
        if (claimant != null) {
            claimant.withdrawn();
        }
    }

    /** Claims what another node has offered, for nobody's connection. */
    private void claimOffered(ClientId clientId, int from) {
        Token token = new Token(here, ++lastToken);
        claimants.put(token.number(), Nobody.WAITS);
        carrier().claim(Claim.ofOffered(clientId, token, from));
    }

    void onGranted(Granted granted, @Nullable Session session) {
        shard.assertInside();
        Claimant claimant = claimants.remove(granted.token().number());
        if (claimant == null) {
            throw new IllegalStateException("not claimed: " + granted);
        }
        if (session != null) {
            if (!granted.by().equals(here)) {
                session.arrive(sessions);
                arriving.put(granted.token().number(), session);
            }
        }
        Session now = claimant.granted(session, granted.changes());
        if (now != null && !now.isEnded() && !now.isOnline() && claimant != Nobody.WAITS) {
            now.life().onAbandonedClaim();
        }
        carrier().settled(granted.clientId(), now == null || now.isEnded() ? null : now);
    }

    void onRefused(Claim claim) {
        shard.assertInside();
        Claimant claimant = claimants.remove(claim.token().number());
        if (claimant == null) {
            throw new IllegalStateException("not claimed: " + claim);
        }
        claimant.refused();
        carrier().settled(claim.clientId(), null);
    }

    // ---------------------------------------------------------------- what sessions say

    @Override
    public void ended(Session session) {
        carrier().ended(session);
    }

    @Override
    public void askForPage(Session session, HybridId above) {
        moves.askForPage(session, above);
    }

    @Override
    public void filled(Session session) {
        moves.filled(session);
    }

    @Override
    public void mayGo(Session session) {
        moves.mayGo(session);
    }

    @Override
    public void forward(
            Session session,
            Message message,
            int qos,
            boolean retain,
            int[] ids,
            @Nullable Receipt receipt) {
        moves.forward(session, message, qos, retain, ids, receipt);
    }

    // ---------------------------------------------------------------- registrar
    @Override
    public void grant(Claim claim, long changes) {
        Place to = claim.token().claimant();
        carrier().granted(new Granted(claim.clientId(), claim.token(), to, changes), null);
    }

    @Override
    public void refuse(Claim claim) {
        carrier().refused(claim);
    }

    @Override
    public void withdrawn(Claim claim) {
        carrier().withdrawn(claim.token());
    }

    @Override
    public void nothing(Claim claim) {
        moves.nothing(claim.clientId());
    }

    @Override
    public void recall(Claim claim, Holder.Here holder) {
        Session session = holder.session();
        carrier().recall(new Recall(claim, session.generation()), session);
    }

    // ---------------------------------------------------------------- owner
    /** Gives a session up for a claim, as soon as its last move has ended. */
    void onRecall(Recall recall, Session session) {
        shard.assertInside();
        if (session.owner() == shard.index() && session.handOver() != null) {
            recallsAfterHandOver.put(session, recall);
        } else {
            giveUp(recall.claim(), session);
        }
    }

    private void giveUp(Claim claim, Session session) {
        if (moves.mustStay(claim, session)) {
            carrier().toRegistrar(claim.clientId(), at -> at.stays(claim.clientId()));
            return;
        }
        session.life().loseConnectionToNewer(claim.cleanStart());
        session.whenReleasable(() -> give(claim, session));
    }

    private void give(Claim claim, Session session) {
        if (session.life().isAway()) {
            ended(claim, session); // It was set aside meanwhile.
            return;
        }
        if (session.isEnded()) {
            long endToldIn = session.life().endToldIn();
            if (endToldIn != 0) {
                // CONNACK promises that the old one is gone. If the store has failed, it is there
                // again after the process has ended: then there is no CONNACK.
                shard.whenCommitted(
                        endToldIn,
                        isKept -> {
                            if (isKept) {
                                ended(claim, session);
                            }
                        });
            } else {
                ended(claim, session);
            }
            return;
        }
        if (claim.given() != null) {
            moves.give(claim, session);
            return;
        }
        Place to = claim.token().claimant();
        if (!to.equals(here)) {
            session.leave(to.shard());
            carrier().askForMarkers(claim.token());
        }
        granted(claim, session, session);
    }

    private void ended(Claim claim, Session session) {
        if (claim.given() != null) {
            carrier().toRegistrar(claim.clientId(), at -> at.endedFor(claim.clientId()));
        } else {
            granted(claim, session, null);
        }
    }

    private void granted(Claim claim, Session of, @Nullable Session session) {
        // The new owner may send at once: nothing that this one has sent before may come later.
        Granted granted =
                new Granted(claim.clientId(), claim.token(), here, of.life().homeChanges());
        carrier().granted(granted, session);
    }

    // ---------------------------------------------------------------- markers
    /**
     * Sends this shard's marker after everything that it had for a session that has left its owner.
     */
    void onMarkerAsked(Token token, Place oldOwner) {
        carrier().marker(oldOwner, new Marker(token, here));
    }

    void onMarker(Marker marker) {
        shard.assertInside();
        if (!marker.token().claimant().equals(here)) {
            carrier().marker(marker.token().claimant(), marker);
            return;
        }
        long number = marker.token().number();
        Session session = arriving.get(number);
        if (session != null) {
            session.onMarker(marker.origin().shard(), shard, () -> handOverEnded(number, session));
        }
    }

    private void handOverEnded(long number, Session session) {
        arriving.remove(number);
        returned(session);
    }

    /** Nothing is held back for a session any more: it can go to who has asked for it. */
    private void returned(Session session) {
        Recall next = recallsAfterHandOver.remove(session);
        if (next != null) {
            giveUp(next.claim(), session);
        }
    }
}
