package io.godwit.core.takeover;

import io.godwit.core.id.Epoch;
import io.godwit.core.mail.SessionMail;
import io.godwit.core.packet.ClientId;
import io.godwit.core.session.Session;
import io.godwit.core.session.SessionContext;
import io.godwit.core.shard.Shard;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A shard's part in takeovers: its connections claim their client ids, its registrar grants them,
 * its sessions are given up for connections of other shards and arrive for its own.
 *
 * <pre>
 * claimant               registrar              owner
 *       -- claim -------------->
 *                              -- recall ----------->       the older connection ends
 *       <------------------------------------ granted --     with the session, or without
 *       -- settled ------------>                             the next claim begins
 *       <------------------------------------ marker ---     from each shard
 * </pre>
 *
 * <p>Sessions are handed over between the shards of one node; they never leave the node.
 */
public final class Takeover implements Grants, SessionContext.Outside {
    private final Shard shard;
    private final SessionContext sessions;
    private final Registrar registrar;

    /** The connections that wait to be granted their client id, by number of the token. */
    private final Map<Long, Claimant> claimants = new HashMap<>();

    /** The sessions whose markers have not all come, by number of the token. */
    private final Map<Long, Session> arriving = new HashMap<>(0);

    /** Claims of sessions that were still arriving when they were asked for. */
    private final Map<Session, Claim> claimsAfterHandOver = new HashMap<>(0);

    private Takeover[] peers = new Takeover[0];
    private @Nullable Carrier carrier;
    private long lastToken;

    public Takeover(Shard shard, SessionContext sessions) {
        this.shard = shard;
        this.sessions = sessions;
        this.registrar = new Registrar(shard.index(), shard.rules(), this);
        sessions.outside(this);
    }

    /** Called once, with those of all shards, before anything else. */
    public void connect(Takeover[] all) {
        peers = all;
        carrier = new Carrier(shard, all);
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

    /** The registrar that knows this client id. */
    public Registrar registrarOf(ClientId clientId) {
        return peers[Registrar.shardOf(clientId, peers.length)].registrar;
    }

    // ---------------------------------------------------------------- claimant
    /**
     * Claims the client id of a connection of this shard; {@link Claimant#granted} follows.
     *
     * @param cleanStart an existing session is ended, not continued
     * @return names the claim
     */
    public Token claim(ClientId clientId, boolean cleanStart, Claimant claimant) {
        return claim(clientId, cleanStart, null, claimant);
    }

    /**
     * Claims the client id of a connection of this shard; {@link Claimant#granted} follows, or
     * {@link Claimant#kept} if its session is another user's.
     *
     * @param cleanStart an existing session is ended, not continued
     * @param by the connection's user; null: sessions are anyone's
     * @return names the claim
     */
    public Token claim(
            ClientId clientId, boolean cleanStart, @Nullable ClaimingUser by, Claimant claimant) {
        return claim(clientId, cleanStart, 0, by, claimant);
    }

    /**
     * Ends the session of a client id as a Clean Start does, in turn with claims, if its last
     * CONNECT came before a stamp and it has no connection. {@link Claimant#granted} follows, or
     * {@link Claimant#kept} if a session stays.
     *
     * @param clock of the stamp
     * @param by whose Clean Start it was; null: sessions are anyone's
     */
    public void endOlderThan(
            ClientId clientId, long clock, @Nullable ClaimingUser by, Claimant claimant) {
        claim(clientId, true, clock, by, claimant);
    }

    private Token claim(
            ClientId clientId,
            boolean cleanStart,
            long endsOlderThan,
            @Nullable ClaimingUser by,
            Claimant claimant) {
        Token token = new Token(shard.index(), ++lastToken);
        claimants.put(token.number(), claimant);
        carrier().claim(new Claim(clientId, token, cleanStart, endsOlderThan, by));
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

    void onKept(Token token) {
        shard.assertInside();
        Claimant claimant = claimants.remove(token.number());
        if (claimant != null) {
            claimant.kept();
        }
    }

    /**
     * @param by index of the shard that owned the session until now; the registrar's when there was
     *     none
     */
    void onGranted(Claim claim, int by, @Nullable Session session) {
        shard.assertInside();
        Claimant claimant = claimants.remove(claim.token().number());
        if (claimant == null) {
            throw new IllegalStateException("not claimed: " + claim);
        }
        if (session != null && by != shard.index()) {
            session.arrive(sessions);
            arriving.put(claim.token().number(), session);
        }
        Session now = claimant.granted(session);
        if (now != null && !now.isEnded() && !now.isOnline()) {
            now.life().onAbandonedClaim();
        }
        carrier().settled(claim.clientId(), now == null || now.isEnded() ? null : now);
    }

    @Override
    public void ended(Session session) {
        carrier().ended(session);
    }

    // ---------------------------------------------------------------- registrar
    @Override
    public void grant(Claim claim) {
        carrier().granted(claim, null);
    }

    @Override
    public void withdrawn(Claim claim) {
        carrier().withdrawn(claim.token());
    }

    @Override
    public void recall(Claim claim, Session session) {
        carrier().recall(claim, session);
    }

    // ---------------------------------------------------------------- owner
    /** Gives a session up for a claim, as soon as its last hand-over has ended. */
    void onRecall(Claim claim, Session session) {
        shard.assertInside();
        if (session.owner() == shard.index() && session.handOver() != null) {
            claimsAfterHandOver.put(session, claim);
        } else {
            giveUp(claim, session);
        }
    }

    private void giveUp(Claim claim, Session session) {
        if (!session.isEnded() && stays(claim, session)) {
            carrier().settled(claim.clientId(), session);
            carrier().kept(claim.token());
            return;
        }
        session.life().loseConnectionToNewer(claim.cleanStart());
        session.whenReleasable(() -> give(claim, session));
    }

    /** Whether the session is not to be taken or ended by the claim. */
    private static boolean stays(Claim claim, Session session) {
        ClaimingUser by = claim.by();
        return claim.endsOlderThan() != 0 && !session.life().isOlderThan(claim.endsOlderThan())
                || by != null && !by.mayTake(session.life().ownerName());
    }

    private void give(Claim claim, Session session) {
        if (session.isEnded()) {
            long endToldIn = session.life().endToldIn();
            if (endToldIn != 0) {
                // CONNACK promises that the old one is gone. If the store has failed, it is there
                // again after the process has ended: then there is no CONNACK.
                shard.whenCommitted(
                        endToldIn,
                        isKept -> {
                            if (isKept) {
                                carrier().granted(claim, null);
                            }
                        });
            } else {
                carrier().granted(claim, null);
            }
            return;
        }
        if (claim.token().shard() != shard.index()) {
            session.leave(claim.token().shard());
            carrier().askForMarkers(claim.token());
        }
        // The new owner may send at once: nothing that this one has sent before may come later.
        carrier().granted(claim, session);
    }

    // ---------------------------------------------------------------- set aside
    /**
     * Sets a durable session aside, where it is: another one of its client id counts. Its client's
     * connection ends with 0x8E. On any shard.
     */
    public void setAside(Session session) {
        shard.send(session.owner(), new SetAside(session));
    }

    private static final class SetAside extends SessionMail<Session> {
        SetAside(Session session) {
            super(session);
        }

        @Override
        public boolean deliver(Shard at) {
            session.life().setAside();
            return true;
        }
    }

    // ---------------------------------------------------------------- another node's
    /**
     * Makes a session a copy of another node's, which has taken its slot over. On the shard of its
     * registrar.
     *
     * @param leader epoch under which that node leads the session's queue
     */
    public void yieldTo(Session session, Epoch leader) {
        if (session.owner() == shard.index() && session.isOnline()) {
            session.life().yieldTo(leader); // At once: else its connection ends first, with a Will.
        } else {
            shard.send(session.owner(), new Yield(session, leader));
        }
    }

    private static final class Yield extends SessionMail<Session> {
        private final Epoch leader;

        Yield(Session session, Epoch leader) {
            super(session);
            this.leader = leader;
        }

        @Override
        public boolean deliver(Shard at) {
            session.life().yieldTo(leader);
            return true;
        }
    }

    // ---------------------------------------------------------------- markers
    /**
     * Sends this shard's marker after everything that it had for a session that has left its owner.
     */
    void onMarkerAsked(Token token, int oldOwner) {
        carrier().marker(oldOwner, new Marker(token, shard.index()));
    }

    void onMarker(Marker marker) {
        shard.assertInside();
        if (marker.token().shard() != shard.index()) {
            carrier().marker(marker.token().shard(), marker);
            return;
        }
        long number = marker.token().number();
        Session session = arriving.get(number);
        if (session != null) {
            session.onMarker(marker.origin(), shard, () -> handOverEnded(number, session));
        }
    }

    /** Nothing is held back for the session any more: it can go to who has asked for it. */
    private void handOverEnded(long number, Session session) {
        arriving.remove(number);
        Claim next = claimsAfterHandOver.remove(session);
        if (next != null) {
            giveUp(next, session);
        }
    }
}
