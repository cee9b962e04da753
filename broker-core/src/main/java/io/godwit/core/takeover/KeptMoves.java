package io.godwit.core.takeover;

import io.godwit.core.packet.ClientId;
import io.godwit.core.session.HeaderCodec;
import io.godwit.core.session.Session;
import io.godwit.core.session.SessionHeader;
import io.godwit.core.shard.Shard;
import io.godwit.core.store.Recovery.KeptSubscription;
import io.godwit.core.store.SessionMoves;
import java.util.List;

/**
 * What a shard's part in moves takes up at start: sessions that came, and what is left of others.
 */
public final class KeptMoves {
    private final Shard shard;
    private final Errands<?> errands;
    private final SessionsByGrant copies;
    private final SessionsByGrant moved;

    KeptMoves(Shard shard, Errands<?> errands, SessionsByGrant copies, SessionsByGrant moved) {
        this.shard = shard;
        this.errands = errands;
        this.copies = copies;
        this.moved = moved;
    }

    /** A session was kept that this node is the home of. */
    public void recovered(Session session, List<KeptSubscription> subscriptions) {
        SessionMoves moves = session.life().moves();
        errands.homes().recovered(session.clientId(), session.life().homeChanges());
        if (!moves.former().isEmpty()) {
            moved.add(session, session.life().homeChanges());
            errands.homes()
                    .recoveredFormer(session.clientId(), moves.former(), moves.filling() != null);
            comesTwice(session, subscriptions);
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
            errands.homes().recoveredLeft(session.clientId(), moves.former(), false);
        }
    }

    /** The same, of one that was set aside. */
    public void recoveredAside(ClientId clientId, SessionMoves moves) {
        errands.homes().recoveredLeft(clientId, moves.former(), moves.filling() != null);
    }

    /** A session was kept that was given to another node. */
    public void recoveredGiven(Session session, SessionMoves.Given to, SessionHeader header) {
        if (!session.life().moves().former().isEmpty()) {
            comesTwice(session, header.subscriptions());
        }
        copies.add(
                session,
                to.changes(),
                header.subscriptions().stream().map(KeptSubscription::filter).toList(),
                session.waited());
        errands.homes().recoveredGiven(session.clientId(), to, HeaderCodec.write(header));
    }

    private void comesTwice(Session session, List<KeptSubscription> subscriptions) {
        SessionMoves moves = session.life().moves();
        session.comesTwice(subscriptions, moves);
        if (moves.stayed() != 0) {
            // What was sent here before this start comes again, if nobody has answered for it.
            Runnable task = () -> errands.atOwnerInTurnAfterAll(session, Session::directIsComplete);
            shard.execute(() -> errands.homes().whenNothingComes(session, task));
        }
        List<SessionMoves.Home> inOrder = session.waitsFor();
        if (!inOrder.isEmpty()) {
            shard.execute(() -> Returns.waitsFor(inOrder, session, errands));
        }
    }
}
