package io.godwit.core.takeover;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.session.Session;
import io.godwit.core.session.SessionContext;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A shard's part in takeovers: its connections claim their client ids, its registrar grants them,
 * its sessions are released for connections of other shards and arrive for its own.
 *
 * <pre>
 * claimant's shard       registrar's shard      owner's shard
 *       -- claim -------------->
 *                              -- release ---------->        the older connection ends
 *       <------------------------------------ granted --     with the session, or without
 *       -- settled ------------>                             the next claim begins
 * </pre>
 */
public final class Takeover {
    private final Shard shard;
    private final SessionContext sessions;
    private final Registrar registrar = new Registrar(this);
    private final Map<Session, Claim> releasesAfterHandOver = new HashMap<>(0);
    private Takeover[] peers = new Takeover[0];

    public Takeover(Shard shard, SessionContext sessions) {
        this.shard = shard;
        this.sessions = sessions;
    }

    /** Called once, with those of all shards, before anything else. */
    public void connect(Takeover[] all) {
        peers = all;
    }

    public Registrar registrar() {
        return registrar;
    }

    /** Whose registrar knows this client id. */
    public Registrar registrarOf(ClientId clientId) {
        return peers[Registrar.shardOf(clientId, peers.length)].registrar;
    }

    Shard shard() {
        return shard;
    }

    // ---------------------------------------------------------------- claimant
    /** A connection of this shard wants its client id; {@link Claimant#granted} follows. */
    public void claim(Claim claim) {
        Takeover at = peers[Registrar.shardOf(claim.clientId(), peers.length)];
        shard.send(at.shard.index(), new TakeoverMail.Claimed(at.registrar, claim));
    }

    void onGranted(Claim claim, @Nullable Session session, int oldOwner) {
        if (session != null) {
            session.arrive(sessions, oldOwner);
        }
        Session now = claim.claimant().granted(session);
        if (now != null && !now.isEnded() && !now.isOnline()) {
            now.onAbandonedClaim();
        }
        toRegistrar(
                claim.clientId(),
                new TakeoverMail.Settled(
                        registrarOf(claim.clientId()),
                        claim.clientId(),
                        now == null || now.isEnded() ? null : now));
    }

    /** A session of this shard has ended. */
    public void removed(Session session) {
        toRegistrar(
                session.clientId(),
                new TakeoverMail.Removed(registrarOf(session.clientId()), session));
    }

    private void toRegistrar(ClientId clientId, Mail mail) {
        shard.send(Registrar.shardOf(clientId, peers.length), mail);
    }

    // ---------------------------------------------------------------- registrar
    /** Nobody has the client id. */
    void grant(Claim claim) {
        Takeover at = peers[claim.shard()];
        shard.send(claim.shard(), new TakeoverMail.Granted(at, claim, null, claim.shard()));
    }

    void askToRelease(Session session, Claim claim) {
        shard.send(session.owner(), new TakeoverMail.Release(peers, session, claim));
    }

    // ---------------------------------------------------------------- owner
    /** The session is to be given up for this claim, as soon as its last move has ended. */
    void onRelease(Session session, Claim claim) {
        if (session.owner() == shard.index() && session.handOver() != null) {
            releasesAfterHandOver.put(session, claim);
        } else {
            release(session, claim);
        }
    }

    private void release(Session session, Claim claim) {
        session.loseConnectionToNewer(claim.cleanStart());
        session.whenReleasable(() -> give(session, claim));
    }

    private void give(Session session, Claim claim) {
        if (session.isEnded()) {
            if (session.isEndKept()) {
                // CONNACK promises that the old one is gone. If the store has failed, it is there
                // again after the process has ended: then there is no CONNACK.
                shard.afterCommit(durable -> {
                    if (durable) {
                        granted(claim, null);
                    }
                });
            } else {
                granted(claim, null);
            }
            return;
        }
        if (claim.shard() != shard.index()) {
            shard.counters().increment(Metric.SESSIONS_HANDED_OVER);
            session.leave(claim.shard());
            for (int i = 0; i < peers.length; i++) {
                if (i != shard.index()) {
                    shard.send(i, new MarkerMail.Request(peers, session, shard.index()));
                }
            }
        }
        granted(claim, session);
    }

    private void granted(Claim claim, @Nullable Session session) {
        // The new owner may send at once: nothing that this one has sent before may come later.
        shard.sendAfterAll(
                claim.shard(),
                new TakeoverMail.Granted(peers[claim.shard()], claim, session, shard.index()));
    }

    /** Shard {@code origin} has no mail for the session on the way to the old owner any more. */
    void onMarker(Session session, int origin) {
        if (session.onMarker(origin)) {
            Claim next = releasesAfterHandOver.remove(session);
            if (next != null) {
                release(session, next);
            }
        }
    }
}
