package io.godwit.cluster.takeover;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.id.IngressId;
import io.godwit.core.packet.ClientId;
import io.godwit.core.store.SessionMoves;
import io.godwit.core.takeover.Place;
import io.godwit.core.takeover.Token;
import java.util.List;

/** The sessions of a broker's shards, as takeovers ask for them: each is asked by mail. */
final class NodeSessions implements LocalSessions {
    private final NodeTakeovers node;

    NodeSessions(NodeTakeovers node) {
        this.node = node;
    }

    private static Token token(ClaimId claim) {
        return new Token(new Place(claim.by().server(), claim.shard()), claim.number());
    }

    private static SessionMoves.Given given(ClaimId claim, long changes) {
        return new SessionMoves.Given(
                claim.by().server(), claim.by().start(), claim.shard(), claim.number(), changes);
    }

    static ClaimId claim(SessionMoves.Given given) {
        return new ClaimId(
                new NodeStart(given.server(), given.start()), given.shard(), given.claim());
    }

    @Override
    public void make(ClientId clientId, ClaimId claim, long changes) {
        node.answer(clientId, to -> to.nobody(clientId, token(claim), changes));
    }

    @Override
    public void arrive(ClientId clientId, ClaimId claim, long changes, int from, byte[] header) {
        node.answer(clientId, to -> to.arrive(clientId, token(claim), from, changes, header));
    }

    @Override
    public void takeBack(ClientId clientId, ClaimId claim, long given, long changes) {
        node.answer(clientId, to -> to.takeBack(clientId, given(claim, changes), given));
    }

    @Override
    public void outOfReach(ClientId clientId, ClaimId claim) {
        node.answer(clientId, to -> to.outOfReach(clientId, token(claim)));
    }

    @Override
    public void offered(ClientId clientId, int from) {
        node.answer(clientId, to -> to.offered(clientId, from));
    }

    @Override
    public void giveUp(
            ClientId clientId,
            ClaimId claim,
            long changes,
            boolean cleanStart,
            List<Former> former) {
        // The session itself knows its former homes.
        node.answer(clientId, to -> to.giveUp(clientId, cleanStart, given(claim, changes)));
    }

    @Override
    public void giveAgain(ClientId clientId, long changes, ClaimId claim, long next) {
        node.answer(clientId, to -> to.giveAgain(clientId, changes, given(claim, next)));
    }

    @Override
    public void oldest(ClientId clientId, long changes) {
        node.answer(clientId, to -> to.oldest(clientId, changes));
    }

    @Override
    public void drop(ClientId clientId, long changes) {
        node.answer(clientId, to -> to.drop(clientId, changes));
    }

    @Override
    public void over(ClientId clientId, List<IngressId> publishes) {
        node.answer(clientId, to -> to.over(clientId, publishes));
    }

    @Override
    public void dropped(ClientId clientId, Former former) {
        SessionMoves.Home home = new SessionMoves.Home(former.server(), former.changes());
        node.answer(clientId, to -> to.dropped(clientId, home));
    }

    @Override
    public void noMorePages(ClientId clientId, long changes) {
        node.answer(clientId, to -> to.noMorePages(clientId, changes));
    }

    @Override
    public void lose(ClientId clientId) {
        node.answer(clientId, to -> to.lose(clientId));
    }
}
