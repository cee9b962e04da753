package io.godwit.core.takeover;

import io.godwit.core.packet.ClientId;
import io.godwit.core.session.Session;
import io.godwit.core.session.SessionContext;
import io.godwit.core.shard.Shard;
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
public final class Takeover implements Grants {
    private final Shard shard;
    private final SessionContext sessions;
    private final Place here;
    private final Registrar registrar;

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
     * @param homes where sessions are that the node does not have
     */
    public Takeover(Shard shard, int server, SessionContext sessions, Homes homes) {
        this.shard = shard;
        this.sessions = sessions;
        this.here = new Place(server, shard.index());
        this.registrar = new Registrar(shard.index(), shard.rules(), homes, this);
    }

    /** Called once, with those of all shards, before anything else. */
    public void connect(Takeover[] all) {
        peers = all;
        carrier = new LocalCarrier(shard, here, all);
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
     */
    public void claim(ClientId clientId, boolean cleanStart, Claimant claimant) {
        Token token = new Token(here, ++lastToken);
        claimants.put(token.number(), claimant);
        carrier().claim(new Claim(clientId, token, cleanStart));
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
        Session now = claimant.granted(session);
        if (now != null && !now.isEnded() && !now.isOnline()) {
            now.life().onAbandonedClaim();
        }
        carrier().settled(granted.clientId(), now == null || now.isEnded() ? null : now);
    }

    /** Tells the registrar that a session of this shard has ended. */
    public void removed(Session session) {
        carrier().ended(session);
    }

    // ---------------------------------------------------------------- registrar
    @Override
    public void grant(Claim claim) {
        carrier()
                .granted(
                        new Granted(claim.clientId(), claim.token(), claim.token().claimant()),
                        null);
    }

    @Override
    public void recall(Claim claim, Holder.Here holder) {
        Session session = holder.session();
        carrier().recall(new Recall(claim, session.generation()), session);
    }

    @Override
    public void recall(Claim claim, Holder.Elsewhere holder) {
        carrier().recall(claim, holder);
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
        session.life().loseConnectionToNewer(claim.cleanStart());
        session.whenReleasable(() -> give(claim, session));
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
                                granted(claim, null);
                            }
                        });
            } else {
                granted(claim, null);
            }
            return;
        }
        Place to = claim.token().claimant();
        if (!to.equals(here)) {
            session.leave(to.shard());
            carrier().askForMarkers(claim.token());
        }
        granted(claim, session);
    }

    private void granted(Claim claim, @Nullable Session session) {
        // The new owner may send at once: nothing that this one has sent before may come later.
        carrier().granted(new Granted(claim.clientId(), claim.token(), here), session);
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
        Session session = arriving.get(marker.token().number());
        if (session != null && session.onMarker(marker.origin().shard(), shard)) {
            arriving.remove(marker.token().number());
            Recall next = recallsAfterHandOver.remove(session);
            if (next != null) {
                giveUp(next.claim(), session);
            }
        }
    }
}
